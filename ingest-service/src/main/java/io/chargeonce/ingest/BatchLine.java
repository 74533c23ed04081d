package io.chargeonce.ingest;

import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.PaymentJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** One line of a batch: a payment request with its key beside the other fields; and one line of the answer to it. */
record BatchLine(Optional<IdempotencyKey> key, Checked<PaymentRequest> request) {

    static final String KEY = "idempotency_key";

    static BatchLine read(byte[] line) {
        return switch (PaymentBody.parse(line)) {
            case Checked.Wrong<ObjectNode> wrong -> new BatchLine(Optional.empty(), new Checked.Wrong<>(wrong.problem()));
            case Checked.Right<ObjectNode> right -> read(right.value());
        };
    }

    private static BatchLine read(ObjectNode json) {
        JsonNode named = json.path(KEY);
        json.remove(KEY);
        if (named.isMissingNode() || named.isNull()) {
            return new BatchLine(Optional.empty(), new Checked.Wrong<>(Problems.keyMissing()));
        }
        Optional<IdempotencyKey> key = named.isString() ? IdempotencyKey.parse(named.stringValue()) : Optional.empty();
        return new BatchLine(key, key.isEmpty() ? new Checked.Wrong<>(Problems.keyInvalid()) : PaymentBody.read(json));
    }

    /** With the line break. */
    static byte[] answer(long number, Optional<IdempotencyKey> key, Answer answer) {
        var headers = new LinkedHashMap<>(answer.headers());
        headers.remove("Content-Type");
        var json = new LinkedHashMap<String, Object>();
        json.put("line", number);
        key.ifPresent(named -> json.put(KEY, named.value()));
        json.put("status", answer.status());
        json.put("headers", headers);
        json.put("body", new RawValue(new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8)));
        byte[] written = PaymentJson.write(json);
        byte[] line = java.util.Arrays.copyOf(written, written.length + 1);
        line[written.length] = '\n';
        return line;
    }
}
