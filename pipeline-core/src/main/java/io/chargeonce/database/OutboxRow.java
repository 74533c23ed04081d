// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.util.Map;
import java.util.Optional;

/**
 * A record to publish once its transaction has committed.
 *
 * @param value empty for a tombstone
 */
public record OutboxRow(String topic, String key, Optional<byte[]> value, Map<String, String> headers) {

    /** How many relays can share the work. A row's shard follows from its key, which keeps the key's rows in order. */
    static final int SHARDS = 8;

    int shard() {
        return shardOf(key);
    }

    static int shardOf(String key) {
        return Math.floorMod(key.hashCode(), SHARDS);
    }
}
