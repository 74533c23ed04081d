// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

/** What follows an attempt that provably moved no money. */
public enum FailureClass {
    /** It never left us. Parked without counting an attempt; another PSP may be tried. */
    NOT_SENT,
    /** The PSP refused it before executing it. Parked without counting an attempt. */
    RATE_LIMITED,
    /** Our credential, permission or route is wrong: a person must act. Parked, no attempt counted. */
    CONFIG,
    /**
     * It reached the PSP and was not executed, for a temporary reason. If the PSP was well for others, it is the payment's own failure: the
     * next tier, and the attempt counts. If not, it is parked without counting.
     */
    RETRYABLE,
    /** This PSP refuses such payments; another one may take them. The attempt counts, and none goes here again. */
    REFUSED_HERE,
    /** The request itself is wrong, and no repetition can help. To the dead-letter queue at once. */
    POISON,
    /** A person found that it moved no money. To the dead-letter queue: nothing is sent until a person merges it. */
    FOUND_BY_HAND;

    /** Whether it describes only the send that was answered, not other sends of the key. */
    public boolean describesOneSend() {
        return switch (this) {
            // An API version, a token or a setting may have changed between two sends, and the other send may have been accepted.
            case NOT_SENT, RATE_LIMITED, CONFIG, REFUSED_HERE, POISON -> true;
            // The attempt never moves money: a preparing step failed, the PSP has cancelled it, or a person has checked.
            case RETRYABLE, FOUND_BY_HAND -> false;
        };
    }
}
