// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.options;

import io.chargeonce.dlq.input.FilterOptions;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.query.DeadLetterFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What to change: ids, a filter, or explicitly everything. */
public final class SelectionOptions {

    @Parameters(paramLabel = "ID", arity = "0..*", description = "Only these dead letters.")
    List<String> ids = new ArrayList<>();

    @Mixin
    FilterOptions filters;

    @Option(names = "--all", description = "Everything in the queue.")
    boolean all;

    @Option(names = "--yes", description = "Do it. Without it, the command only shows what it would do.")
    public boolean yes;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in the audit log.")
    public Optional<String> reason;

    @Option(names = "--expect-count", paramLabel = "N", description = "Refuse unless exactly N dead letters are selected.")
    Optional<String> expectCount;

    @Option(names = "--expect-fingerprint", paramLabel = "F", description = "Refuse unless the set has this fingerprint.")
    Optional<String> expectFingerprint;

    public Expected expected(InputProblems problems) {
        Optional<Integer> count = expectCount.filter("0"::equals).map(Integer::valueOf)
                .or(() -> problems.number("--expect-count", expectCount));
        return new Expected(count, expectFingerprint);
    }

    /** Whether a set is named at all. */
    public boolean any() {
        return !ids.isEmpty() || all || yes || expectCount.isPresent() || expectFingerprint.isPresent()
                || !filters.filter(Optional.empty(), new InputProblems()).isEverything();
    }

    public DeadLetterFilter filter(InputProblems problems) {
        DeadLetterFilter filter = filters.filter(ids.isEmpty() ? Optional.empty() : Optional.of(ids), problems);
        if (all && !filter.isEverything()) {
            problems.add("--all means everything, so name no ids and no filter with it");
        } else if (!all && filter.isEverything() && !problems.any()) {
            problems.add("name ids or a filter, or say --all");
        } else if (!ids.isEmpty() && !filter.equals(DeadLetterFilter.ofIds(ids))) {
            problems.add("name ids or a filter, not both");
        }
        return filter;
    }
}
