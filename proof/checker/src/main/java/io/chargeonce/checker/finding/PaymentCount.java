// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.finding;

import java.util.Locale;

/** The counts of payments that a verdict prints next to the states, each the size of a set of ids. */
public enum PaymentCount {
    LOST("lost"), DOUBLE_CHARGED("charged twice"), PHANTOM("charged unasked"), WRONG_AMOUNT("wrong amount"),
    OUTCOME_MISSING("outcome missing"), OUTCOME_CONFLICT("outcome conflict"), OVER_REFUNDED("refunded too much"),
    ATTEMPTS_NOT_MONOTONE("attempts out of order"), EARLY_RETRIES("early retries");

    private final String words;

    PaymentCount(String words) {
        this.words = words;
    }

    /** For people. */
    public String words() {
        return words;
    }

    /** In JSON. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
