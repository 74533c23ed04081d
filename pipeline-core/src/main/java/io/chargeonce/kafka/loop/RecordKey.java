// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What orders records: equal keys go one after another. A record without a key is equal to no other. Immutable. */
sealed interface RecordKey {

    static RecordKey of(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? new None() : new Bytes(record.key());
    }

    /** Compared by identity, so every record without a key is on its own. */
    final class None implements RecordKey {}

    /** Comparable, so that keys chosen to collide in a hash table cost a tree look-up and not a walk over all of them. */
    record Bytes(byte[] bytes) implements RecordKey, Comparable<Bytes> {
        @Override
        public boolean equals(Object other) {
            return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public int compareTo(Bytes that) {
            return Arrays.compare(bytes, that.bytes);
        }
    }
}
