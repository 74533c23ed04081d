// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import java.util.List;

/** A consumer of payment requests as a good team would write it: charges each at the PSP, stores and publishes what came of it. */
public interface Contestant {

    String name();

    /** One sentence for the table. */
    String about();

    /** Starts to consume from the beginning; closing what it returns stops it. */
    AutoCloseable start(Arena arena) throws Exception;

    /** In the order of the table. */
    static List<Contestant> all() {
        return List.of(new Chargeonce(), new Composite(), SpringContestant.TYPICAL, SpringContestant.TUNED, SpringContestant.ASYNC,
                ParallelPerRecord.of(64), ParallelPerRecord.of(256), new ParallelBatched());
    }
}
