// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.booking.Bookings;
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
    private final Bookings bookings;

    Reads(StripeObjects objects, Duration searchLag, Bookings bookings) {
        this.objects = objects;
        this.searchLag = searchLag;
        this.bookings = bookings;
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

    /** The newest first. */
    Answer balance(Call call) {
        int limit = Parameters.limit(call.form());
        boolean expanded = call.form().list("expand").contains("data.source");
        long from = call.form().text("created[gte]").map(text -> Parameters.integer("created", text)).orElse(0L);
        long to = call.form().text("created[lt]").map(text -> Parameters.integer("created", text)).orElse(Long.MAX_VALUE);
        List<Answer.Booked> all = bookings.all().reversed().stream().map(one -> new Answer.Booked(id(one), one.movement(), expanded))
                .filter(one -> one.movement().at().getEpochSecond() >= from && one.movement().at().getEpochSecond() < to).toList();
        Optional<String> after = call.form().text("starting_after");
        int start = after.map(id -> all.stream().map(Answer.Booked::id).toList().indexOf(id) + 1).orElse(0);
        if (after.isPresent() && start == 0) {
            throw Parameters.missing("balance_transaction", after.get(), "starting_after", 400);
        }
        return page(call, limit, all.stream().skip(start).limit(limit + 1L).toList(), one -> one);
    }

    private static String id(Bookings.Booking one) {
        return "txn_" + one.movement().id().substring(one.movement().id().indexOf('_') + 1) + (one.repeat() == 0 ? "" : "again");
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
