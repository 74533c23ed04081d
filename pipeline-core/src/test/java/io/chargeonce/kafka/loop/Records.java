// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Instant;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Records as a consumer would return them. */
final class Records {
    private Records() {}

    static ConsumerRecord<byte[], byte[]> of(long offset, String key) {
        return of(offset, key, Instant.EPOCH.toEpochMilli());
    }

    static ConsumerRecord<byte[], byte[]> of(long offset, String key, long timestamp) {
        byte[] bytes = key.getBytes();
        return new ConsumerRecord<>("topic", 0, offset, timestamp, TimestampType.LOG_APPEND_TIME, bytes.length, 10,
                bytes, new byte[10], new RecordHeaders(), Optional.empty());
    }
}
