// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.option.Range;
import io.chargeonce.load.proof.Proof;
import io.chargeonce.runtime.Build;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "proof", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Proves the commit of this build, in a checkout: all planted bugs, then campaigns, universes, attacks and "
                + "conformance, until the time is over. Each result is put on record in proof/results/COMMIT.json, and at the end in "
                + "the pages' tables. Stopped or killed, the same command goes on with what is not on record.",
        footer = {"", "Exit code: 0 if all that is on record for the commit is as it must be, else 1.", "", "Example: a night.",
            "  chargeonce load proof --hours 8"})
final class ProofCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--hours", required = true, paramLabel = "H", description = "How long new parts are begun, from 0.5 to 1000.")
    double hours;

    @Override
    public Integer call() throws Exception {
        new Range(0.5, 1_000).require(spec, "--hours", hours);
        refusal(Build.CURRENT, Path.of("")).ifPresent(why -> {
            throw new ParameterException(spec.commandLine(), why);
        });
        Writable.requireCheckout(spec);
        var proof = new Proof(spec.commandLine().getOut(), Path.of(""), Build.CURRENT.commit(),
                Duration.ofSeconds(Math.round(hours * 3_600)));
        Runtime.getRuntime().addShutdownHook(new Thread(proof::stop, "proof-stops"));
        return proof.run() ? 0 : 1;
    }

    /** Why what this build does proves nothing about a commit. */
    static Optional<String> refusal(Build build, Path root) {
        if (Files.isRegularFile(root.resolve(".git"))) {
            return Optional.of("builds in a linked worktree name the commit of the main one: clone the repository, and prove the clone");
        }
        if (!build.commit().matches("[0-9a-f]+")) {
            return Optional.of("this build knows no commit: build it in a Git checkout, by ./chargeonce there");
        }
        return build.changed() ? Optional.of(("this build has changes that commit %s has not: commit or undo them, and 'touch pom.xml', so "
                + "that ./chargeonce builds it again").formatted(build.commit())) : Optional.empty();
    }
}
