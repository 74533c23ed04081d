// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.Sum;

/**
 * What became of payments that a run sent back through the pipeline, or about which it had the PSP asked.
 *
 * @param entered     how many it sent, or had the PSP asked about
 * @param failedAgain are dead again; what was asked about was not charged and can be merged
 * @param unresolved  are listed again, because it is not known whether their money moved
 */
public record Outcomes(Sum entered, Sum succeeded, Sum declined, Sum failedAgain, Sum unresolved) {

    public static final Outcomes NONE = new Outcomes(Sum.NOTHING, Sum.NOTHING, Sum.NOTHING, Sum.NOTHING, Sum.NOTHING);

    /**
     * Counts one group of what a run sent.
     *
     * @param outcome null while they are on their way, as a GROUP BY returns it
     */
    static Outcomes ofRow(String outcome, Sum sum) {
        return switch (outcome == null ? "" : outcome) {
            case "" -> new Outcomes(sum, Sum.NOTHING, Sum.NOTHING, Sum.NOTHING, Sum.NOTHING);
            case "succeeded" -> new Outcomes(sum, sum, Sum.NOTHING, Sum.NOTHING, Sum.NOTHING);
            case "declined" -> new Outcomes(sum, Sum.NOTHING, sum, Sum.NOTHING, Sum.NOTHING);
            case "failed_again" -> new Outcomes(sum, Sum.NOTHING, Sum.NOTHING, sum, Sum.NOTHING);
            case "unresolved" -> new Outcomes(sum, Sum.NOTHING, Sum.NOTHING, Sum.NOTHING, sum);
            default -> throw new IllegalStateException("Bug! No outcome of a merge: " + outcome);
        };
    }

    Outcomes plus(Outcomes more) {
        return new Outcomes(entered.plus(more.entered), succeeded.plus(more.succeeded), declined.plus(more.declined),
                failedAgain.plus(more.failedAgain), unresolved.plus(more.unresolved));
    }

    Outcomes minus(Outcomes less) {
        return new Outcomes(entered.minus(less.entered), succeeded.minus(less.succeeded), declined.minus(less.declined),
                failedAgain.minus(less.failedAgain), unresolved.minus(less.unresolved));
    }

    /** Those that a judgement can be built on. */
    long judged() {
        return entered.count() - open().count();
    }

    /** Still on their way. */
    public Sum open() {
        return entered.minus(succeeded).minus(declined).minus(failedAgain).minus(unresolved);
    }

    public long bad() {
        return failures().count();
    }

    /** Those that count against a run. */
    Sum failures() {
        return failedAgain.plus(unresolved);
    }

    boolean isWorseThan(int percent, long of) {
        return bad() * 100 > percent * of;
    }

    /** Too many have failed again, whatever becomes of those that are still on their way. */
    boolean areWorseThan(int percent) {
        return isWorseThan(percent, entered.count());
    }

    /** @param all of how many, in words */
    String verdict(String all) {
        return "%,d of %s failed again%s".formatted(bad(), all, unresolved.count() == 0 ? "" : " or are unresolved");
    }
}
