// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Lets one record per key run at a time, in the order in which they were added. Guarded by its partition's lock.
 *
 * <p>The queue of a key is a chain through {@link HeldRecord#follower}; only its last record is kept here.
 */
final class KeyQueues {
    private final Map<RecordKey, HeldRecord> last = new HashMap<>();

    /** True if the record may run at once, false if another of its key comes first. */
    boolean add(HeldRecord held) {
        Optional<HeldRecord> before = Optional.ofNullable(last.put(held.key, held));
        before.ifPresent(predecessor -> predecessor.follower = Optional.of(held));
        return before.isEmpty();
    }

    /** The record that may run now that this one is complete. */
    Optional<HeldRecord> next(HeldRecord complete) {
        if (complete.follower.isEmpty()) {
            last.remove(complete.key);
        }
        return complete.follower;
    }

    void clear() {
        last.clear();
    }
}
