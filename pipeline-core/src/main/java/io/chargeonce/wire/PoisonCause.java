// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.util.Locale;

/** Why a record can never become a payment. The tag is stored and published. */
public enum PoisonCause {
    EMPTY,
    OVERSIZED,
    UNDECODABLE,
    /** Well-formed, but of a kind that belongs on another topic. */
    WRONG_TOPIC,
    WRONG_VERSION,
    /** The record's key is not the payment it speaks of. */
    KEY_MISMATCH,
    /** No such payment was ever accepted. */
    UNKNOWN_PAYMENT,
    /** It names another amount, card or merchant than the accepted payment. */
    DIFFERS_FROM_PAYMENT,
    /** Handling it failed for a reason that lies in the record or in a bug, and not in a passing outage. */
    UNPROCESSABLE;

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
