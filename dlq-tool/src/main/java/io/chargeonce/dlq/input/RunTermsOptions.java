// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import io.chargeonce.dlq.merge.RunTerms;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** How careful a merge is. */
public final class RunTermsOptions {

    @Option(names = "--canary", paramLabel = "N",
            description = "N payments go first, and the rest once these have ended well. The default is 5%% of what would be charged, "
                    + "at least 1 and at most 100; 0 is no canary.")
    Optional<String> canary;

    @Option(names = "--rate", paramLabel = "N",
            description = "N a second at first, doubled while all goes well. Poison and refused payments do not count.")
    Optional<String> rate;

    @Option(names = "--max-rate", paramLabel = "N", description = "At most N a second.")
    Optional<String> maxRate;

    @Option(names = "--abort-above", paramLabel = "PERCENT",
            description = "Stop when more than this share fail again. The default is 10%%.")
    Optional<String> abortAbove;

    @Option(names = "--even-capped", description = "Also payments that were merged too often already. Needs ids.")
    public boolean evenCapped;

    public boolean any() {
        return canary.isPresent() || rate.isPresent() || maxRate.isPresent() || abortAbove.isPresent() || evenCapped;
    }

    public RunTerms terms(Problems problems) {
        OptionalInt canaryOf = canary.filter("0"::equals).isPresent() ? OptionalInt.of(0) : number("--canary", canary, problems);
        OptionalInt most = number("--max-rate", maxRate, problems);
        OptionalInt begin = rate.isEmpty() ? most : number("--rate", rate, problems);
        if (begin.isPresent() && most.isPresent() && most.getAsInt() < begin.getAsInt()) {
            problems.add("--max-rate is %d, but must not be below the --rate of %d".formatted(most.getAsInt(), begin.getAsInt()));
            return new RunTerms(canaryOf, begin, OptionalInt.empty(), percent(problems), evenCapped);
        }
        return new RunTerms(canaryOf, begin, most, percent(problems), evenCapped);
    }

    private static OptionalInt number(String option, Optional<String> given, Problems problems) {
        return problems.number(option, given).map(OptionalInt::of).orElse(OptionalInt.empty());
    }

    private int percent(Problems problems) {
        if (abortAbove.isEmpty()) {
            return RunTerms.USUAL_ABORT_ABOVE_PERCENT;
        }
        if (!abortAbove.get().matches("(100|\\d{1,2})%?")) {
            problems.add("--abort-above is '%s', but must be a share from 0%% to 100%%".formatted(abortAbove.get()));
            return RunTerms.USUAL_ABORT_ABOVE_PERCENT;
        }
        return Integer.parseInt(abortAbove.get().replace("%", ""));
    }
}
