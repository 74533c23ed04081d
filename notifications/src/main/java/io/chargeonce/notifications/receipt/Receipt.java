// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.notifications.Claimed;
import java.time.Instant;
import java.util.Optional;

/** A claimed receipt: one try of one mail. */
record Receipt(String id, int attempt, long fence) implements Claimed {

    @Override
    public String named() {
        return "Receipt " + id;
    }

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
