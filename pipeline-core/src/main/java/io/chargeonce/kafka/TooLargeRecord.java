// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import java.util.Locale;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * Stands for the records of one batch that do not fit into memory when they are unpacked. It has no key, value or headers: nothing of them
 * was unpacked. Its offset is the last one of the batch.
 */
public final class TooLargeRecord extends ConsumerRecord<byte[], byte[]> {
    private final long first;
    private final int inKafka;
    private final long unpacked;

    /**
     * @param first    the batch's first offset that was not read before
     * @param inKafka  the batch's bytes in Kafka
     * @param unpacked how many bytes it has at least when it is unpacked
     */
    public TooLargeRecord(String topic, int partition, long first, long last, long timestamp, int inKafka, long unpacked) {
        super(topic, partition, last, timestamp, TimestampType.CREATE_TIME, NULL_SIZE, NULL_SIZE, null, null, new RecordHeaders(),
                Optional.empty());
        this.first = first;
        this.inKafka = inKafka;
        this.unpacked = unpacked;
    }

    /** For people: where it is, and how large. */
    public String told() {
        return String.format(Locale.ROOT, "%s of %s-%d: %,d bytes in Kafka, at least %,d unpacked. Nothing of it was read or kept",
                first == offset() ? "offset " + first : "offsets " + first + " to " + offset(), topic(), partition(), inKafka, unpacked);
    }
}
