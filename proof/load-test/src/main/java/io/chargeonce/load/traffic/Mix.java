// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * What a load consists of.
 *
 * @param perMille    payments of each outcome among a thousand; the rest is charged
 * @param repeats     of a thousand calls, how many repeat an earlier one under the same key
 * @param otherBodies of a thousand calls, how many take an earlier key for another body
 * @param refunds     of a thousand accepted payments, how many are refunded in part, each requested twice
 * @param cancels     of a thousand accepted payments, how many are canceled at once
 * @param receipts    of a thousand payments, how many have an address for a receipt
 * @param debits      of a thousand payments, how many are direct debits
 * @param stored      of a thousand good payments, how many are by a method of the {@link Wallet}
 */
public record Mix(Map<PlannedOutcome, Integer> perMille, int repeats, int otherBodies, int refunds, int cancels,
        int receipts, int debits, int stored) {

    public Mix {
        perMille = Map.copyOf(perMille);
        if (perMille.values().stream().mapToInt(Integer::intValue).sum() > 1000) {
            throw new IllegalArgumentException("the shares of a mix add up to more than 100 %");
        }
    }

    public static Mix usual() {
        return new Mix(
                Map.of(PlannedOutcome.DECLINED, 80, PlannedOutcome.FAILS_ONCE, 20, PlannedOutcome.FAILS_ALWAYS, 5,
                        PlannedOutcome.UNKNOWN_ONCE, 5, PlannedOutcome.ANSWER_LOST, 5),
                50, 5, 10, 5, 0, 0, 0);
    }

    /** Every payment is charged, and nothing else happens to it. */
    public static Mix good() {
        return new Mix(Map.of(), 0, 0, 0, 0, 0, 0, 0);
    }

    /** Much more goes wrong than on the worst day, so that a small campaign meets everything. */
    public static Mix stormy() {
        return new Mix(
                Map.of(PlannedOutcome.DECLINED, 80, PlannedOutcome.FAILS_ONCE, 50, PlannedOutcome.FAILS_ALWAYS, 10,
                        PlannedOutcome.UNKNOWN_ONCE, 40, PlannedOutcome.ANSWER_LOST, 40),
                80, 20, 60, 40, 0, 0, 0);
    }

    public Mix withReceipts(int ofAThousand) {
        return new Mix(perMille, repeats, otherBodies, refunds, cancels, ofAThousand, debits, stored);
    }

    public Mix withDebits(int ofAThousand) {
        return new Mix(perMille, repeats, otherBodies, refunds, cancels, receipts, ofAThousand, stored);
    }

    public Mix withStored(int ofAThousand) {
        return new Mix(perMille, repeats, otherBodies, refunds, cancels, receipts, debits, ofAThousand);
    }

    /** @param text such as {@code declined=8,fails_once=2,repeats=5}: per cent, decimals allowed; what is not named is 0 */
    public static Mix parse(String text) {
        var outcomes = new EnumMap<PlannedOutcome, Integer>(PlannedOutcome.class);
        int repeats = 0;
        int otherBodies = 0;
        int refunds = 0;
        int cancels = 0;
        int receipts = 0;
        for (String part : text.split(",")) {
            String[] pair = part.strip().split("=", 2);
            if (pair.length != 2 || !pair[1].matches("\\d{1,3}(\\.\\d)?")) {
                throw new IllegalArgumentException("'%s' is no share of a mix: write NAME=PER_CENT".formatted(part));
            }
            int share = (int) Math.round(Double.parseDouble(pair[1]) * 10);
            switch (pair[0]) {
                case "repeats" -> repeats = share;
                case "other_bodies" -> otherBodies = share;
                case "refunds" -> refunds = share;
                case "cancels" -> cancels = share;
                case "receipts" -> receipts = share;
                default -> outcomes.put(outcome(pair[0]), share);
            }
        }
        return new Mix(outcomes, repeats, otherBodies, refunds, cancels, receipts, 0, 0);
    }

    private static PlannedOutcome outcome(String name) {
        try {
            return PlannedOutcome.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    ("'%s' is nothing that a mix knows: declined, fails_once, fails_always, unknown_once, answer_lost, repeats, "
                            + "other_bodies, refunds, cancels, receipts")
                            .formatted(name),
                    e);
        }
    }

    PlannedOutcome draw(RandomGenerator random) {
        int left = random.nextInt(1000);
        for (PlannedOutcome outcome : PlannedOutcome.values()) {
            left -= perMille.getOrDefault(outcome, 0);
            if (left < 0) {
                return outcome;
            }
        }
        return PlannedOutcome.CHARGED;
    }
}
