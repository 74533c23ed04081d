// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.waiting;

import io.chargeonce.payment.Money;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One payment or refund that waits in a tier, as read at one moment.
 *
 * @param kind  charge, refund or reversal
 * @param state {@code scheduled} for its next counted attempt, or {@code parked} until a PSP is well
 * @param psp   the PSPs that it waits for: where its last attempt went, or where it may go before the first
 * @param step  another step is another wait
 * @param dueAt when it is tried next
 * @param dueIn the same from now; negative once it is due
 */
public record WaitingPayment(String id, String kind, String merchant, Money money, String state, int tier, String cause, String message,
        Optional<String> psp, int attempts, int step, Instant dueAt, Duration dueIn) {}
