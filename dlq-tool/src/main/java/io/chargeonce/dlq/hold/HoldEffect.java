// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.hold;

import io.chargeonce.dlq.Sum;
import io.chargeonce.ledger.Hold;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a pause would concern, or concerns. For people: it decides nothing.
 *
 * @param already       what holds it now
 * @param waiting       waits in the tiers for it: payments and refunds of this merchant, this tier, or this PSP, as {@code waiting} shows
 *                      it
 * @param expiring      those of them that must be charged before the pause ends, or within a day if it has no end; they would end as
 *                      "expired" dead letters
 * @param firstDeadline the earliest deadline of all that wait
 * @param recent        of the last attempts of all payments, those of this PSP or merchant; nothing for a tier
 * @param lookedAt      how many attempts that were
 * @param recentSince   when the oldest of them was sent
 * @param asked         unknown outcomes that a PSP is asked about, which goes on
 * @param otherPsps     for a PSP, those that were set up within the last hour beside it
 */
public record HoldEffect(Optional<Hold> already, Sum waiting, Sum expiring, Optional<Instant> firstDeadline, Sum recent, long lookedAt,
        Optional<Instant> recentSince, long asked, List<String> otherPsps) {

    public HoldEffect {
        otherPsps = List.copyOf(otherPsps);
    }
}
