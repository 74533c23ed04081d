// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.util.List;

/** What became of sending one payment or refund. */
public sealed interface Sent {

    /** How often it was sent, the first time included. */
    int sends();

    /**
     * Durably accepted: it will be charged once, or given back once.
     *
     * @param paymentId the refund's id for a refund
     * @param status as the server knew it, such as {@code accepted}
     * @param replay whether an earlier sending had been accepted already
     */
    record Accepted(String paymentId, String status, boolean replay, int sends) implements Sent {}

    /**
     * Refused for good, and by no sending accepted: sending the same again changes nothing.
     *
     * @param type   the problem's, such as {@code urn:chargeonce:problem:invalid-request}
     * @param errors each field that is wrong, where the body's fields are what is wrong; none otherwise
     */
    record Refused(int httpStatus, String type, String detail, List<FieldError> errors, int sends) implements Sent {

        public Refused {
            errors = List.copyOf(errors);
        }

        /** Of no field. */
        public Refused(int httpStatus, String type, String detail, int sends) {
            this(httpStatus, type, detail, List.of(), sends);
        }
    }

    /** @param field a field's name as it is sent, such as {@code amount} */
    record FieldError(String field, String detail) {}

    /**
     * Not known: it may have been accepted. Either no answer came, however often it was sent; or a sending stayed without an
     * answer, and what answered the next one, such as 401 or 404, says nothing of the first. Send it again later with the same key,
     * never with another one.
     *
     * @param lastSeen what stood in the way, for people
     */
    record Unknown(String lastSeen, int sends) implements Sent {}
}
