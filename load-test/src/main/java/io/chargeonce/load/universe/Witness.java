// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What was seen in a universe and must not be, and shows in no book afterwards. For who has the turn. */
final class Witness {

    private final List<Violation> seen = new ArrayList<>();

    void saw(Invariant broken, String sentence) {
        seen.add(new Violation(broken, Optional.empty(), sentence));
    }

    List<Violation> seen() {
        return List.copyOf(seen);
    }
}
