// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import java.util.Locale;

/** What is known about a dead letter's money, and so what may be done with it. */
public enum MoneyStatus {
    /** No attempt, or only attempts that definitely failed. Another one is safe. */
    RECHARGEABLE,
    /** An attempt took the money. A merge settles it and charges nothing. */
    CHARGED,
    /** An attempt may have taken the money: asked about, never repeated under another key, purged only where that is said. */
    UNRESOLVED,
    /** As safe to charge, but the time that was given to charge it has passed; a merge gives it a new one. */
    PAST_DEADLINE,
    /** As safe to charge, but it was merged too often already and died each time. Only merged when told so by name. */
    NEEDS_A_PERSON,
    /** A record that never became a payment. */
    POISON,
    /** A record that somebody has edited since. A merge sends it again, to be read as if it came for the first time. */
    MENDED;

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static MoneyStatus fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
