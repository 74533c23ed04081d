// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

/** How an attempt that provably moved no money is followed up. */
public enum FailureClass {
    /** It never left us. Parked without counting an attempt; another PSP may be tried. */
    NOT_SENT,
    /** The PSP refused it before executing it. Parked without counting an attempt. */
    RATE_LIMITED,
    /** Our credential, permission or route is wrong: a person must act. Parked, no attempt counted. */
    CONFIG,
    /**
     * It reached the PSP and was not executed, for passing trouble. The next tier; counted where the PSP was well for others,
     * for then it is the payment's own trouble, and parked without counting where it was not.
     */
    RETRYABLE,
    /** This PSP does not do such payments; another one may. Attempt counted, and never here again. */
    REFUSED_HERE,
    /** The request is wrong in itself: no repetition can help. The dead-letter queue at once. */
    POISON,
    /** A person found that it moved no money. The dead-letter queue: nothing is sent until a person merges it. */
    FOUND_BY_HAND;

    /** Whether it tells about the one send that was answered, and nothing about other sends of the key. */
    public boolean describesOneSend() {
        return switch (this) {
            // An API version, a token or a setting may have changed between two sends: the other one may have been taken.
            case NOT_SENT, RATE_LIMITED, CONFIG, REFUSED_HERE, POISON -> true;
            // It says that the attempt never moves money: a preparing step failed, the PSP has cancelled it, or a person has looked.
            case RETRYABLE, FOUND_BY_HAND -> false;
        };
    }
}
