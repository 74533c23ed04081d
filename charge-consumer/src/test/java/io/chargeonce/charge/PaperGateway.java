// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.http.WireFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** The smallest gateway that docs/adding-a-psp.md allows. */
final class PaperGateway implements Gateway {

    private final PaperPsp psp;
    private final String apiKey;

    PaperGateway(PaperPsp psp, String apiKey) {
        this.psp = psp;
        this.apiKey = apiKey;
    }

    @Override
    public String psp() {
        return "paper";
    }

    @Override
    public byte[] render(Operation operation, PspKey key) {
        return operation.accepted().request().paymentMethod().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Duration keyLife() {
        return Duration.ofDays(1);
    }

    @Override
    public Duration callBudget() {
        return Duration.ofMillis(100);
    }

    @Override
    public Outcome charge(Charge charge) {
        try {
            PaperPsp.Entry entry = psp.pay(apiKey, charge.key().value(), charge.payment().value(), charge.money(),
                    new String(charge.request(), StandardCharsets.UTF_8));
            return switch (entry.status()) {
                case 429 -> new Outcome.Failed(FailureCause.RATE_LIMITED, "429");
                case 401 -> new Outcome.Failed(FailureCause.CREDENTIAL_REFUSED, "401");
                default -> read(entry, charge);
            };
        } catch (IOException e) {
            return WireFailure.notSent(e).<Outcome>map(cause -> new Outcome.Failed(cause, e.getMessage()))
                    .orElseGet(() -> unknown(WireFailure.unknown(e), e.getMessage()));
        }
    }

    @Override
    public Outcome findOut(Charge charge) {
        try {
            return read(psp.findOrVoid(apiKey, charge.key().value()), charge);
        } catch (IOException e) {
            return unknown(WireFailure.unknown(e), e.getMessage());
        }
    }

    private static Outcome read(PaperPsp.Entry entry, Charge charge) {
        if (entry.status() != 200) {
            return unknown(UnknownCause.PSP_ERROR, "" + entry.status());
        }
        if (entry.state().equals("void")) {
            return new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "void");
        }
        if (entry.amount() != charge.money().minorUnits()) {
            return unknown(UnknownCause.ANSWER_MISMATCH, "about " + entry.amount());
        }
        return entry.state().equals("captured") ? new Outcome.Charged(charge.key().value())
                : new Outcome.Declined("insufficient_funds", "no money", Optional.empty());
    }

    private static Outcome unknown(UnknownCause cause, String detail) {
        return new Outcome.Unknown(cause, detail, Optional.empty());
    }
}
