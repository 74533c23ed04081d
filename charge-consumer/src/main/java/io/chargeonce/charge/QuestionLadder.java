// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import java.time.Duration;
import java.util.List;

/** When an unknown outcome is asked about again: soon at first, then ever more rarely, but never not at all. */
record QuestionLadder(List<Duration> pauses) {

    QuestionLadder {
        pauses = List.copyOf(pauses);
        if (pauses.isEmpty() || pauses.stream().anyMatch(pause -> pause.isNegative() || pause.isZero())) {
            throw new IllegalArgumentException("the resolver needs at least one pause longer than nothing");
        }
    }

    /** @param questions how many have been asked in vain */
    Duration pause(int questions) {
        return pauses.get(Math.min(questions, pauses.size() - 1));
    }
}
