// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * The value on the topic of overdue operations.
 *
 * @param status    {@code overdue}, or {@code over} once it is not overdue any more
 * @param lastStage where it was last seen
 * @param dueBy     when the next sign of it was due
 */
record OverdueEvent(String type, int version, String status, String paymentId, String operationId, String operation, int step,
        String merchant, long amount, String currency, Instant acceptedAt, String lastStage, Instant lastSeenAt, Instant dueBy) {

    static final String TYPE = "payment.overdue";
    static final String OVERDUE = "overdue";
    static final String OVER = "over";
    static final int VERSION = 1;

    byte[] toBytes() {
        return PaymentJson.write(this);
    }

    /**
     * The same wait has the same id in the events of every witness.
     *
     * @param source of this installation's events
     */
    Headers headers(String source, Instant at) {
        var headers = new RecordHeaders();
        PaymentHeaders.event(TYPE, VERSION, "%s/%d/%s/%d".formatted(operationId, step, status, dueBy.toEpochMilli()), at).from(source)
                .toMap()
                .forEach((name, value) -> headers.add(name, value.getBytes(StandardCharsets.UTF_8)));
        return headers;
    }
}
