// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import java.util.Arrays;

/** Durations in nanoseconds, kept one by one, so that a percentile is exact. Not for several threads at once. */
public final class Latencies {

    private long[] nanos = new long[1 << 12];
    private int size;

    public void add(long duration) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, size * 2);
        }
        nanos[size++] = duration;
    }

    public void addAll(Latencies others) {
        for (int i = 0; i < others.size; i++) {
            add(others.nanos[i]);
        }
    }

    public int size() {
        return size;
    }

    /** The smallest duration that at least so many per cent do not exceed, in milliseconds. */
    public double millisAt(double percent) {
        if (size == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * size);
        return sorted[Math.max(0, rank - 1)] / 1e6;
    }
}
