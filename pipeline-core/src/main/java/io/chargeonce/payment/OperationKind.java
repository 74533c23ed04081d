// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Locale;

/** What an operation does with money. All kinds go through the same states, tiers and dead-letter queue. */
public enum OperationKind {
    CHARGE,
    /** Pays back what a merchant requested, at the PSP that captured it. */
    REFUND,
    /** Pays back a capture that was one too many. */
    REVERSAL,
    /** The payer's bank took the money of a direct debit back. It has happened already, so it is settled at once and has no attempt. */
    RETURN;

    /** As stored and published. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static OperationKind fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
