// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.record.Results;
import io.chargeonce.load.record.Run;
import io.chargeonce.load.record.Runs;
import io.chargeonce.runtime.Build;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(name = "keep", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Puts a run of a drill on record, with this build's commit and the day, and writes the pages' tables again; without "
                + "a run only these. Runs in a checkout; to put a run on record, its sources must be committed. "
                + "deploy/drill calls it when KEEP is set.",
        footer = {"", "Example:", "  chargeonce load keep drill cut verdict=balanced accepted=3527"})
final class KeepCommand implements Callable<Integer> {

    private static final Set<String> KINDS = Set.of("drill", "check");

    @Spec
    CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "KIND", description = "Which table: drill or check.")
    Optional<String> kind = Optional.empty();

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "What was run; its row is replaced.")
    Optional<String> name = Optional.empty();

    @Parameters(index = "2..*", arity = "0..*", paramLabel = "HEADING=TEXT", description = "What the row says.")
    Map<String, String> figures = new LinkedHashMap<>();

    @Override
    public Integer call() throws IOException {
        if (kind.isPresent() && !KINDS.contains(kind.get())) {
            throw new ParameterException(spec.commandLine(), "a run of kind '%s' is kept by what runs it: name drill or check"
                    .formatted(kind.get()));
        }
        Writable.requireCheckout(spec);
        if (kind.isPresent()) {
            ProofCommand.requireCommit(spec);
            Results.of(Path.of(""), Build.CURRENT.commit()).keep(run());
        }
        Runs.in(Path.of("")).write();
        return 0;
    }

    private Run run() {
        String what = name.orElseThrow(() -> new ParameterException(spec.commandLine(), "say which %s was run"
                .formatted(kind.orElseThrow())));
        var cells = new LinkedHashMap<>(Map.of(kind.orElseThrow(), "`" + what + "`"));
        cells.putAll(figures);
        return new Run(kind.orElseThrow(), what, cells);
    }
}
