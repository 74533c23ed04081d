// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Arrays;
import java.util.Optional;

/** Why it is not known yet whether an attempt moved money. The tag is stored and published. */
public enum UnknownCause {
    GATEWAY_TIMED_OUT("gateway_timed_out"),
    CONNECTION_LOST("connection_lost"),
    PSP_ERROR("psp_error"),
    ANSWER_UNREADABLE("answer_unreadable"),
    STILL_PROCESSING("still_processing"),
    KEY_IN_USE("key_in_use"),
    /** A bank has not answered a file by its deadline. Nothing is sent again by itself. */
    NO_ANSWER_IN_TIME("no_answer_in_time"),
    /** The PSP knows the key with another request: we sent something that we did not store. An alarm. */
    KEY_MISMATCH("key_mismatch"),
    /** The answer has another amount, currency or payment than the request. An alarm. */
    ANSWER_MISMATCH("answer_mismatch"),
    /** The PSP knows no such attempt, which alone proves nothing: the attempt may not have arrived yet. */
    NOT_FOUND("not_found"),
    /** The answered send did nothing, but the key was or may have been sent before. */
    ANOTHER_SEND("another_send"),
    /** The PSP could only be asked by sending the attempt again: it may have forgotten the key, or the payment was purged or canceled. */
    CANNOT_BE_ASKED("cannot_be_asked"),
    /** The PSP's success is older than its message that the refund failed. */
    OVERTAKEN("overtaken"),
    /** The process that held the lease ended or stalled before it recorded an answer. */
    LEASE_RAN_OUT("lease_ran_out"),
    /** Our code threw while calling the PSP or reading its answer. */
    INTERNAL_ERROR("internal_error");

    private final String tag;

    UnknownCause(String tag) {
        this.tag = tag;
    }

    /** Empty for any other tag. */
    public static Optional<UnknownCause> fromTag(String tag) {
        return Arrays.stream(values()).filter(cause -> cause.tag.equals(tag)).findFirst();
    }

    public String tag() {
        return tag;
    }
}
