// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A fixed number of locks shared by all ids, so that two requests for one payment never run at once. Any thread. */
public final class LockStripes {
    private final ReentrantLock[] locks = Stream.generate(ReentrantLock::new).limit(256).toArray(ReentrantLock[]::new);

    public <T> T locked(String id, Supplier<T> action) {
        ReentrantLock lock = locks[Math.floorMod(id.hashCode(), locks.length)];
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
