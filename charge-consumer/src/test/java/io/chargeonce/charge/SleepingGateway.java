// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import java.time.Duration;
import java.util.Optional;

/** A gateway whose worker stalls right before the first byte; the test decides what happens meanwhile. */
final class SleepingGateway implements Gateway {

    private final Gateway gateway;
    private final boolean looksAtItsClock;
    private final Runnable meanwhile;

    /** @param looksAtItsClock whether it notices that time has passed; if not, only the PSP can keep it from moving money */
    SleepingGateway(Gateway gateway, boolean looksAtItsClock, Runnable meanwhile) {
        this.gateway = gateway;
        this.looksAtItsClock = looksAtItsClock;
        this.meanwhile = meanwhile;
    }

    private static Lease blind() {
        return Lease.of(Duration.ofHours(1));
    }

    @Override
    public Outcome charge(Charge charge) {
        meanwhile.run();
        return gateway.charge(looksAtItsClock ? charge : charge.during(blind()));
    }

    @Override
    public Optional<RefundGateway> refunds() {
        RefundGateway refunds = gateway.refunds().orElseThrow();
        return Optional.of(new RefundGateway() {

            @Override
            public byte[] render(Operation refund, Capture capture, PspKey key) {
                return refunds.render(refund, capture, key);
            }

            @Override
            public Outcome refund(Refund refund) {
                meanwhile.run();
                return refunds.refund(looksAtItsClock ? refund : refund.during(blind()));
            }

            @Override
            public Outcome findOut(Refund refund) {
                return refunds.findOut(refund);
            }
        });
    }

    @Override
    public Outcome findOut(Charge charge) {
        return gateway.findOut(charge);
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
}
