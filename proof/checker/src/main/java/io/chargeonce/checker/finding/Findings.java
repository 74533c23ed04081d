// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.finding;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Gathers what the checks find. For one thread. */
public final class Findings {

    /** A run that is broken all over is told from its first thousands as well. */
    private static final int MOST_TOLD = 2_000;

    private final List<Violation> violations = new ArrayList<>();
    private final Map<PaymentCount, Set<String>> counted = new EnumMap<>(PaymentCount.class);
    private final Map<Invariant, Long> found = new EnumMap<>(Invariant.class);

    public void add(Invariant invariant, String subject, String sentence) {
        add(new Violation(invariant, Optional.of(subject), sentence));
    }

    public void add(Invariant invariant, PaymentCount count, String subject, String sentence) {
        counted.computeIfAbsent(count, unseen -> new HashSet<>()).add(subject);
        add(invariant, subject, sentence);
    }

    public void addGeneral(Invariant invariant, String sentence) {
        add(new Violation(invariant, Optional.empty(), sentence));
    }

    public void add(Violation violation) {
        found.merge(violation.invariant(), 1L, Long::sum);
        if (violations.size() < MOST_TOLD) {
            violations.add(violation);
        }
    }

    public List<Violation> violations() {
        return List.copyOf(violations);
    }

    /** How many there are of each, also of those that are not told. */
    public Map<Invariant, Long> found() {
        return new EnumMap<>(found);
    }

    public int count(PaymentCount count) {
        return counted.getOrDefault(count, Set.of()).size();
    }
}
