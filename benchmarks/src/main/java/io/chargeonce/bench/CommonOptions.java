// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import io.chargeonce.bench.measure.Results;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What every bench takes. */
final class CommonOptions {

    @Spec(Spec.Target.MIXEE)
    CommandSpec spec;

    @Option(names = "--json", description = "Print the result as one line of JSON and nothing else.")
    boolean json;

    @Option(names = "--results", defaultValue = "benchmarks/results", paramLabel = "DIR",
            description = "Where the raw result is kept. Default: ${DEFAULT-VALUE}.")
    Path results;

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
}
