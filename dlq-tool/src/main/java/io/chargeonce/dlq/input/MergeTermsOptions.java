// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import io.chargeonce.dlq.run.RunTerms;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** What only a merge has: it is judged by what becomes of its payments. */
public final class MergeTermsOptions {

    @Option(names = "--max-rate", paramLabel = "N", description = "At most N a second.")
    Optional<String> maxRate;

    @Option(names = "--abort-above", paramLabel = "PERCENT",
            description = "Abort when more than this share fail again. The default is 10%%.")
    Optional<String> abortAbove;

    @Option(names = "--even-capped", description = "Also payments that were merged too often already. Needs ids.")
    public boolean evenCapped;

    public boolean any() {
        return maxRate.isPresent() || abortAbove.isPresent() || evenCapped;
    }

    public RunTerms terms(RunTermsOptions careful, InputProblems problems) {
        OptionalInt canaryOf = careful.canary(problems);
        OptionalInt most = RunTermsOptions.number("--max-rate", maxRate, problems);
        OptionalInt begin = careful.rate.isEmpty() ? most : RunTermsOptions.number("--rate", careful.rate, problems);
        if (begin.isPresent() && most.isPresent() && most.getAsInt() < begin.getAsInt()) {
            problems.add("--max-rate is %d, but must not be below the --rate of %d".formatted(most.getAsInt(), begin.getAsInt()));
            return new RunTerms(canaryOf, begin, OptionalInt.empty(), percent(problems), evenCapped);
        }
        return new RunTerms(canaryOf, begin, most, percent(problems), evenCapped);
    }

    private int percent(InputProblems problems) {
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
