// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Arrays;
import java.util.Optional;

/** Why an attempt definitely failed. The tag is stored and published, so its meaning never changes. */
public enum FailureCause {
    PSP_HOST_UNKNOWN("psp_host_unknown", FailureClass.NOT_SENT),
    CONNECTION_REFUSED("connection_refused", FailureClass.NOT_SENT),
    CONNECT_TIMED_OUT("connect_timed_out", FailureClass.NOT_SENT),
    TLS_HANDSHAKE_FAILED("tls_handshake_failed", FailureClass.NOT_SENT),
    /** Our process stalled past its lease or the deadline, noticed it, and sent nothing that moves money. */
    TOO_LATE_TO_SEND("too_late_to_send", FailureClass.NOT_SENT),
    BREAKER_OPEN("breaker_open", FailureClass.NOT_SENT),
    /** No running process has settings for the PSP. */
    PSP_ABSENT("psp_absent", FailureClass.NOT_SENT),
    /** A person has paused each PSP that could have got it. */
    PSP_PAUSED("psp_paused", FailureClass.NOT_SENT),
    /** A person has paused its merchant. */
    MERCHANT_PAUSED("merchant_paused", FailureClass.NOT_SENT),
    RATE_LIMITED("rate_limited", FailureClass.RATE_LIMITED),
    CREDENTIAL_REFUSED("credential_refused", FailureClass.CONFIG),
    /** The PSP failed while preparing the payment, a step that moves no money. */
    PSP_UNWELL("psp_unwell", FailureClass.RETRYABLE),
    /** The outcome was unknown until the PSP confirmed that it cancelled the attempt unexecuted. */
    CANCELLED_UNEXECUTED("cancelled_unexecuted", FailureClass.RETRYABLE),
    /** The PSP had taken the refund on, and says that the customer's side refused it. Whatever else it says of that refund is older. */
    REFUND_FAILED("refund_failed", FailureClass.RETRYABLE),
    /** A person found out that it moved no money, and the PSP could not say. */
    SETTLED_NOT_CHARGED("settled_not_charged", FailureClass.FOUND_BY_HAND),
    /** Our code threw, or Postgres refused the row, before an attempt was made. */
    INTERNAL_ERROR("internal_error", FailureClass.RETRYABLE),
    REFUSED_BY_THIS_PSP("refused_by_this_psp", FailureClass.REFUSED_HERE),
    REQUEST_REFUSED("request_refused", FailureClass.POISON);

    private final String tag;
    private final FailureClass failureClass;

    FailureCause(String tag, FailureClass failureClass) {
        this.tag = tag;
        this.failureClass = failureClass;
    }

    /** Empty for any other tag, such as a decline's code. */
    public static Optional<FailureCause> fromTag(String tag) {
        return Arrays.stream(values()).filter(cause -> cause.tag.equals(tag)).findFirst();
    }

    public String tag() {
        return tag;
    }

    /** Whether an outage of the PSP may be the reason. A bug of ours or a person's finding is not. */
    public boolean mayBeAnOutage() {
        return this == PSP_UNWELL || this == CANCELLED_UNEXECUTED;
    }

    public FailureClass failureClass() {
        return failureClass;
    }
}
