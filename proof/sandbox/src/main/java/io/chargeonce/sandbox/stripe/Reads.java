// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.booking.Bookings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    StripeAnswer intent(StripeCall call) {
        return new StripeAnswer.Intent(objects.intent(call.target())
                .orElseThrow(() -> Parameters.missing("payment_intent", call.target(), "intent", 404)), Optional.empty());
    }

    StripeAnswer charge(StripeCall call) {
        return new StripeAnswer.Charged(objects.charge(call.target())
                .orElseThrow(() -> Parameters.missing("charge", call.target(), "id", 404)));
    }

    StripeAnswer refund(StripeCall call) {
        return new StripeAnswer.Refunded(objects.refund(call.target())
                .orElseThrow(() -> Parameters.missing("refund", call.target(), "id", 404)));
    }

    StripeAnswer dispute(StripeCall call) {
        return new StripeAnswer.Disputed(objects.dispute(call.target())
                .orElseThrow(() -> Parameters.missing("dispute", call.target(), "dispute", 404)));
    }

    StripeAnswer intents(StripeCall call) {
        int limit = Parameters.limit(call.form());
        Predicate<PaymentIntent> wanted = named(call, "customer", intent -> intent.details().customer());
        return page(call, limit, objects.newestIntents(after(call, objects::intent), limit, wanted),
                intent -> new StripeAnswer.Intent(intent, Optional.empty()));
    }

    StripeAnswer charges(StripeCall call) {
        int limit = Parameters.limit(call.form());
        Predicate<StripeCharge> wanted = named(call, "payment_intent", (StripeCharge charge) -> Optional.of(charge.paymentIntent()))
                .and(named(call, "customer", charge -> charge.details().customer()));
        return page(call, limit, objects.newestCharges(after(call, objects::charge), limit, wanted), StripeAnswer.Charged::new);
    }

    /** A payment that this account does not have is an error, and no empty list. */
    StripeAnswer refunds(StripeCall call) {
        call.form().text("payment_intent").filter(id -> objects.intent(id).isEmpty()).ifPresent(id -> {
            throw Parameters.missing("payment_intent", id, "payment_intent", 404);
        });
        int limit = Parameters.limit(call.form());
        Predicate<StripeRefund> wanted = named(call, "payment_intent", (StripeRefund refund) -> Optional.of(refund.paymentIntent()))
                .and(named(call, "charge", refund -> Optional.of(refund.charge())));
        return page(call, limit, objects.newestRefunds(after(call, objects::refund), limit, wanted), StripeAnswer.Refunded::new);
    }

    /** The newest first. */
    StripeAnswer balance(StripeCall call) {
        int limit = Parameters.limit(call.form());
        boolean expanded = call.form().list("expand").contains("data.source");
        long from = call.form().text("created[gte]").map(text -> Parameters.integer("created", text)).orElse(0L);
        long to = call.form().text("created[lt]").map(text -> Parameters.integer("created", text)).orElse(Long.MAX_VALUE);
        List<StripeAnswer.Booked> all =
                bookings.all().reversed().stream().map(one -> new StripeAnswer.Booked(id(one), one.movement(), expanded))
                        .filter(one -> one.movement().at().getEpochSecond() >= from && one.movement().at().getEpochSecond() < to).toList();
        Optional<String> after = call.form().text("starting_after");
        int start = after.map(id -> all.stream().map(StripeAnswer.Booked::id).toList().indexOf(id) + 1).orElse(0);
        if (after.isPresent() && start == 0) {
            throw Parameters.missing("balance_transaction", after.get(), "starting_after", 400);
        }
        return page(call, limit, all.stream().skip(start).limit(limit + 1L).toList(), one -> one);
    }

    private static String id(Bookings.Booking one) {
        return "txn_" + one.movement().id().substring(one.movement().id().indexOf('_') + 1) + (one.repeat() == 0 ? "" : "again");
    }

    /** Search finds an intent only after a delay, as Stripe warns of its own search. */
    StripeAnswer search(StripeCall call) {
        int limit = Parameters.limit(call.form());
        int page = call.form().text("page").map(text -> (int) Parameters.integer("page", text)).orElse(0);
        Instant indexed = call.at().minus(searchLag);
        Predicate<PaymentIntent> wanted = SearchQuery.parse(Parameters.required(call.form(), "query"))
                .and(intent -> !intent.created().isAfter(indexed));
        List<PaymentIntent> found = objects.newestIntents(Optional.empty(), (page + 1) * limit, wanted);
        List<StripeAnswer> shown = found.stream().skip((long) page * limit).limit(limit)
                .<StripeAnswer>map(intent -> new StripeAnswer.Intent(intent, Optional.empty())).toList();
        boolean more = found.size() > (page + 1) * limit;
        return new StripeAnswer.Page(call.path(), shown, more, more ? Optional.of(page + 1) : Optional.empty(), true);
    }

    private static <T> Predicate<T> named(StripeCall call, String parameter, Function<T, Optional<String>> property) {
        Optional<String> wanted = call.form().text(parameter);
        return object -> wanted.isEmpty() || wanted.equals(property.apply(object));
    }

    private static Optional<String> after(StripeCall call, Function<String, Optional<?>> find) {
        Optional<String> id = call.form().text("starting_after");
        if (id.isPresent() && find.apply(id.get()).isEmpty()) {
            throw Parameters.missing("object", id.get(), "starting_after", 400);
        }
        return id;
    }

    private static <T> StripeAnswer page(StripeCall call, int limit, List<T> found, Function<T, StripeAnswer> show) {
        return new StripeAnswer.Page(call.path(), found.stream().limit(limit).map(show).toList(), found.size() > limit,
                Optional.empty(), false);
    }

    /** The part of Stripe's search language that finds intents by equality, as {@code metadata['k']:'v' AND status:'x'}, and by time. */
    private static final class SearchQuery {
        private static final Pattern CLAUSE =
                Pattern.compile("(\\w+)(?:\\[[\"']([^\"']+)[\"']\\])?\\s*:\\s*(?:[\"']([^\"']*)[\"']|(\\d+))");

        private static final Pattern CREATED = Pattern.compile("created(>=|<=)(\\d+)");

        private SearchQuery() {}

        static Predicate<PaymentIntent> parse(String query) {
            Predicate<PaymentIntent> all = intent -> true;
            for (String clause : query.strip().split("\\s+(?i:AND)\\s+")) {
                Matcher created = CREATED.matcher(clause);
                if (created.matches()) {
                    long bound = Parameters.integer("query", created.group(2));
                    all = all.and(created.group(1).equals(">=") ? intent -> intent.created().getEpochSecond() >= bound
                            : intent -> intent.created().getEpochSecond() <= bound);
                    continue;
                }
                Matcher matcher = CLAUSE.matcher(clause);
                if (!matcher.matches()) {
                    throw refused(query);
                }
                if (matcher.group(1).equals("metadata") == (matcher.group(2) == null)) {
                    throw refused(query);
                }
                String value = matcher.group(3) == null ? matcher.group(4) : matcher.group(3);
                all = all.and(clause(matcher.group(1), matcher.group(2), value, query));
            }
            return all;
        }

        private static Predicate<PaymentIntent> clause(String field, String name, String value, String query) {
            return switch (field) {
                case "metadata" -> intent -> value.equals(intent.metadata().get(name));
                case "status" -> intent -> value.equals(intent.status().text());
                case "currency" -> intent -> value.equals(intent.currency());
                case "amount" -> intent -> value.equals(Long.toString(intent.amount()));
                case "customer" -> intent -> intent.details().customer().filter(value::equals).isPresent();
                default -> throw refused(query);
            };
        }

        private static StripeRefusal refused(String query) {
            return StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "We were unable to parse your search query: " + query)
                    .param("query"));
        }
    }
}
