package io.chargeonce.bench.charge;

import java.util.function.DoubleToIntFunction;

/**
 * Runs a contestant until it gets no faster. For minutes after its start the JVM compiles what runs, which takes up to half a
 * core: a contestant that was measured by then would be measured by how much code it has.
 */
final class WarmUp {

    private static final int FEWEST = 3;
    private static final int MOST = 8;
    private static final double FASTER = 1.04;

    /** Returns how many payments a second it did. */
    interface Run {
        double of(int count) throws Exception;
    }

    private WarmUp() {}

    /**
     * @param firstTry so many payments, to learn how many a second it does
     * @param countFor how many make a run at a rate
     * @return payments a second of the fastest run
     */
    static double until(int firstTry, DoubleToIntFunction countFor, Run run) throws Exception {
        double fastest = run.of(firstTry);
        boolean faster = true;
        for (int i = 1; i <= FEWEST || faster && i <= MOST; i++) {
            double rate = run.of(countFor.applyAsInt(fastest));
            faster = rate > FASTER * fastest;
            fastest = Math.max(fastest, rate);
        }
        return fastest;
    }
}
