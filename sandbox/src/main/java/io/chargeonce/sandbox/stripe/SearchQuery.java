// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The part of Stripe's search language that finds intents by equality, {@code metadata['k']:'v' AND status:'succeeded'}, and by time. */
final class SearchQuery {
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
