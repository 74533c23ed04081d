// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Locale;

/** What an operation does with money. All kinds go through the same states, tiers and dead-letter queue. */
public enum OperationKind {
    CHARGE,
    /** Gives back what a merchant asked to give back, at the PSP that captured it. */
    REFUND,
    /** Gives back what was captured once too often. */
    REVERSAL;

    /** As stored and published. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static OperationKind fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
