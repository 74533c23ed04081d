// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import java.util.Locale;

/** The states in which a payment waits, so that a fault may find it there: for its tier, for a PSP to be well, for an answer. */
enum Wait {
    PARKED, SCHEDULED, UNRESOLVED;

    /** As in its row. */
    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
