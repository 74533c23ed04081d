// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import com.stripe.StripeClient;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import com.stripe.param.PaymentIntentSearchParams;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Lookup;
import io.chargeonce.psp.Traces;
import io.chargeonce.psp.Traces.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;

/** Finds a payment's intents at Stripe by the payment id in their metadata. */
final class StripeLookup implements Lookup {

    /** Stripe says that search usually shows an object in under a minute, and later during an outage of its own. */
    private static final Duration LAG = Duration.ofMinutes(1);
    private static final long MOST = 100;

    private final String psp;
    private final StripeClient stripe;

    StripeLookup(String psp, StripeClient stripe) {
        this.psp = psp;
        this.stripe = stripe;
    }

    @Override
    public Duration lag() {
        return LAG;
    }

    @Override
    public Traces find(PaymentId payment, Money money) {
        var query = PaymentIntentSearchParams.builder().setLimit(MOST)
                .setQuery("metadata['payment_id']:'%s'".formatted(payment.value())).build();
        try {
            var answer = stripe.v1().paymentIntents().search(query);
            if (Boolean.TRUE.equals(answer.getHasMore())) {
                return new Traces.NoAnswer("%s has more than %d attempts of this payment".formatted(psp, MOST));
            }
            var traces = new ArrayList<Traces.Trace>();
            for (PaymentIntent intent : answer.getData()) {
                standing(intent).ifPresent(standing -> traces.add(new Traces.Trace(psp,
                        Optional.ofNullable(intent.getMetadata().get("attempt_key")).flatMap(PspKey::parse), intent.getId(), standing,
                        StripeMoney.isSaid(money, intent.getAmount(), intent.getCurrency()), Instant.ofEpochSecond(intent.getCreated()))));
            }
            return new Traces.Found(traces);
        } catch (StripeException e) {
            return new Traces.NoAnswer(psp + " was asked about this payment and did not say: " + e.getClass().getSimpleName());
        }
    }

    /** Empty for what is cancelled for good. Whether it was declined or may still be paid, the question about the attempt tells. */
    private static Optional<Standing> standing(PaymentIntent intent) {
        return switch (String.valueOf(intent.getStatus())) {
            case "succeeded" -> Optional.of(Standing.CAPTURED);
            case "requires_payment_method" -> Optional.of(Standing.DECLINED);
            case "canceled" -> Optional.empty();
            default -> Optional.of(Standing.OPEN);
        };
    }
}
