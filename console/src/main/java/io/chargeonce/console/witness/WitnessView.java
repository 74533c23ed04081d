// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What the witness knows now. Every method answers from memory at once, also while the witness is rebuilding. Any thread. */
public interface WitnessView {

    WitnessProgress progress();

    /** One row per stage and currency, in the order of a payment's way. Empty while nothing is known. */
    List<Stage> stages();

    /** The operations that are overdue, the longest first. */
    List<OverdueOperation> overdue(int most);

    OverdueSum overdueSum();

    /**
     * All hops of a payment, its refunds and its reversals, in the order of their times.
     *
     * @return empty for a payment that the witness has not seen, or has forgotten
     */
    List<Hop> journey(String paymentId);

    /**
     * What happened in a window. A slice in which nothing did has no point.
     *
     * @param from  the beginning of the first slice
     * @param until the beginning of the slice that is not over yet
     */
    record Rates(Instant from, Instant until, Duration slice, List<RatePoint> points) {}

    /** @param window 5 minutes, 1 hour or 24 hours; of others the next longer one of these */
    Rates rates(RateBy by, Duration window);

    List<Latency> latencies();
}
