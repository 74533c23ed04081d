// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.wire.OutcomeRecord;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The outcome that every contestant publishes for a payment that succeeded: the pipeline's own record. */
final class OutcomeEvents {

    static final String SOURCE = PipelineSettings.EVENT_SOURCE.fallback();

    private OutcomeEvents() {}

    static byte[] value(PaymentRecord request, String reference) {
        return PaymentJson.write(new OutcomeRecord(OutcomeRecord.TYPE, OutcomeRecord.VERSION, request.paymentId(), "charge",
                request.merchant(), request.idempotencyKey(), "succeeded", request.amount(), request.currency(),
                Optional.of(StubGateway.NAME),
                Optional.of(reference), Optional.empty(), request.reference(), 1, 2, Instant.now()));
    }

    static Map<String, String> headers(PaymentRecord request) {
        return PaymentHeaders.event("payment.succeeded", OutcomeRecord.VERSION, request.operationId() + "/2/outcome", Instant.now())
                .toMap();
    }

    static ProducerRecord<byte[], byte[]> record(String topic, PaymentRecord request, String reference) {
        var record = new ProducerRecord<>(topic, request.paymentId().getBytes(StandardCharsets.US_ASCII), value(request, reference));
        headers(request).forEach((name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
        record.headers().add(PaymentHeaders.SOURCE, SOURCE.getBytes(StandardCharsets.UTF_8));
        return record;
    }

    static PaymentRecord request(byte[] value) {
        return PaymentJson.MAPPER.readValue(value, PaymentRecord.class);
    }
}
