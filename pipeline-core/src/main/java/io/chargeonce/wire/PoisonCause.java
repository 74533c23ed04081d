// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.util.Locale;

/** Why a record can never become a payment. The tag is stored and published. */
public enum PoisonCause {
    EMPTY,
    OVERSIZED,
    UNDECODABLE,
    /** Well-formed, but its type belongs on another topic. */
    WRONG_TOPIC,
    WRONG_VERSION,
    /** The record's key is not the id of the operation in its value. */
    KEY_MISMATCH,
    /** No such payment was ever accepted. */
    UNKNOWN_PAYMENT,
    /** It was accepted, by the looks of its id, and the database does not know it: a restore or a failover lost it, or its rows expired. */
    FORGOTTEN_PAYMENT,
    /** It has another amount, card or merchant than the accepted payment. */
    DIFFERS_FROM_PAYMENT,
    /** Handling it failed because of the record or a bug, not because of an outage. */
    UNPROCESSABLE;

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a person can edit such a record so that it says what was accepted. */
    public boolean canBeEdited() {
        return switch (this) {
            case UNDECODABLE, WRONG_TOPIC, WRONG_VERSION, KEY_MISMATCH, DIFFERS_FROM_PAYMENT, UNPROCESSABLE -> true;
            case EMPTY, OVERSIZED, UNKNOWN_PAYMENT, FORGOTTEN_PAYMENT -> false;
        };
    }
}
