// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import picocli.CommandLine.ParameterException;
import io.chargeonce.bench.measure.Results;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What every bench takes. */
final class BenchOptions {

    @Spec(Spec.Target.MIXEE)
    CommandSpec spec;

    @Option(names = "--json", description = "Print the result as one line of JSON and nothing else.")
    boolean json;

    @Option(names = "--results", defaultValue = "benchmarks/results", paramLabel = "DIR",
            description = "The folder of the raw results. Default: ${DEFAULT-VALUE}.")
    Path results;

    /** @throws ParameterException naming the option and its range, ends included */
    void require(String option, double number, double least, double most) {
        if (!(number >= least && number <= most)) {
            throw new ParameterException(spec.commandLine(), "%s is %s, but must be from %s to %s".formatted(option, plain(number),
                    plain(least), plain(most)));
        }
    }

    private static String plain(double number) {
        return Double.isFinite(number) ? BigDecimal.valueOf(number).stripTrailingZeros().toPlainString() : "no number";
    }

    /** @throws ParameterException if one of these names is not among the known */
    void requireKnown(List<String> against, Collection<String> known) {
        against.stream().filter(name -> !name.equals("none") && !known.contains(name)).findFirst().ifPresent(name -> {
            throw new ParameterException(spec.commandLine(), "--against: there is no '%s'; there are %s, and 'none'".formatted(name,
                    String.join(", ", known)));
        });
    }

    PrintWriter story() {
        return new PrintWriter(json ? Writer.nullWriter() : out(), true);
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Prints it, and keeps it under the bench's name and setting. */
    void finish(String name, Map<String, ?> result) {
        new Results(results).keep(name, result);
        out().println(Results.line(result));
        out().flush();
    }

    /** 0 if it says that the books balanced, else 1. */
    int finishBalanced(String name, Map<String, ?> result) {
        finish(name, result);
        return result.get("balanced").equals(true) ? 0 : 1;
    }
}
