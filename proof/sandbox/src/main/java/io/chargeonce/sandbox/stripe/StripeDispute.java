// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.time.Instant;
import java.util.List;

/**
 * A charge that a customer disputes at its bank.
 *
 * @param moved what each of its balance transactions moves, below zero what is withdrawn
 */
public record StripeDispute(String id, Instant created, String paymentIntent, long amount, String currency, String reason, String status,
        boolean refundable, Instant dueBy, List<Long> moved) {

    public StripeDispute {
        moved = List.copyOf(moved);
    }

    /** Whether the bank has the money now. */
    boolean isTaken() {
        return moved.stream().mapToLong(Long::longValue).sum() < 0;
    }
}
