// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.util.Optional;

/** One stored attempt and its PSP, for a charge or for giving money back. */
public sealed interface PspCall {

    Gateway gateway();

    PspKey key();

    PaymentId payment();

    /** Whether {@link #ask} may send the attempt again. */
    boolean mayBeSent();

    Lease lease();

    Outcome send();

    Outcome ask();

    /** Whether {@link #ask} may move money if it {@link #mayBeSent}. Then it sends nothing once nobody wants the payment any more. */
    boolean questionMayExecute();

    /** Whether {@link #fence} may move money. Then it is not called once nobody wants the payment any more. */
    boolean fenceMayExecute();

    /** The PSP does not know the attempt. Makes sure that it can no longer be executed there, or says that it cannot. */
    Outcome fence();

    /** The same attempt, with the reference from an answer. */
    PspCall withReference(Optional<String> reference);

    /** The same attempt, while this lease holds. Without one nothing is sent. */
    PspCall during(Lease held);

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
            return charge.mayBeSent();
        }

        @Override
        public Lease lease() {
            return charge.lease();
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
        public boolean questionMayExecute() {
            return gateway.questionMayExecute();
        }

        @Override
        public boolean fenceMayExecute() {
            return false;
        }

        @Override
        public Outcome fence() {
            return gateway.fence(charge);
        }

        @Override
        public PspCall withReference(Optional<String> reference) {
            return new ToCharge(gateway, charge.withReference(reference));
        }

        @Override
        public PspCall during(Lease held) {
            return new ToCharge(gateway, charge.during(held));
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
        public Lease lease() {
            return refund.lease();
        }

        @Override
        public Outcome send() {
            return refunds.refund(refund);
        }

        @Override
        public Outcome ask() {
            return refunds.findOut(refund);
        }

        @Override
        public boolean questionMayExecute() {
            return true;
        }

        @Override
        public boolean fenceMayExecute() {
            return refunds.fenceMayExecute();
        }

        @Override
        public Outcome fence() {
            return refunds.fence(refund);
        }

        @Override
        public PspCall withReference(Optional<String> reference) {
            return new ToGiveBack(gateway, refunds, refund.withReference(reference));
        }

        @Override
        public PspCall during(Lease held) {
            return new ToGiveBack(gateway, refunds, refund.during(held));
        }
    }
}
