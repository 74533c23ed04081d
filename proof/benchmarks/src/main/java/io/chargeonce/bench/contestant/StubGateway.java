// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** The stub as our engine's gateway. */
final class StubGateway implements Gateway {

    static final String NAME = "stub";
    private final BenchPsp psp;

    StubGateway(BenchPsp psp) {
        this.psp = psp;
    }

    @Override
    public String psp() {
        return NAME;
    }

    @Override
    public byte[] render(Operation operation, PspKey key) {
        var request = operation.accepted().request();
        return render(request.money().minorUnits(), request.money().currency(), request.paymentMethod(), operation.id(), key);
    }

    /** As long as Stripe's form for the same payment. */
    static byte[] render(long amount, String currency, String paymentMethod, String payment, PspKey key) {
        return ("amount=" + amount + "&currency=" + currency + "&payment_method=" + paymentMethod
                + "&confirm=true&off_session=true&error_on_requires_action=true&metadata[payment_id]=" + payment
                + "&metadata[psp_key]=" + key).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Duration keyLife() {
        return Duration.ofHours(23);
    }

    @Override
    public Duration callBudget() {
        return Duration.ofSeconds(2);
    }

    @Override
    public Outcome charge(Charge charge) {
        if (psp.fails(charge.payment().value())) {
            return new Outcome.Unknown(UnknownCause.PSP_ERROR, "500", Optional.empty());
        }
        return new Outcome.Charged(psp.charge(charge.key().value(), charge.payment().value()));
    }

    @Override
    public Outcome findOut(Charge charge) {
        return psp.knows(charge.key().value())
                ? charge(charge)
                : new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "cancelled");
    }
}
