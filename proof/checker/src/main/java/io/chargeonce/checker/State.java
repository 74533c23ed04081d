// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import java.util.Locale;

/** Where a payment's charge stands, as its row says. */
enum State {
    ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, SUCCEEDED, FAILED, DECLINED, DEAD, PURGED;

    static State fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }

    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What had succeeded may have failed since, if it gave money back. */
    boolean hasSucceeded() {
        return this == SUCCEEDED || this == FAILED;
    }

    boolean isSettled() {
        return this == SUCCEEDED || this == FAILED || this == DECLINED;
    }

    boolean isAtRest() {
        return isSettled() || this == DEAD || this == PURGED;
    }

    /** A record at the row's step still has work to do. */
    boolean awaitsARecord() {
        return this == ACCEPTED || this == SCHEDULED || this == PARKED;
    }
}
