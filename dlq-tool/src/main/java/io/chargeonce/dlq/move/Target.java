// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.move;

import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.payment.Money;
import java.time.Instant;
import java.util.Optional;

/**
 * One failure that was selected: the same dead letter with another generation, or brought back at another time, is
 * another failure and is left alone. What waits is the same until a merge sends it back; and to be tried now, until it is tried.
 *
 * @param generation of what is to be tried now, how often it was tried
 * @param diedAt     of what waits, when it was due
 */
public record Target(String id, int generation, Instant diedAt, Optional<Money> money) {

    public static Target of(DeadLetterView letter) {
        return new Target(letter.id(), letter.generation(), letter.diedAt(), letter.money());
    }

    /** Whether this is what was selected, and in this state. */
    boolean isStill(DeadLetterView current, String state) {
        return current != null && current.state().equals(state)
                && current.generation() == generation && current.diedAt().equals(diedAt);
    }
}
