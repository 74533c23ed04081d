// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import io.chargeonce.dlq.run.RunTerms;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** How careful a run is. */
public final class RunTermsOptions {

    @Option(names = "--canary", paramLabel = "N",
            description = "N go first. Then the run stops, for you to look at them, and --resume goes on. Without it there is no canary. "
                    + "Only a merge goes on by itself once they have ended well, and its default is 5%% of what it would charge, at least "
                    + "1 and at most 100; 0 is none.")
    Optional<String> canary;

    @Option(names = "--rate", paramLabel = "N",
            description = "N a second. What is refused does not count. Only a merge doubles it while all goes well.")
    Optional<String> rate;

    public boolean any() {
        return canary.isPresent() || rate.isPresent();
    }

    public RunTerms terms(InputProblems problems) {
        return RunTerms.unjudged(canary(problems), number("--rate", rate, problems));
    }

    OptionalInt canary(InputProblems problems) {
        return canary.filter("0"::equals).isPresent() ? OptionalInt.of(0) : number("--canary", canary, problems);
    }

    static OptionalInt number(String option, Optional<String> given, InputProblems problems) {
        return problems.number(option, given).map(OptionalInt::of).orElse(OptionalInt.empty());
    }
}
