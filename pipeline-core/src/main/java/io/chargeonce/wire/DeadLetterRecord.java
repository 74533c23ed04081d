// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.time.Instant;
import java.util.Optional;

/**
 * The value on the dead-letter topic: one live dead letter, readable with any Kafka tool. The state itself is in Postgres.
 *
 * @param revision   of two copies of one dead letter the higher one is newer
 * @param generation how often the operation has entered the pipeline: 1, and one more for each merge
 */
public record DeadLetterRecord(
        String type,
        int version,
        String deadLetterId,
        Optional<String> paymentId,
        Optional<String> merchant,
        Optional<Long> amount,
        Optional<String> currency,
        Optional<String> psp,
        String cause,
        String message,
        int generation,
        int revision,
        Instant diedAt,
        Optional<Source> source) {

    public static final String TYPE = "payment.dead-letter";
    public static final int VERSION = 1;

    /**
     * Where poison was found.
     *
     * @param sealed its key, value and headers as they were, sealed (base64 in JSON); dlq show opens them
     */
    public record Source(String topic, int partition, long offset, byte[] sealed) {}
}
