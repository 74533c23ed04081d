// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.ingest.reading.PaymentStatus;
import io.chargeonce.payment.Initiator;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.Rail;
import io.chargeonce.wire.PaymentJson;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The answer to an acceptance. It follows from the payment's id and the request alone, so a repeat gets it again, byte for byte,
 * and no row has to keep it. Another form of it needs another {@link RequestFingerprint#VERSION}.
 */
record AcceptedAnswer(int status, Map<String, String> headers, byte[] body) {

    /** How long a repeat counts as one. Later it is answered as reconstructed. */
    static final Duration REPLAYED = Duration.ofHours(24);

    /** RFC 9110's IMF-fixdate. */
    private static final DateTimeFormatter HTTP_DATE =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT).withZone(ZoneOffset.UTC);

    static AcceptedAnswer of(PaymentId id, PaymentRequest request) {
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
        body.put("initiator", request.initiator().map(Initiator::tag));
        body.put("rail", Rail.of(request.paymentMethod()).tag());
        body.values().removeIf(Optional.empty()::equals);
        return new AcceptedAnswer(202,
                Map.of("Content-Type", "application/json", "Location", Contract.PAYMENTS + "/" + id), PaymentJson.write(body));
    }

    /** For the request that was accepted. */
    Answer first() {
        return new Answer(status, headers, body, "accepted");
    }

    /** For a repeat of it. */
    Answer repeated(PaymentStatus now, Instant firstAt, Instant receivedAt) {
        boolean early = firstAt.plus(REPLAYED).isAfter(receivedAt);
        var all = new LinkedHashMap<>(headers);
        all.put("Idempotent-Replayed", early ? "true" : "reconstructed");
        all.put("Payment-Status", now.tag());
        if (early) {
            all.put("Idempotency-Expires", HTTP_DATE.format(firstAt.plus(REPLAYED)));
        }
        return new Answer(status, all, body, early ? "replayed" : "reconstructed");
    }
}
