// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.payment.Money;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One dead letter as read at one moment.
 *
 * @param operationId empty for poison
 * @param state       {@code dead} while it is in the queue, else how it left: {@code merged}, {@code settled}, {@code purged}
 * @param age         since it died
 * @param evidence    the PSP's reference for the money that an attempt took
 * @param tier        the tier it waited in last, 0 if in none
 * @param target      the topic that a merge sends another system's record back to
 */
public record DeadLetterView(
        String id,
        Optional<String> operationId,
        Optional<String> merchant,
        Optional<Money> money,
        Optional<String> psp,
        String state,
        String cause,
        String message,
        int generation,
        int revision,
        Instant diedAt,
        Instant changedAt,
        Duration age,
        MoneyStatus standing,
        Optional<String> evidence,
        int tier,
        Optional<String> target) {

    /** A message may quote what was sent to a PSP or another system. */
    public DeadLetterView masked() {
        return new DeadLetterView(id, operationId, merchant, money, psp, state, cause, Mask.personal(message), generation, revision,
                diedAt, changedAt, age, standing, evidence, tier, target);
    }

    /** Where a page that ends with this one goes on. */
    public Position position() {
        return new Position(diedAt, money.map(Money::minorUnits).orElse(0L), id);
    }

    public record Position(Instant diedAt, long minorUnits, String id) {}
}
