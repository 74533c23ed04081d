// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import java.util.Arrays;
import java.util.Locale;

/** What a comparison says about one attempt, or about one line. */
public enum Finding {
    /** Booked there as it succeeded here. */
    AGREES(false, ""),
    /** Succeeded here, and young: the report need not have it. */
    NOT_YET(false, "too young to be in the report"),
    /** Unknown here, and not booked there. A missing line proves nothing. */
    UNDECIDED(false, "unknown here, and booked in no report"),
    /** Succeeded here, and booked nowhere. */
    MISSING(true, "succeeded here, and booked in no report"),
    /** More was booked than it moved here. */
    OVER(true, "more was booked"),
    /** Less was booked, or it was taken back. */
    UNDER(true, "less was booked, or it was taken back"),
    /** Booked in another currency. */
    CURRENCY(true, "booked in another currency"),
    /** Booked more than once. */
    DUPLICATE(true, "booked more than once"),
    /** A line about no attempt of ours at this PSP, or about one that moves money the other way. */
    STRANGE(true, "booked, but no attempt here moved money so"),
    /** Unknown here, and booked there: charge finds out, and settles it. */
    RESOLVES(true, "unknown here, and booked: charge looks at it"),
    /** Definitely failed here, and booked there; or unknown here, and booked in parts. */
    CONTRADICTS(true, "failed here, and booked: charge looks at it"),
    /** Another line is recorded under the id of this one. */
    ALTERED(true, "another line was recorded under this id before"),
    /** A recorded line without a right mark, although there is a key: it did not come from a reconciliation with the key. */
    UNPROVEN(true, "recorded without a right mark of the settlement key"),
    /** A line of the report that cannot be read. */
    UNREADABLE(true, "cannot be read");

    private final boolean difference;
    private final String words;

    Finding(boolean difference, String words) {
        this.difference = difference;
        this.words = words;
    }

    public boolean isDifference() {
        return difference;
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String words() {
        return words;
    }

    static Finding fromTag(String tag) {
        return Arrays.stream(values()).filter(one -> one.tag().equals(tag)).findFirst()
                .orElseThrow(() -> new IllegalStateException("Bug! No comparison finds this: " + tag));
    }
}
