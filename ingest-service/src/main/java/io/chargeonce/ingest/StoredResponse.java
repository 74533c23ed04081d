package io.chargeonce.ingest;

import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The answer to an acceptance, kept with the key and sent again, byte for byte, to whoever repeats the request. */
record StoredResponse(int status, Map<String, String> headers, byte[] body) {

    /** How long a repeat is answered with these very bytes. */
    static final Duration KEPT = Duration.ofHours(24);

    /** RFC 9110's IMF-fixdate. */
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT).withZone(ZoneOffset.UTC);

    static StoredResponse accepted(PaymentId id, PaymentRequest request) {
        var body = new LinkedHashMap<String, Object>();
        body.put("id", id.value());
        body.put("status", PaymentStatus.ACCEPTED.tag());
        body.put("amount", request.money().minorUnits());
        body.put("currency", request.money().currency());
        body.put("payment_method", request.paymentMethod());
        body.put("customer", request.customer());
        body.put("reference", request.reference());
        body.put("description", request.description());
        body.put("receipt_email", request.receiptEmail());
        body.put("rail", "card");
        body.values().removeIf(Optional.empty()::equals);
        return new StoredResponse(202,
                Map.of("Content-Type", "application/json", "Location", Command.PATH + "/" + id), PaymentJson.write(body));
    }

    static StoredResponse fromColumns(int status, String headers, byte[] body) {
        var read = new LinkedHashMap<String, String>();
        PaymentJson.MAPPER.readTree(headers).forEachEntry((name, value) -> read.put(name, value.stringValue()));
        return new StoredResponse(status, read, body);
    }

    /** For the request that was accepted. */
    Answer first() {
        return new Answer(status, headers, body, "accepted");
    }

    /** For a repeat of it, asked now. A payment that is not finished keeps its answer for longer: nobody can say until when. */
    Answer repeated(PaymentStatus now, Instant firstAt, Instant askedAt) {
        var all = new LinkedHashMap<>(headers);
        all.put("Idempotent-Replayed", "true");
        all.put("Payment-Status", now.tag());
        if (firstAt.plus(KEPT).isAfter(askedAt)) {
            all.put("Idempotency-Expires", HTTP_DATE.format(firstAt.plus(KEPT)));
        }
        return new Answer(status, all, body, "replayed");
    }

    /** For a repeat after {@link #KEPT}: the same, made anew. */
    Answer reconstructed(PaymentStatus now) {
        var all = new LinkedHashMap<>(headers);
        all.put("Idempotent-Replayed", "reconstructed");
        all.put("Payment-Status", now.tag());
        return new Answer(status, all, body, "reconstructed");
    }

    String headersColumn() {
        return new String(PaymentJson.write(headers), StandardCharsets.UTF_8);
    }
}
