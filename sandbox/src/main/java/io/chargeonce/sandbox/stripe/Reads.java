// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/** The endpoints that only read. Any thread. */
final class Reads {
    private final StripeObjects objects;
    private final Duration searchLag;

    Reads(StripeObjects objects, Duration searchLag) {
        this.objects = objects;
        this.searchLag = searchLag;
    }

    Answer intent(Call call) {
        return new Answer.Intent(objects.intent(call.target())
                .orElseThrow(() -> Parameters.missing("payment_intent", call.target(), "intent", 404)), Optional.empty());
    }

    Answer charge(Call call) {
        return new Answer.Charged(objects.charge(call.target())
                .orElseThrow(() -> Parameters.missing("charge", call.target(), "id", 404)));
    }

    Answer refund(Call call) {
        return new Answer.Refunded(objects.refund(call.target())
                .orElseThrow(() -> Parameters.missing("refund", call.target(), "id", 404)));
    }

    Answer intents(Call call) {
        int limit = Parameters.limit(call.form());
        Predicate<PaymentIntent> wanted = named(call, "customer", intent -> intent.details().customer());
        return page(call, limit, objects.newestIntents(after(call, objects::intent), limit, wanted),
                intent -> new Answer.Intent(intent, Optional.empty()));
    }

    Answer charges(Call call) {
        int limit = Parameters.limit(call.form());
        Predicate<Charge> wanted = named(call, "payment_intent", (Charge charge) -> Optional.of(charge.paymentIntent()))
                .and(named(call, "customer", charge -> charge.details().customer()));
        return page(call, limit, objects.newestCharges(after(call, objects::charge), limit, wanted), Answer.Charged::new);
    }

    /** A payment that this account does not have is an error, and no empty list. */
    Answer refunds(Call call) {
        call.form().text("payment_intent").filter(id -> objects.intent(id).isEmpty()).ifPresent(id -> {
            throw Parameters.missing("payment_intent", id, "payment_intent", 404);
        });
        int limit = Parameters.limit(call.form());
        Predicate<Refund> wanted = named(call, "payment_intent", (Refund refund) -> Optional.of(refund.paymentIntent()))
                .and(named(call, "charge", refund -> Optional.of(refund.charge())));
        return page(call, limit, objects.newestRefunds(after(call, objects::refund), limit, wanted), Answer.Refunded::new);
    }

    /** Search finds an intent only after a delay, as Stripe warns of its own search. */
    Answer search(Call call) {
        int limit = Parameters.limit(call.form());
        int page = call.form().text("page").map(text -> (int) Parameters.integer("page", text)).orElse(0);
        Instant indexed = call.at().minus(searchLag);
        Predicate<PaymentIntent> wanted = SearchQuery.parse(Parameters.required(call.form(), "query"))
                .and(intent -> !intent.created().isAfter(indexed));
        List<PaymentIntent> found = objects.newestIntents(Optional.empty(), (page + 1) * limit, wanted);
        List<Answer> shown = found.stream().skip((long) page * limit).limit(limit)
                .<Answer>map(intent -> new Answer.Intent(intent, Optional.empty())).toList();
        boolean more = found.size() > (page + 1) * limit;
        return new Answer.Page(call.path(), shown, more, more ? Optional.of(page + 1) : Optional.empty(), true);
    }

    private static <T> Predicate<T> named(Call call, String parameter, Function<T, Optional<String>> property) {
        Optional<String> wanted = call.form().text(parameter);
        return object -> wanted.isEmpty() || wanted.equals(property.apply(object));
    }

    private static Optional<String> after(Call call, Function<String, Optional<?>> find) {
        Optional<String> id = call.form().text("starting_after");
        if (id.isPresent() && find.apply(id.get()).isEmpty()) {
            throw Parameters.missing("object", id.get(), "starting_after", 400);
        }
        return id;
    }

    private static <T> Answer page(Call call, int limit, List<T> found, Function<T, Answer> show) {
        return new Answer.Page(call.path(), found.stream().limit(limit).map(show).toList(), found.size() > limit,
                Optional.empty(), false);
    }
}
