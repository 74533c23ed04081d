// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLongArray;

/** How durations spread, in classes that are 18 % apart, from a millisecond to weeks. One thread writes, any may read. */
final class Spread {

    private static final int CLASSES = 128;
    private static final double APART = Math.log(1.18);

    private final AtomicLongArray counts = new AtomicLongArray(CLASSES);

    static Spread empty() {
        return new Spread();
    }

    static Spread of(byte[] bytes) {
        var spread = new Spread();
        var in = ByteBuffer.wrap(bytes);
        while (in.hasRemaining()) {
            spread.counts.set(in.get(), in.getLong());
        }
        return spread;
    }

    byte[] toBytes() {
        var out = ByteBuffer.allocate(CLASSES * (1 + Long.BYTES));
        for (int i = 0; i < CLASSES; i++) {
            if (counts.get(i) > 0) {
                out.put((byte) i).putLong(counts.get(i));
            }
        }
        var bytes = new byte[out.position()];
        out.flip().get(bytes);
        return bytes;
    }

    void add(long millis) {
        counts.incrementAndGet((int) Math.min(CLASSES - 1, Math.log(millis + 1.0) / APART));
    }

    void addAll(Spread other) {
        for (int i = 0; i < CLASSES; i++) {
            counts.addAndGet(i, other.counts.get(i));
        }
    }

    long count() {
        long sum = 0;
        for (int i = 0; i < CLASSES; i++) {
            sum += counts.get(i);
        }
        return sum;
    }

    /** @return in milliseconds, at most 9 % off */
    double quantile(double part) {
        double left = part * count();
        for (int i = 0; i < CLASSES; i++) {
            left -= counts.get(i);
            if (left <= 0 && counts.get(i) > 0) {
                return Math.max(0, Math.exp((i + 0.5) * APART) - 1);
            }
        }
        return 0;
    }
}
