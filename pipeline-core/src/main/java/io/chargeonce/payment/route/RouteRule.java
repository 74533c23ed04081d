// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.route;

import io.chargeonce.payment.PaymentRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which PSPs take which payments. An empty set matches everything.
 *
 * @param methods prefixes of the payment method's token; if there are any, each of the PSPs knows these tokens
 * @param least   the smallest amount, in minor units
 * @param most    the largest amount, in minor units
 * @param psps    in order of preference if all weights are equal; otherwise divided by weight
 */
public record RouteRule(Set<String> currencies, Set<String> merchants, Set<String> methods, long least, long most,
        List<Weighted> psps) {

    public record Weighted(String psp, int weight) {

        public Weighted {
            if (weight < 1 || weight > 1000) {
                throw new IllegalArgumentException("a PSP's weight is 1 to 1000, not " + weight);
            }
        }
    }

    public RouteRule {
        currencies = Set.copyOf(currencies);
        merchants = Set.copyOf(merchants);
        methods = Set.copyOf(methods);
        psps = List.copyOf(psps);
        if (psps.isEmpty() || least > most) {
            throw new IllegalArgumentException("a route needs at least one PSP, and its smallest amount must not exceed its largest");
        }
    }

    /** Every payment, to these PSPs in this order. */
    public static RouteRule everything(List<String> psps) {
        return new RouteRule(Set.of(), Set.of(), Set.of(), 0, Long.MAX_VALUE,
                psps.stream().map(psp -> new Weighted(psp, 1)).toList());
    }

    boolean matches(String merchant, PaymentRequest request) {
        long amount = request.money().minorUnits();
        return (currencies.isEmpty() || currencies.contains(request.money().currency()))
                && (merchants.isEmpty() || merchants.contains(merchant))
                && (methods.isEmpty() || methods.stream().anyMatch(request.paymentMethod()::startsWith))
                && amount >= least && amount <= most;
    }

    /** As {@link Routes#parse} reads it. */
    String text() {
        var words = new ArrayList<String>();
        Map.of("currency", currencies, "merchant", merchants, "method", methods).forEach((name, values) -> {
            if (!values.isEmpty()) {
                words.add(name + "=" + String.join("|", values));
            }
        });
        words.add("amount>=" + least);
        words.add("amount<=" + most);
        return String.join(" ", words) + " -> "
                + psps.stream().map(entry -> entry.psp + ":" + entry.weight).collect(Collectors.joining(","));
    }

    boolean isShared() {
        return psps.stream().map(Weighted::weight).distinct().count() > 1;
    }
}
