// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import com.adyen.Client;
import com.adyen.Config;
import com.adyen.constants.ApiConstants;
import com.adyen.enums.Environment;
import com.adyen.model.RequestOptions;
import com.adyen.model.checkout.Amount;
import com.adyen.model.checkout.PaymentResponse;
import com.adyen.service.checkout.PaymentsApi;
import com.adyen.service.exception.ApiException;
import com.adyen.service.resource.Resource;
import com.fasterxml.jackson.core.JsonProcessingException;
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
import io.chargeonce.psp.http.PspHttp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    /** charge: one. findOut: one. */
    private static final int CALLS = 2;

    private final AdyenSettings settings;
    private final AdyenRefunds.Post post;
    private final AdyenRefunds refunds;

    public AdyenGateway(AdyenSettings settings) {
        this.settings = settings;
        // Only the address decides between test and live; it takes precedence over the environment.
        var client = new Client(new Config().apiKey(settings.apiKey().get()).environment(Environment.TEST));
        client.setHttpClient(new AdyenHttp(new PspHttp(CONNECT_TIMEOUT, settings.callTimeout()), settings.apiKey()));
        var api = new PaymentsApi(client, settings.apiBase());
        this.post = (path, body, options) -> new Resource(api, settings.apiBase() + path, null)
                .request(body, options, ApiConstants.HttpMethod.POST, null);
        this.refunds = new AdyenRefunds(post, settings.merchantAccount());
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
                .map(amount -> AdyenRequest.json(operation, operation.tokenAt(settings.name()), key, amount, settings.merchantAccount()))
                .orElse("{}").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome charge(Charge charge) {
        Optional<Amount> amount = MinorUnits.of(charge.money());
        if (amount.isEmpty()) {
            return new Outcome.Failed(FailureCause.REQUEST_REFUSED, "Adyen takes whole %s only, not %s; nothing was sent"
                    .formatted(charge.money().currency(), charge.money()));
        }
        if (charge.lease().hasEnded()) {
            return Lease.notSent();
        }
        try {
            return read(send(charge), charge, amount.get());
        } catch (IOException e) {
            return AdyenErrors.whileSending(e);
        } catch (ApiException e) {
            return AdyenErrors.whileSending(e);
        }
    }

    @Override
    public Outcome findOut(Charge charge) {
        if (!charge.mayBeSent()) {
            return new Outcome.Unknown(UnknownCause.CANNOT_BE_ASKED, AdyenErrors.cannotBeAsked(charge.key()),
                    charge.pspReference());
        }
        Optional<Amount> amount = MinorUnits.of(charge.money());
        if (amount.isEmpty()) {
            return new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "Adyen has no such amount, so nothing was ever sent");
        }
        if (charge.lease().hasEnded()) {
            return Lease.notAsked(charge.pspReference());
        }
        try {
            return read(send(charge), charge, amount.get());
        } catch (IOException e) {
            return AdyenErrors.whileAsking(e, charge.pspReference());
        } catch (ApiException e) {
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

    String send(Charge charge) throws IOException, ApiException {
        return post.send("/payments", new String(charge.request(), StandardCharsets.UTF_8),
                new RequestOptions().idempotencyKey(charge.key().value()));
    }

    private static Outcome read(String answer, Charge charge, Amount amount) {
        try {
            PaymentResponse response = PaymentResponse.fromJson(answer);
            return response == null ? unreadable(charge) : AdyenAnswer.read(response, charge, amount);
        } catch (JsonProcessingException e) {
            return unreadable(charge);
        }
    }

    private static Outcome unreadable(Charge charge) {
        return new Outcome.Unknown(UnknownCause.ANSWER_UNREADABLE, "Adyen's answer is not a payment", charge.pspReference());
    }
}
