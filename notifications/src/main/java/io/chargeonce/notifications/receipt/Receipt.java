// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import java.time.Instant;
import java.util.Optional;

/**
 * A claimed receipt: one try of one message.
 *
 * @param id      the same for each try
 * @param attempt this try's number, from 1
 * @param fence   of this claim; a later claim and a resending raise it
 */
record Receipt(String id, int attempt, long fence) {

    enum Kind {
        CHARGE, REFUND, REFUND_FAILED
    }

    /**
     * What it says and where it goes. It is read just before the message is sent and kept nowhere.
     *
     * @param amount      in minor units of ISO 4217
     * @param reference   the merchant's order number or similar
     * @param merchant    its name for customers
     * @param replyTo     the merchant's own address for answers
     * @param locale      the merchant's own language, as a tag
     */
    record Content(String recipient, Kind kind, String payment, long amount, String currency, Optional<String> reference,
            Optional<String> description, Instant at, String merchant, Optional<String> replyTo, Optional<String> locale) {

        /** Leaves out what is personal. */
        @Override
        public String toString() {
            return "%s of %s".formatted(kind, payment);
        }
    }
}
