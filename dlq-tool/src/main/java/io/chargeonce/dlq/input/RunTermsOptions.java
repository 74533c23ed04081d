// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import io.chargeonce.dlq.run.RunTerms;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** How careful a run is. */
public final class RunTermsOptions {

    @Option(names = "--canary", paramLabel = "N",
            description = "N go first. A merge goes on by itself once these have ended well; any other change stops then, for you to "
                    + "look at them, and --resume goes on. The default is 5%% of what a merge would charge, at least 1 and at most 100, "
                    + "and none for other changes; 0 is no canary.")
    Optional<String> canary;

    @Option(names = "--rate", paramLabel = "N",
            description = "N a second; a merge doubles it while all goes well. What is refused does not count.")
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
