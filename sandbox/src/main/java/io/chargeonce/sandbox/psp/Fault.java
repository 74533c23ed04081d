// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Duration;

/** What can go wrong with a request on purpose. */
public sealed interface Fault {
    /** Changes what an execution does or says, so the replay of a frozen answer is spared. */
    sealed interface InExecution extends Fault {}

    /** Befalls a request on its way, whether it is executed or replayed. */
    sealed interface OnTheWire extends Fault {}

    /** The PSP says that the same key may be sent again. Only Adyen has such answers. */
    sealed interface Transient extends InExecution {}

    /** Nothing is executed; the answer is 500, and frozen under the key. */
    record FailBefore() implements InExecution {}

    /** Executed; the answer is 500, and frozen under the key. */
    record FailAfter() implements InExecution {}

    /** Nothing is executed and nothing frozen; the answer is 500 with {@code transient-error: true}. */
    record TransientBefore() implements Transient {}

    /** Executed, and the true answer frozen; what comes back is 500 with {@code transient-error: true}. */
    record TransientAfter() implements Transient {}

    /** Executed; the connection is closed without an answer. */
    record AnswerLost() implements OnTheWire {}

    /** Executed; half of the answer's body arrives, then the connection is closed. */
    record Truncated() implements OnTheWire {}

    /** Nothing is executed; the connection is reset. */
    record Reset() implements OnTheWire {}

    /** Nothing is executed; the answer is 429, and not frozen. */
    record RateLimited(int retryAfterSeconds) implements OnTheWire {}

    /**
     * Nothing is executed and nothing frozen; the answer is this 4xx, as another account's key, a missing permission or an API
     * version that is no longer taken gets it. A question meets it as well as a payment, and a replay too.
     */
    record Refused(int status) implements OnTheWire {
        public Refused {
            if (status < 400 || status > 499) {
                throw new IllegalArgumentException("a refusal has a status from 400 to 499, not " + status);
            }
        }
    }

    /** Executed after a pause, in which the key is in use. */
    record SlowBefore(Duration pause) implements OnTheWire {}

    /** Executed at once, answered after a pause. */
    record SlowAfter(Duration pause) implements OnTheWire {}

    /** Executed as it should be; the answer states another amount. */
    record WrongAmount(long amount) implements InExecution {}

    /** The name that rules and the ledger use. */
    default String text() {
        return switch (this) {
            case FailBefore ignored -> "500_before";
            case FailAfter ignored -> "500_after";
            case TransientBefore ignored -> "transient_before";
            case TransientAfter ignored -> "transient_after";
            case AnswerLost ignored -> "answer_lost";
            case Truncated ignored -> "truncated";
            case Reset ignored -> "reset";
            case RateLimited ignored -> "429";
            case Refused ignored -> "refused";
            case SlowBefore ignored -> "slow_before";
            case SlowAfter ignored -> "slow_after";
            case WrongAmount ignored -> "wrong_amount";
        };
    }
}
