// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.merge;

/**
 * What became of payments that a run sent back through the pipeline.
 *
 * @param entered     how many it sent
 * @param failedAgain are dead again
 * @param unresolved  are listed again, because it is not known whether their money moved
 */
public record Outcomes(long entered, long succeeded, long declined, long failedAgain, long unresolved) {

    public static final Outcomes NONE = new Outcomes(0, 0, 0, 0, 0);

    /**
     * Counts one group of what a run sent.
     *
     * @param outcome null while they are on their way, as a GROUP BY returns it
     */
    static Outcomes ofRow(String outcome, long count) {
        return switch (outcome == null ? "" : outcome) {
            case "" -> new Outcomes(count, 0, 0, 0, 0);
            case "succeeded" -> new Outcomes(count, count, 0, 0, 0);
            case "declined" -> new Outcomes(count, 0, count, 0, 0);
            case "failed_again" -> new Outcomes(count, 0, 0, count, 0);
            case "unresolved" -> new Outcomes(count, 0, 0, 0, count);
            default -> throw new IllegalStateException("Bug! No outcome of a merge: " + outcome);
        };
    }

    Outcomes plus(Outcomes more) {
        return new Outcomes(entered + more.entered, succeeded + more.succeeded, declined + more.declined,
                failedAgain + more.failedAgain, unresolved + more.unresolved);
    }

    Outcomes minus(Outcomes less) {
        return new Outcomes(entered - less.entered, succeeded - less.succeeded, declined - less.declined,
                failedAgain - less.failedAgain, unresolved - less.unresolved);
    }

    /** Those that a judgement can be built on. */
    long judged() {
        return succeeded + declined + failedAgain + unresolved;
    }

    /** Still on their way. */
    public long open() {
        return entered - judged();
    }

    long bad() {
        return failedAgain + unresolved;
    }

    boolean isWorseThan(int percent, long of) {
        return bad() * 100 > percent * of;
    }
}
