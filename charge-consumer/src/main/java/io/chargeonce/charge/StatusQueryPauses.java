// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import java.time.Duration;
import java.util.List;

/** When the PSP is asked again about an unknown outcome: soon at first, then more and more rarely, but for ever. */
record StatusQueryPauses(List<Duration> pauses) {

    StatusQueryPauses {
        pauses = List.copyOf(pauses);
        if (pauses.isEmpty() || pauses.stream().anyMatch(pause -> pause.isNegative() || pause.isZero())) {
            throw new IllegalArgumentException("the resolver needs at least one pause, each longer than 0");
        }
    }

    /** @param queries how many status queries brought no answer so far */
    Duration pause(int queries) {
        return pauses.get(Math.min(queries, pauses.size() - 1));
    }
}
