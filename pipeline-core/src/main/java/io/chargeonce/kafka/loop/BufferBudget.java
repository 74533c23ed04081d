// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How much the loops that share it hold in memory together, however many partitions they have. Each partition has an equal share, so a
 * partition whose records wait for hours takes no room from one whose records are due. The shares change with the number of partitions. Any
 * thread.
 */
public final class BufferBudget {

    private static final long MEBIBYTE = 1 << 20;

    private final long bytes;
    private final AtomicInteger partitions = new AtomicInteger();

    private BufferBudget(long bytes) {
        this.bytes = bytes;
    }

    /** Keys and values count; the objects around them take about as much again. */
    public static BufferBudget ofBytes(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("A buffer of " + bytes + " bytes holds nothing");
        }
        return new BufferBudget(bytes);
    }

    public static BufferBudget ofMebibytes(int mebibytes) {
        return ofBytes(mebibytes * MEBIBYTE);
    }

    void joined() {
        partitions.incrementAndGet();
    }

    void left() {
        partitions.decrementAndGet();
    }

    /** The bytes of one partition, at least 1. A partition that holds nothing can always fetch. */
    long share() {
        return Math.max(1, bytes / Math.max(1, partitions.get()));
    }
}
