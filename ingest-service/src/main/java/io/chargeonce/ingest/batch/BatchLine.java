// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import io.chargeonce.ingest.accept.PaymentBody;
import io.chargeonce.ingest.accept.Purchase;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.KeyHeader;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problem;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.PaymentJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** One line of a batch: a payment request with its key beside the other fields; and one line of the answer to it. */
record BatchLine(long number, Optional<IdempotencyKey> key, Checked<PaymentRequest> request) {

    private static final String KEY = RequestForm.BATCH_LINE.keyField();

    static BatchLine read(Lines.Line line) {
        if (line.text().isEmpty()) {
            return wrong(line.number(), Problems.tooLarge(RequestForm.BATCH_LINE));
        }
        return switch (PaymentBody.parse(line.text().get(), RequestForm.BATCH_LINE, line.number())) {
            case Checked.Wrong<ObjectNode> wrong -> wrong(line.number(), wrong.problem());
            case Checked.Right<ObjectNode> right -> read(line.number(), right.value());
        };
    }

    private static BatchLine read(long number, ObjectNode json) {
        JsonNode named = json.path(KEY);
        json.remove(KEY);
        Checked<PaymentRequest> request = PaymentBody.read(json, RequestForm.BATCH_LINE);
        return switch (key(named)) {
            case Checked.Right<IdempotencyKey> key -> new BatchLine(number, Optional.of(key.value()), request);
            case Checked.Wrong<IdempotencyKey> wrong -> wrong(number, switch (request) {
                case Checked.Right<PaymentRequest> right -> wrong.problem();
                case Checked.Wrong<PaymentRequest> also -> wrong.problem().and(also.problem().errors());
            });
        };
    }

    private static Checked<IdempotencyKey> key(JsonNode named) {
        if (named.isMissingNode() || named.isNull()) {
            return new Checked.Wrong<>(Problems.keyMissing(RequestForm.BATCH_LINE));
        }
        return named.isString() ? KeyHeader.check(named.stringValue(), RequestForm.BATCH_LINE)
                : new Checked.Wrong<>(Problems.keyInvalid(RequestForm.BATCH_LINE));
    }

    private static BatchLine wrong(long number, Problem problem) {
        return new BatchLine(number, Optional.empty(), new Checked.Wrong<>(problem));
    }

    /** What it must not share with a line before it that is not yet answered: its key; and, if guarded, its purchase. */
    Set<Object> turns(boolean guarded) {
        var turns = new HashSet<Object>();
        key.ifPresent(turns::add);
        if (guarded && request instanceof Checked.Right<PaymentRequest> right) {
            Purchase.of(right.value()).map(ByteBuffer::wrap).ifPresent(turns::add);
        }
        return turns;
    }

    /** The answer as a line, with its break. */
    byte[] answered(Answer answer) {
        var headers = new LinkedHashMap<>(answer.headers());
        headers.remove("Content-Type");
        var json = new LinkedHashMap<String, Object>();
        json.put("line", number);
        key.ifPresent(named -> json.put(KEY, named.value()));
        json.put("status", answer.status());
        json.put("headers", headers);
        json.put("body", new RawValue(new String(answer.body(), StandardCharsets.UTF_8)));
        byte[] written = PaymentJson.write(json);
        byte[] line = Arrays.copyOf(written, written.length + 1);
        line[written.length] = '\n';
        return line;
    }
}
