// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Gathers what the checks find. For one thread. */
final class Findings {

    /** A run that is broken all over is told from its first thousands as well. */
    private static final int MOST_TOLD = 2_000;

    private final List<Violation> violations = new ArrayList<>();
    private final Map<PaymentCount, Set<String>> tallied = new EnumMap<>(PaymentCount.class);
    private long total;

    void add(Invariant invariant, String subject, String sentence) {
        add(new Violation(invariant, Optional.of(subject), sentence));
    }

    void add(Invariant invariant, PaymentCount tally, String subject, String sentence) {
        tallied.computeIfAbsent(tally, unseen -> new HashSet<>()).add(subject);
        add(invariant, subject, sentence);
    }

    void addGeneral(Invariant invariant, String sentence) {
        add(new Violation(invariant, Optional.empty(), sentence));
    }

    void add(Violation violation) {
        total++;
        if (violations.size() < MOST_TOLD) {
            violations.add(violation);
        }
    }

    List<Violation> violations() {
        return List.copyOf(violations);
    }

    long total() {
        return total;
    }

    int count(PaymentCount tally) {
        return tallied.getOrDefault(tally, Set.of()).size();
    }
}
