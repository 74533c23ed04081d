// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.record.Run;
import io.chargeonce.load.record.Runs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(name = "keep", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Puts a run of a drill on record, with this build's commit and the day, and writes the pages' tables again; without "
                + "a run only these. deploy/drill calls it when KEEP is set.",
        footer = {"", "Example:", "  chargeonce load keep drill cut verdict=balanced accepted=3527"})
final class KeepCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--runs", defaultValue = "docs/runs.jsonl", paramLabel = "FILE",
            description = "The file of the runs, beside the pages. Default: ${DEFAULT-VALUE}.")
    Path file;

    @Parameters(index = "0", arity = "0..1", paramLabel = "KIND", description = "Which table: drill, for example.")
    Optional<String> kind = Optional.empty();

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "What was run; its row is replaced.")
    Optional<String> name = Optional.empty();

    @Parameters(index = "2..*", arity = "0..*", paramLabel = "HEADING=TEXT", description = "What the row says.")
    Map<String, String> figures = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException {
        Writable.require(spec, "--runs", file);
        if (kind.isEmpty()) {
            Runs.in(file).write();
            return 0;
        }
        String what = name.orElseThrow(() -> new ParameterException(spec.commandLine(), "say which %s was run".formatted(kind.get())));
        var cells = new LinkedHashMap<>(Map.of(kind.get(), "`" + what + "`"));
        cells.putAll(figures);
        Runs.in(file).keep(Run.now(kind.get(), what, cells));
        return 0;
    }
}
