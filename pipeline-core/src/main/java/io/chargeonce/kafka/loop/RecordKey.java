// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Decides the order of records: those with equal keys run one after another. A record without a key is equal to no other. Immutable. */
sealed interface RecordKey {

    static RecordKey of(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? new None() : new Bytes(record.key());
    }

    /** Compared by identity, so each record without a key stands alone. */
    final class None implements RecordKey {}

    /** Comparable, so that keys chosen to collide in a hash table cost a tree look-up instead of a walk over all of them. */
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
