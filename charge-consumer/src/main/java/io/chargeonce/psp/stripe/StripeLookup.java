// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import com.stripe.StripeClient;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import com.stripe.model.Refund;
import com.stripe.param.PaymentIntentListParams;
import com.stripe.param.PaymentIntentSearchParams;
import com.stripe.param.RefundListParams;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Lookup;
import io.chargeonce.psp.Traces;
import io.chargeonce.psp.Traces.Standing;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds a payment's intents at Stripe by the payment id in their metadata, which only search can do, and a refund's attempts in the list of
 * its capture's refunds. Lists show an object as soon as it exists. Search lags behind, usually by less than a minute and in an outage by
 * more. So what search does not find counts only when it has shown each of the newest intents that the list had at the first status query:
 * it takes objects in about the order in which they are made.
 */
final class StripeLookup implements Lookup {

    private static final long MOST = 100;

    private final String psp;
    private final StripeClient stripe;
    private volatile boolean isListed;
    /** Of the newest intents at the first status query, those that search has not shown yet. */
    private volatile List<PaymentIntent> hidden = List.of();

    StripeLookup(String psp, StripeClient stripe) {
        this.psp = psp;
        this.stripe = stripe;
    }

    @Override
    public Traces find(Operation operation) {
        try {
            return operation.capture().isPresent() ? refunds(operation, operation.capture().get())
                    : searchShowsAll() ? intents(operation)
                            : new Traces.NoAnswer("%s's search does not show yet all that its list had when this process began to ask"
                                    .formatted(psp));
        } catch (StripeException e) {
            return new Traces.NoAnswer(psp + " was asked about this payment and did not say: " + e.getClass().getSimpleName());
        }
    }

    /** Two threads may do this at once: each compares what was listed then or later. */
    private boolean searchShowsAll() throws StripeException {
        if (!isListed) {
            hidden = stripe.v1().paymentIntents().list(PaymentIntentListParams.builder().setLimit(MOST).build()).getData();
            isListed = true;
        }
        if (!hidden.isEmpty()) {
            var shown = new HashSet<String>();
            var query = "created>=%d AND created<=%d".formatted(created(hidden).min(Long::compare).orElseThrow(),
                    created(hidden).max(Long::compare).orElseThrow());
            stripe.v1().paymentIntents().search(PaymentIntentSearchParams.builder().setLimit(MOST).setQuery(query).build())
                    .autoPagingIterable().forEach(intent -> shown.add(intent.getId()));
            hidden = hidden.stream().filter(intent -> !shown.contains(intent.getId())).toList();
        }
        return hidden.isEmpty();
    }

    private static Stream<Long> created(List<PaymentIntent> intents) {
        return intents.stream().map(PaymentIntent::getCreated);
    }

    private Traces intents(Operation charge) throws StripeException {
        var query = PaymentIntentSearchParams.builder().setLimit(MOST)
                .setQuery("metadata['payment_id']:'%s'".formatted(charge.accepted().payment().value())).build();
        var answer = stripe.v1().paymentIntents().search(query);
        return all(answer.getData(), answer.getHasMore(), intent -> standing(intent)
                .filter(standing -> charge.accepted().mayHaveMade(Instant.ofEpochSecond(intent.getCreated())))
                .map(standing -> trace(charge, intent.getMetadata(), intent.getId(), standing, intent.getAmount(), intent.getCurrency(),
                        intent.getCreated())));
    }

    private Traces refunds(Operation refund, Capture capture) throws StripeException {
        var answer = stripe.v1().refunds().list(RefundListParams.builder().setPaymentIntent(capture.reference()).setLimit(MOST).build());
        return all(answer.getData(), answer.getHasMore(), one -> standing(one)
                .filter(standing -> one.getMetadata() != null && refund.id().equals(one.getMetadata().get("operation_id")))
                .map(standing -> trace(refund, one.getMetadata(), one.getId(), standing, one.getAmount(), one.getCurrency(),
                        one.getCreated())));
    }

    private <T> Traces all(List<T> found, Boolean hasMore, Function<T, Optional<Traces.Trace>> trace) {
        return Boolean.TRUE.equals(hasMore)
                ? new Traces.NoAnswer("%s has more than %d attempts of this payment".formatted(psp, MOST))
                : new Traces.Found(found.stream().flatMap(one -> trace.apply(one).stream()).toList());
    }

    private Traces.Trace trace(Operation operation, Map<String, String> metadata, String id, Standing standing, Long amount,
                               String currency,
                               Long created) {
        return new Traces.Trace(psp, Optional.ofNullable(metadata.get("attempt_key")).flatMap(PspKey::parse), id, standing,
                StripeMoney.isSaid(operation.accepted().request().money(), amount, currency), Instant.ofEpochSecond(created));
    }

    /** Empty for what is cancelled for good. Whether it was declined or may still be paid, the status query about the attempt tells. */
    private static Optional<Standing> standing(PaymentIntent intent) {
        return switch (String.valueOf(intent.getStatus())) {
            case "succeeded" -> Optional.of(Standing.CAPTURED);
            case "requires_payment_method" -> Optional.of(Standing.DECLINED);
            case "canceled" -> Optional.empty();
            default -> Optional.of(Standing.OPEN);
        };
    }

    /** Empty for one whose money has come back: it may be made again. */
    private static Optional<Standing> standing(Refund refund) {
        return switch (String.valueOf(refund.getStatus())) {
            case "succeeded" -> Optional.of(Standing.CAPTURED);
            case "failed", "canceled" -> Optional.empty();
            default -> Optional.of(Standing.OPEN);
        };
    }
}
