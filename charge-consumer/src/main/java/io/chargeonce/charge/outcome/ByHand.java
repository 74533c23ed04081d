// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.HandSettlement.State;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;

/**
 * What follows from a person's finding after the PSP was asked once more. The PSP's success outranks its definite failure, which outranks
 * the person's finding, which outranks an unknown outcome. Pure.
 *
 * @param answer the PSP's answer in words, which is the reason
 */
public record ByHand(HandSettlement settlement, State state, String answer) {

    /**
     * @param said       the PSP's answer under the lease that decides
     * @param canBeAsked whether the PSP can look up an attempt whose key it has forgotten
     * @param forgotten  whether the PSP can no longer execute the attempt: its key's life and its visibility lag are over
     * @param mayTell    whether the PSP may tell the outcome when the key is sent again
     */
    public static ByHand after(HandSettlement settlement, Outcome said, boolean canBeAsked, boolean forgotten, boolean mayTell) {
        return new ByHand(settlement, switch (said) {
            case Outcome.Charged charged -> settlement.saysCharged() ? State.CONFIRMED : State.REFUSED;
            case Outcome.Declined declined -> settlement.saysCharged() ? State.REFUSED : State.CONFIRMED;
            case Outcome.Failed failed -> settlement.saysCharged() ? State.REFUSED : State.CONFIRMED;
            case Outcome.Unknown unknown -> settlement.saysCharged() || forgotten
                    ? afterUnknown(settlement, unknown.cause(), canBeAsked, mayTell) : State.REFUSED;
        }, inWords(said) + (said instanceof Outcome.Unknown ? whyNot(settlement, forgotten, !canBeAsked && mayTell) : ""));
    }

    private static String whyNot(HandSettlement settlement, boolean forgotten, boolean mayTell) {
        return settlement.saysCharged() && mayTell ? "; until its key is forgotten the PSP may still tell, and a person's finding waits"
                : settlement.saysCharged() || forgotten ? ""
                        : "; its key may still be executed, so it cannot be settled as not charged yet";
    }

    /** A finding about a PSP that answers only while it knows the key waits until the key is forgotten: the PSP may tell until then. */
    private static State afterUnknown(HandSettlement settlement, UnknownCause cause, boolean canBeAsked, boolean mayTell) {
        State untilForgotten = mayTell ? State.WAITING : State.SETTLED;
        return switch (cause) {
            case KEY_MISMATCH, ANSWER_MISMATCH -> State.REFUSED;
            // The PSP was not reached, or a stalled process asked nothing. The next status query decides.
            case GATEWAY_TIMED_OUT, CONNECTION_LOST, LEASE_RAN_OUT -> State.WAITING;
            case PSP_ERROR, ANSWER_UNREADABLE, KEY_IN_USE, INTERNAL_ERROR -> canBeAsked ? State.WAITING : untilForgotten;
            case NOT_FOUND -> canBeAsked && settlement.saysCharged() ? State.REFUSED : untilForgotten;
            // The bank may never answer, and its own people know more than its files say.
            case NO_ANSWER_IN_TIME -> State.SETTLED;
            case STILL_PROCESSING, ANOTHER_SEND, OVERTAKEN, CANNOT_BE_ASKED -> canBeAsked ? State.REFUSED : untilForgotten;
        };
    }

    private static String inWords(Outcome said) {
        return switch (said) {
            case Outcome.Charged charged -> "the PSP says charged, reference " + charged.pspReference();
            case Outcome.Declined declined -> "the PSP says declined: %s (%s)".formatted(declined.code(), declined.message());
            case Outcome.Failed failed -> "the PSP says failed: %s (%s)".formatted(failed.cause().tag(), failed.detail());
            case Outcome.Unknown unknown -> "the PSP does not know the outcome: %s (%s)".formatted(unknown.cause().tag(), unknown.detail());
        };
    }

    public ByHand refused(String why) {
        return new ByHand(settlement, State.REFUSED, why);
    }

    public boolean decides() {
        return state == State.SETTLED;
    }

    /** The attempt's outcome, if the finding decides. */
    public Outcome outcome() {
        return settlement.reference().<Outcome>map(Outcome.Charged::new)
                .orElseGet(() -> new Outcome.Failed(FailureCause.SETTLED_NOT_CHARGED, settlement.evidence()));
    }
}
