// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A gateway whose process dies once, at a chosen point of a charge. */
final class DyingGateway implements Gateway {

    enum CrashPoint { NOWHERE, BEFORE_THE_CALL, AFTER_THE_CALL, IN_THE_STATUS_QUERY, BEFORE_THE_OFFSET_COMMIT }

    private final Gateway gateway;
    private final CrashPoint where;
    private final AtomicBoolean alive = new AtomicBoolean(true);

    DyingGateway(Gateway gateway, CrashPoint where) {
        this.gateway = gateway;
        this.where = where;
    }

    private void dieAt(CrashPoint here) {
        if (where == here && alive.compareAndSet(true, false)) {
            throw new FakePsp.Died();
        }
    }

    @Override
    public String psp() {
        return gateway.psp();
    }

    @Override
    public byte[] render(Operation operation, PspKey key) {
        return gateway.render(operation, key);
    }

    @Override
    public Duration keyLife() {
        return gateway.keyLife();
    }

    @Override
    public Duration callBudget() {
        return gateway.callBudget();
    }

    @Override
    public Optional<RefundGateway> refunds() {
        return gateway.refunds().map(Refunding::new);
    }

    private final class Refunding implements RefundGateway {

        private final RefundGateway refunds;

        private Refunding(RefundGateway refunds) {
            this.refunds = refunds;
        }

        @Override
        public byte[] render(Operation refund, Capture capture, PspKey key) {
            return refunds.render(refund, capture, key);
        }

        @Override
        public Outcome refund(Refund refund) {
            dieAt(CrashPoint.BEFORE_THE_CALL);
            Outcome answer = refunds.refund(refund);
            dieAt(CrashPoint.AFTER_THE_CALL);
            return answer;
        }

        @Override
        public Outcome findOut(Refund refund) {
            dieAt(CrashPoint.IN_THE_STATUS_QUERY);
            return refunds.findOut(refund);
        }
    }

    @Override
    public Outcome charge(Charge charge) {
        dieAt(CrashPoint.BEFORE_THE_CALL);
        Outcome answer = gateway.charge(charge);
        dieAt(CrashPoint.AFTER_THE_CALL);
        return answer;
    }

    @Override
    public Outcome findOut(Charge charge) {
        dieAt(CrashPoint.IN_THE_STATUS_QUERY);
        return gateway.findOut(charge);
    }
}
