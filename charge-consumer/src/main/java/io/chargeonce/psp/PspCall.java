package io.chargeonce.psp;

import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.util.Optional;

/** One stored attempt and the PSP that it belongs to, whichever way the money goes. */
public sealed interface PspCall {

    Gateway gateway();

    PspKey key();

    PaymentId payment();

    /** Whether {@link #ask} may send the attempt again. */
    boolean mayBeSent();

    Outcome send();

    Outcome ask();

    /** The PSP has been found not to know the attempt: makes sure that it never executes it. */
    Outcome fence();

    /** The same attempt, with what an answer told us to ask for. */
    PspCall told(Optional<String> reference);

    record ToCharge(Gateway gateway, Charge charge) implements PspCall {

        @Override
        public PspKey key() {
            return charge.key();
        }

        @Override
        public PaymentId payment() {
            return charge.payment();
        }

        @Override
        public boolean mayBeSent() {
            return charge.keyIsKnown();
        }

        @Override
        public Outcome send() {
            return gateway.charge(charge);
        }

        @Override
        public Outcome ask() {
            return gateway.findOut(charge);
        }

        @Override
        public Outcome fence() {
            return gateway.fence(charge);
        }

        @Override
        public PspCall told(Optional<String> reference) {
            return new ToCharge(gateway, charge.withReference(reference));
        }
    }

    record ToGiveBack(Gateway gateway, RefundGateway refunds, Refund refund) implements PspCall {

        @Override
        public PspKey key() {
            return refund.key();
        }

        @Override
        public PaymentId payment() {
            return refund.payment();
        }

        @Override
        public boolean mayBeSent() {
            return refund.mayBeSent();
        }

        @Override
        public Outcome send() {
            return refunds.refund(refund);
        }

        @Override
        public Outcome ask() {
            return refunds.findOut(refund);
        }

        /** Nobody cancels a refund that is not there: it stays unknown, for a person. */
        @Override
        public Outcome fence() {
            return ask();
        }

        @Override
        public PspCall told(Optional<String> reference) {
            return new ToGiveBack(gateway, refunds, new Refund(refund.key(), refund.payment(), refund.money(), refund.capture(),
                    refund.request(), reference.or(refund::pspReference), refund.mayBeSent() && reference.isEmpty()));
        }
    }
}
