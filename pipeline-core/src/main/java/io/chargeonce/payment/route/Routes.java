// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.route;

import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.Rail;
import io.chargeonce.payment.method.PaymentMethodId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The rules that decide where a payment may go; the first that matches decides. Immutable. */
public record Routes(List<RouteRule> rules) {

    public Routes {
        rules = List.copyOf(rules);
    }

    /**
     * Reads {@code currency=EUR|CHF amount<=10000 -> adyen:3,stripe:1; -> stripe,adyen}. Conditions: {@code currency}, {@code merchant},
     * {@code method} (the token's prefix; an empty one matches every token), {@code amount<=} and {@code amount>=} in minor units.
     */
    public static Routes parse(String text) {
        return new Routes(Arrays.stream(text.split(";")).map(String::strip).filter(rule -> !rule.isEmpty())
                .map(Routes::parseRule).toList());
    }

    private static RouteRule parseRule(String text) {
        String[] sides = text.split("->", -1);
        if (sides.length != 2) {
            throw new IllegalArgumentException("a route is 'conditions -> PSPs', not '%s'".formatted(text));
        }
        var currencies = new HashSet<String>();
        var merchants = new HashSet<String>();
        var methods = new HashSet<String>();
        long least = 0;
        long most = Long.MAX_VALUE;
        for (String condition : sides[0].strip().split("\\s+")) {
            String value = condition.substring(condition.indexOf('=') + 1);
            switch (condition.substring(0, condition.indexOf('=') + 1)) {
                case "currency=" -> currencies.addAll(List.of(value.split("\\|")));
                case "merchant=" -> merchants.addAll(List.of(value.split("\\|")));
                case "method=" -> methods.addAll(List.of(value.split("\\|")));
                case "amount>=" -> least = Long.parseLong(value);
                case "amount<=" -> most = Long.parseLong(value);
                default -> {
                    if (!condition.isEmpty()) {
                        throw new IllegalArgumentException("'%s' is not a condition of a route".formatted(condition));
                    }
                }
            }
        }
        return new RouteRule(currencies, merchants, methods, least, most,
                Arrays.stream(sides[1].split(",")).map(String::strip).map(Routes::parsePsp).toList());
    }

    private static RouteRule.Weighted parsePsp(String text) {
        String[] parts = text.split(":");
        return new RouteRule.Weighted(parts[0], parts.length == 1 ? 1 : Integer.parseInt(parts[1]));
    }

    /** Every PSP in a rule. */
    public Set<String> psps() {
        var all = new HashSet<String>();
        rules.forEach(rule -> rule.psps().forEach(weighted -> all.add(weighted.psp())));
        return all;
    }

    /**
     * Where the operation of this id may go on its rail, first choice first; the same for every copy of it. A card's raw token belongs to
     * one PSP. So it goes only to the first of its rule, unless the rule names tokens: then each of its PSPs knows them.
     *
     * @param tried the PSP of its last attempt: a raw token stays there, whatever the order of the rule is now
     */
    public List<String> of(String merchant, PaymentRequest request, String id, Optional<String> tried) {
        return rule(merchant, request)
                .map(rule -> isPinned(rule, request) ? pinned(rule, tried) : onRail(request, shareOut(rule, id)))
                .orElse(List.of());
    }

    /** Every PSP of its rule and rail: another order or another version may have sent it there. */
    public List<String> ofRule(String merchant, PaymentRequest request) {
        return rule(merchant, request).map(rule -> onRail(request, inOrder(rule))).orElse(List.of());
    }

    /** Whether a PSP that may get this payment is one of these. */
    public boolean leadToAny(String merchant, PaymentRequest request, Predicate<String> wanted) {
        return rule(merchant, request).stream()
                .flatMap(rule -> (isPinned(rule, request) ? pinned(rule, Optional.empty()) : onRail(request, inOrder(rule))).stream())
                .anyMatch(wanted);
    }

    private static boolean isPinned(RouteRule rule, PaymentRequest request) {
        return rule.methods().isEmpty() && Rail.of(request.paymentMethod()) == Rail.CARD
                && !PaymentMethodId.isMeantBy(request.paymentMethod());
    }

    private static List<String> pinned(RouteRule rule, Optional<String> tried) {
        return inOrder(rule).stream().filter(Rail.CARD::isServedBy).filter(psp -> tried.isEmpty() || tried.get().equals(psp)).limit(1)
                .toList();
    }

    private static List<String> onRail(PaymentRequest request, List<String> psps) {
        return psps.stream().filter(Rail.of(request.paymentMethod())::isServedBy).toList();
    }

    private Optional<RouteRule> rule(String merchant, PaymentRequest request) {
        return rules.stream().filter(rule -> rule.matches(merchant, request)).findFirst();
    }

    /** As {@link #parse} reads it. */
    public String text() {
        return rules.stream().map(RouteRule::text).collect(Collectors.joining("; "));
    }

    private static List<String> inOrder(RouteRule rule) {
        return rule.psps().stream().map(RouteRule.Weighted::psp).toList();
    }

    /** A race of exponential times: each PSP comes first in proportion to its weight (Efraimidis and Spirakis, 2006). */
    private static List<String> shareOut(RouteRule rule, String id) {
        if (!rule.isShared()) {
            return inOrder(rule);
        }
        record Runner(String psp, double time) {}
        var runners = new ArrayList<Runner>();
        for (RouteRule.Weighted entry : rule.psps()) {
            double luck = new SplittableRandom((id + "|" + entry.psp()).hashCode() * 0x9E3779B97F4A7C15L).nextDouble();
            runners.add(new Runner(entry.psp(), -Math.log(1 - luck) / entry.weight()));
        }
        return runners.stream().sorted(Comparator.comparingDouble(Runner::time)).map(Runner::psp).toList();
    }
}
