// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.RefundGateway;
import io.chargeonce.psp.Webhook;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/**
 * Charges cards at Adyen in one call, under a key that is also our reference there. A merchant can ask Adyen about a payment only by
 * sending the same request under the same key again: it is executed once at most, and gets the first answer again.
 */
public final class AdyenGateway implements Gateway {

    /** The account's name, unless the settings give another. */
    public static final String PSP = "adyen";

    /** Adyen keeps keys for at least 7 days (an older copy of its page says 31); a day is our margin. */
    private static final Duration KEY_LIFE = Duration.ofDays(6);
    /** charge: one. findOut: one. */
    private static final int CALLS = 2;

    private final AdyenSettings settings;
    private final AdyenHttp http;
    private final AdyenRefunds refunds;

    public AdyenGateway(AdyenSettings settings) {
        this.settings = settings;
        this.http = new AdyenHttp(settings);
        this.refunds = new AdyenRefunds(http, settings.merchantAccount());
    }

    @Override
    public String psp() {
        return settings.name();
    }

    @Override
    public Duration keyLife() {
        return KEY_LIFE;
    }

    @Override
    public Duration callBudget() {
        return settings.callTimeout().multipliedBy(CALLS);
    }

    /** An amount that Adyen cannot express has no request; {@link #charge} refuses it without sending anything. */
    @Override
    public byte[] render(Operation operation, PspKey key) {
        return MinorUnits.of(operation.accepted().request().money())
                .map(amount -> AdyenRequest.payment(operation, operation.tokenAt(settings.name()), key, amount, settings.merchantAccount()))
                .orElse(AdyenRequest.NONE);
    }

    @Override
    public Outcome charge(Charge charge) {
        Optional<AdyenJson.Amount> amount = MinorUnits.of(charge.money());
        if (amount.isEmpty()) {
            return new Outcome.Failed(FailureCause.REQUEST_REFUSED, "Adyen takes whole %s only, not %s; nothing was sent"
                    .formatted(charge.money().currency(), charge.money()));
        }
        if (charge.lease().hasEnded()) {
            return Lease.notSent();
        }
        try {
            HttpResponse<String> answer = send(charge);
            return AdyenErrors.isOne(answer) ? AdyenErrors.whileSending(answer) : read(answer, charge, amount.get());
        } catch (IOException e) {
            return AdyenErrors.whileSending(e);
        }
    }

    @Override
    public Outcome findOut(Charge charge) {
        if (!charge.mayBeSent()) {
            return new Outcome.Unknown(UnknownCause.CANNOT_BE_ASKED, AdyenErrors.cannotBeAsked(charge.key()),
                    charge.pspReference());
        }
        Optional<AdyenJson.Amount> amount = MinorUnits.of(charge.money());
        if (amount.isEmpty()) {
            return new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "Adyen has no such amount, so nothing was ever sent");
        }
        if (charge.lease().hasEnded()) {
            return Lease.notAsked(charge.pspReference());
        }
        try {
            HttpResponse<String> answer = send(charge);
            return AdyenErrors.isOne(answer) ? AdyenErrors.whileAsking(answer, charge.pspReference())
                    : read(answer, charge, amount.get());
        } catch (IOException e) {
            return AdyenErrors.whileAsking(e, charge.pspReference());
        }
    }

    /** It answers to keys only. */
    @Override
    public boolean canBeAsked() {
        return false;
    }

    @Override
    public Optional<RefundGateway> refunds() {
        return Optional.of(refunds);
    }

    @Override
    public Optional<Webhook> webhook() {
        return settings.hmacKey().map(key -> new AdyenWebhook(settings.merchantAccount(), key));
    }

    HttpResponse<String> send(Charge charge) throws IOException {
        return http.post("/payments", charge.request(), charge.key());
    }

    private static Outcome read(HttpResponse<String> answer, Charge charge, AdyenJson.Amount amount) {
        return AdyenJson.read(answer.body(), AdyenJson.Paid.class).map(paid -> AdyenAnswer.read(paid, charge, amount)).orElseGet(
                () -> new Outcome.Unknown(UnknownCause.ANSWER_UNREADABLE, "Adyen's answer is not a payment", charge.pspReference()));
    }
}
