// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import java.util.function.DoubleToIntFunction;

/**
 * Runs a contestant until it gets no faster. For minutes after its start the JVM compiles what runs, which takes up to half a
 * core: a contestant that was measured by then would be measured by how much code it has.
 */
public final class WarmUp {

    /** One slow run may be chance. */
    private static final int ENOUGH = 2;
    private static final int MOST = 12;
    private static final double FASTER = 1.02;

    /** Returns how many payments a second it did. */
    public interface Run {
        double of(int count) throws Exception;
    }

    private WarmUp() {}

    /**
     * @param firstTry so many payments, to learn how many a second it does
     * @param countFor how many make a run at a rate
     * @return payments a second of the fastest run
     */
    public static double until(int firstTry, DoubleToIntFunction countFor, Run run) throws Exception {
        // A short try may be over in one batch and says little: a first guess, and no mark to beat.
        double fastest = run.of(countFor.applyAsInt(run.of(firstTry)));
        int noFaster = 0;
        for (int i = 2; noFaster < ENOUGH && i <= MOST; i++) {
            double rate = run.of(countFor.applyAsInt(fastest));
            noFaster = rate > FASTER * fastest ? 0 : noFaster + 1;
            fastest = Math.max(fastest, rate);
        }
        return fastest;
    }
}
