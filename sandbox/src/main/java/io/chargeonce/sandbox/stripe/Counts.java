package io.chargeonce.sandbox.stripe;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The books in figures; money in minor units by currency. */
public record Counts(long requests, long keys, Map<String, Long> intentsByStatus, long captures, long refunds,
        Map<String, Long> captured, Map<String, Long> refunded) {

    static Counts of(Collection<PaymentIntent> intents, List<Movement> movements, long requests, long keys) {
        Map<String, Long> byStatus = new TreeMap<>();
        intents.forEach(intent -> byStatus.merge(intent.status().text(), 1L, Long::sum));
        Map<String, Long> captured = money(movements, Movement.Kind.CAPTURE);
        Map<String, Long> refunded = money(movements, Movement.Kind.REFUND);
        long captures = movements.stream().filter(movement -> movement.kind() == Movement.Kind.CAPTURE).count();
        return new Counts(requests, keys, byStatus, captures, movements.size() - captures, captured, refunded);
    }

    private static Map<String, Long> money(List<Movement> movements, Movement.Kind kind) {
        Map<String, Long> sums = new TreeMap<>();
        movements.stream().filter(movement -> movement.kind() == kind)
                .forEach(movement -> sums.merge(movement.currency(), movement.amount(), Long::sum));
        return sums;
    }
}
