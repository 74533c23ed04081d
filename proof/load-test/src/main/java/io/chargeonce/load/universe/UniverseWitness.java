// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Violations that were seen while a universe was played, and that leave no trace in its books. Only the strand that has the turn may
 * call it.
 */
final class UniverseWitness {

    private final List<Violation> seen = new ArrayList<>();

    void saw(Invariant broken, String sentence) {
        seen.add(new Violation(broken, Optional.empty(), sentence));
    }

    List<Violation> seen() {
        return List.copyOf(seen);
    }
}
