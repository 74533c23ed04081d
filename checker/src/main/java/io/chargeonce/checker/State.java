// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import java.util.Locale;

/** Where a payment's charge stands, as its row says. */
enum State {
    ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, SUCCEEDED, DECLINED, DEAD, PURGED;

    static State fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }

    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isSettled() {
        return this == SUCCEEDED || this == DECLINED;
    }

    boolean isAtRest() {
        return isSettled() || this == DEAD || this == PURGED;
    }

    /** A record at the row's step still has work to do. */
    boolean awaitsARecord() {
        return this == ACCEPTED || this == SCHEDULED || this == PARKED;
    }
}
