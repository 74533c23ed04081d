// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import java.util.Locale;

/** What is known about a dead letter's money. It decides what may be done with the dead letter. */
public enum MoneyStatus {
    /** No attempt, or only attempts that definitely failed. Another one is safe. */
    RECHARGEABLE,
    /** An attempt took the money. After a merge the resolver settles it, and nothing is charged. */
    CHARGED,
    /** An attempt may have taken the money. The PSP is asked; it is never repeated under another key, and purged only on request. */
    UNRESOLVED,
    /** Safe to charge, but its deadline has passed. A merge gives it a new one. */
    PAST_DEADLINE,
    /** Safe to charge, but it was merged too often and died each time. A merge takes it only when a person names it. */
    NEEDS_A_PERSON,
    /** Safe to charge, but a person stopped it on purpose. A merge takes it only by its id or by its cause. */
    STOPPED,
    /** A record that never became a payment. */
    POISON,
    /** A record that a person has edited since. A merge sends it again, and it is read like a new record. */
    MENDED,
    /** Another system's record. A merge sends it back to the topic that its headers name. */
    FOREIGN,
    /** Another system's record, whose headers name no topic that it could go back to. */
    NO_TARGET;

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static MoneyStatus fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
