// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.ConsumerSettings;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * How one {@link RecordLoop} works.
 *
 * @param name           names its threads, meters and log lines
 * @param topics         at least one
 * @param maxInFlight    records in the handler at once, at least 1
 * @param buffer         how much of each partition is held before the partition is paused
 * @param revocationWait how long a rebalance waits for the records in flight; less than half of {@link ConsumerSettings#MAX_POLL_INTERVAL},
 * or the group would drop the member meanwhile
 * @param closeWait      how long closing waits for the records in flight
 * @param commitInterval how often changed offsets are committed
 * @param mostPerSecond  how many records may start per second; due records beyond that wait
 * @param stuckAfter     a record that has been in the handler for longer is handed to it a second time; above zero
 * @param held           while true, a person keeps the loop from starting records: they wait in its buffer and in Kafka. Asked often, by
 * any thread
 * @param budget         what all partitions of this loop, and of those that share it, hold together
 */
public record LoopSettings(String name, Set<String> topics, int maxInFlight, BufferLimit buffer,
        Duration revocationWait, Duration closeWait, Duration commitInterval, int mostPerSecond, Duration stuckAfter,
        BooleanSupplier held, BufferBudget budget) {
    /** A loop that is alone in its process. */
    private static final int USUAL_MEBIBYTES = 64;
    private static final BufferLimit USUAL_BUFFER = new BufferLimit(1_000, 4 << 20, 100_000);

    public LoopSettings {
        topics = Set.copyOf(topics);
        if (topics.isEmpty()) {
            throw new IllegalArgumentException("Loop " + name + " needs a topic");
        }
        if (maxInFlight < 1) {
            throw new IllegalArgumentException("Loop " + name + " can't work with " + maxInFlight + " records in flight: at least 1");
        }
        if (revocationWait.isNegative() || revocationWait.compareTo(ConsumerSettings.MAX_POLL_INTERVAL.dividedBy(2)) >= 0) {
            throw new IllegalArgumentException("Loop " + name + " can't wait " + revocationWait + " in a rebalance: 0 to less than half of "
                    + ConsumerSettings.MAX_POLL_INTERVAL);
        }
        if (closeWait.isNegative() || !commitInterval.isPositive()) {
            throw new IllegalArgumentException("Loop " + name + " needs a closeWait that is not negative and a commitInterval above zero");
        }
        if (mostPerSecond < 1 || !stuckAfter.isPositive()) {
            throw new IllegalArgumentException("Loop " + name + " needs at least 1 record a second and a stuckAfter above zero");
        }
    }

    /**
     * The usual settings: 1,000 records or 4 MiB buffered per partition, 64 MiB in all, 5 s for records in flight, a commit every 200 ms,
     * no limit on records per second, stuck after a minute.
     */
    public static LoopSettings of(String name, Set<String> topics, int maxInFlight) {
        return new LoopSettings(name, topics, maxInFlight, USUAL_BUFFER,
                Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofMillis(200), Integer.MAX_VALUE, Duration.ofMinutes(1),
                () -> false, BufferBudget.ofMebibytes(USUAL_MEBIBYTES));
    }

    public LoopSettings withBuffer(BufferLimit limit) {
        return new LoopSettings(name, topics, maxInFlight, limit, revocationWait, closeWait, commitInterval, mostPerSecond, stuckAfter,
                held, budget);
    }

    /** How long to wait for records in flight: in a rebalance, and when closing. */
    public LoopSettings withWaits(Duration inRebalance, Duration atClose) {
        return new LoopSettings(name, topics, maxInFlight, buffer, inRebalance, atClose, commitInterval, mostPerSecond, stuckAfter, held,
                budget);
    }

    public LoopSettings withMostPerSecond(int records) {
        return new LoopSettings(name, topics, maxInFlight, buffer, revocationWait, closeWait, commitInterval, records, stuckAfter, held,
                budget);
    }

    public LoopSettings withStuckAfter(Duration time) {
        return new LoopSettings(name, topics, maxInFlight, buffer, revocationWait, closeWait, commitInterval, mostPerSecond, time, held,
                budget);
    }

    /** Nothing starts while this is true. */
    public LoopSettings withHold(BooleanSupplier whileTrue) {
        return new LoopSettings(name, topics, maxInFlight, buffer, revocationWait, closeWait, commitInterval, mostPerSecond, stuckAfter,
                whileTrue, budget);
    }

    /** Shares this budget with other loops of the process. */
    public LoopSettings withBudget(BufferBudget shared) {
        return new LoopSettings(name, topics, maxInFlight, buffer, revocationWait, closeWait, commitInterval, mostPerSecond, stuckAfter,
                held, shared);
    }
}
