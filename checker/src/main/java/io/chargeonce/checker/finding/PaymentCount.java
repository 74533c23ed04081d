// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.finding;

import java.util.Locale;

/** The counts of payments that a verdict prints next to the states, each the size of a set of ids. */
public enum PaymentCount {
    LOST, DOUBLE_CHARGED, PHANTOM, WRONG_AMOUNT, OUTCOME_MISSING, OUTCOME_CONFLICT, OVER_REFUNDED, ATTEMPTS_NOT_MONOTONE,
    EARLY_RETRIES;

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
