// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.util.List;

/** What became of sending one payment or refund. */
public sealed interface Sent {

    /** How often it was sent, the first time included. */
    int sends();

    /**
     * Durably accepted: it is charged once, or given back once, unless it is canceled or a person ends it first.
     *
     * @param paymentId the refund's id for a refund, the method's for a payment method
     * @param status    {@code accepted} when it is new. For a repeat, how it stands now, such as {@code succeeded}, {@code declined},
     *                  {@code needs_attention}, or {@code purged}: a person has ended it, and it will not be charged
     * @param replay    whether an earlier sending had been accepted already
     */
    record Accepted(String paymentId, String status, boolean replay, int sends) implements Sent {}

    /**
     * Refused for good, and no sending of it was accepted: sending the same again changes nothing.
     *
     * @param type   the problem's, such as {@code urn:chargeonce:problem:invalid-request}
     * @param detail what to do next, for people
     * @param errors each field, header or parameter that is wrong; none where something else is wrong. Refunds and the payments of a
     *               batch have them too
     */
    record Refused(int httpStatus, String type, String detail, List<FieldError> errors, int sends) implements Sent {

        public Refused {
            errors = List.copyOf(errors);
        }

        /** Without a field that is wrong. */
        public Refused(int httpStatus, String type, String detail, int sends) {
            this(httpStatus, type, detail, List.of(), sends);
        }
    }

    /**
     * @param field  its name as it is sent, such as {@code amount}; in a batch {@code idempotency_key} is the payment's key
     * @param detail what must be changed, for people
     */
    record FieldError(String field, String detail) {}

    /**
     * It is not known whether it was accepted. Either no answer came, however often it was sent; or one sending got no answer, and the
     * answer to the next, such as 401 or 404, says nothing about the first. Send it again later with the same key, never with another
     * one.
     *
     * @param lastSeen what stood in the way, for people
     */
    record Unknown(String lastSeen, int sends) implements Sent {}
}
