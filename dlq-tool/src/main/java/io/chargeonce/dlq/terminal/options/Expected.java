// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.options;

import io.chargeonce.dlq.query.Plan;
import io.chargeonce.text.Counted;
import java.util.Optional;

/** The set that a person has seen and means. Any other set is refused. */
public record Expected(Optional<Integer> count, Optional<String> fingerprint) {

    /** Why this plan is not the expected one, or empty if it is. */
    public Optional<String> refusal(Plan plan) {
        long there = plan.standings().total().count();
        if (count.filter(n -> n != there).isPresent()) {
            return Optional.of("%s meant now, not the %,d expected; nothing was changed".formatted(
                    Counted.are(there, "dead letter"), count.get()));
        }
        if (fingerprint.filter(f -> !f.equals(plan.fingerprint())).isPresent()) {
            return Optional.of("the set is not the expected one any more: its fingerprint is %s; nothing was changed"
                    .formatted(plan.fingerprint()));
        }
        return Optional.empty();
    }
}
