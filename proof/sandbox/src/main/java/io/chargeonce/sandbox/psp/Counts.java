// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The ledger in figures; money in minor units by currency. */
public record Counts(long requests, long keys, Map<String, Long> paymentsByStatus, long captures, long refunds,
        Map<String, Long> captured, Map<String, Long> refunded) {

    /** @param statuses one for each payment, in the PSP's words */
    public static Counts of(Stream<String> statuses, List<Movement> movements, long requests, long keys) {
        Map<String, Long> byStatus = new TreeMap<>();
        statuses.forEach(status -> byStatus.merge(status, 1L, Long::sum));
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
