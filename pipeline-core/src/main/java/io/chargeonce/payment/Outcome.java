// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.time.Duration;
import java.util.Optional;

/**
 * The outcome of one attempt, as far as the PSP reported it. Expected answers are values; only surprises are exceptions. A PSP's texts are
 * stored, published and logged, so card numbers in them are masked. Its references stay as they are.
 */
public sealed interface Outcome {

    /** The PSP took the money. */
    record Charged(String pspReference) implements Outcome {}

    /** The PSP or the card's issuer declined, which is an answer and not a failure. */
    record Declined(String code, String message, Optional<String> pspReference, DeclineAdvice advice) implements Outcome {

        public Declined {
            code = CardNumbers.hiddenIn(code);
            message = CardNumbers.hiddenIn(message);
        }

        public Declined(String code, String message, Optional<String> pspReference) {
            this(code, message, pspReference, DeclineAdvice.NONE);
        }

        /** To be stored without the advice: of the same kind. */
        public String codeAsAdvised() {
            return Declines.codeAsAdvised(code, advice);
        }

        public DeclineKind kind() {
            return Declines.kind(code, advice);
        }

        /** The least setting of a merchant under which it goes to another PSP. */
        public DeclineFailover failover() {
            return Declines.failover(code, advice);
        }
    }

    /**
     * It provably moved no money and, under this attempt, never will.
     *
     * @param retryAfter how long the PSP asks us to wait, if it does
     */
    record Failed(FailureCause cause, String detail, Optional<Duration> retryAfter) implements Outcome {

        public Failed {
            detail = CardNumbers.hiddenIn(detail);
        }

        public Failed(FailureCause cause, String detail) {
            this(cause, detail, Optional.empty());
        }
    }

    /**
     * It may have moved money. It is never repeated under another key and never fails over; the PSP is asked until the outcome is known.
     *
     * @param answersWithin for a PSP that answers in its own time, such as a bank: until then it is not asked, and the wait is no trouble
     */
    record Unknown(UnknownCause cause, String detail, Optional<String> pspReference, Optional<Duration> answersWithin) implements Outcome {

        public Unknown {
            detail = CardNumbers.hiddenIn(detail);
        }

        public Unknown(UnknownCause cause, String detail, Optional<String> pspReference) {
            this(cause, detail, pspReference, Optional.empty());
        }

        /** What asking found out. A failure keeps the first error, for people who read it in the dead-letter queue. */
        public Outcome foundOut(Outcome found) {
            return found instanceof Failed failed
                    ? new Failed(failed.cause(), "%s (%s): %s".formatted(cause.tag(), detail, failed.detail()))
                    : found;
        }
    }
}
