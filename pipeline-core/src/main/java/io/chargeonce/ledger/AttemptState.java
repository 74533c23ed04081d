// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import java.util.Locale;

/** What is known about one attempt. Knowledge only grows: in flight, unknown, definitely failed, succeeded. */
public enum AttemptState {
    IN_FLIGHT,
    UNKNOWN,
    FAILED_DEFINITE,
    SUCCEEDED;

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static AttemptState fromTag(String tag) {
        return valueOf(tag.toUpperCase(Locale.ROOT));
    }
}
