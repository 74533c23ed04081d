// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Duration;

/** A fault that a rule injects into a request. */
public sealed interface Fault {
    /** Changes what an execution does or says. The replay of a frozen answer does not meet it. */
    sealed interface InExecution extends Fault {}

    /** Happens to a request or an answer on its way. Executions and replays meet it. */
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
     * Nothing is executed and nothing frozen; the answer is this 4xx, as for another account's key, a missing permission or an old
     * API version. Status queries, payments and replays meet it.
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
