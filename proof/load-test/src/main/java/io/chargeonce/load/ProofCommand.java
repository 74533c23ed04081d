// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.option.Range;
import io.chargeonce.load.proof.Proof;
import io.chargeonce.load.simulation.Series;
import io.chargeonce.runtime.Build;
import io.chargeonce.sandbox.DirectoryLock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "proof", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Proves the commit of this build, in a checkout: all planted bugs, then campaigns, universes, attacks and "
                + "conformance, until the time is over. Each result is put on record in proof/results/COMMIT.json, and at the end in "
                + "the pages' tables. Stopped or killed, the same command goes on with what is not on record.",
        footer = {"", "Exit code: 0 if all that is on record for the commit is as it must be, or was when run once more; else 1.", "",
            "Example: a night.", "  chargeonce load proof --hours 8"})
final class ProofCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--hours", required = true, paramLabel = "H", description = "How long new parts are begun, from 0.5 to 1000.")
    double hours;

    @Override
    public Integer call() throws Exception {
        new Range(0.5, 1_000).require(spec, "--hours", hours);
        requireCommit(spec);
        Writable.requireCheckout(spec);
        try (var alone = alone(Path.of("")).orElseThrow(() -> new ParameterException(spec.commandLine(),
                "another proof runs in this checkout: wait for its end, or stop it"))) {
            // Before anything makes a virtual thread: campaigns and attacks are to run as by their own commands.
            Series.carryByAllProcessors();
            var proof = new Proof(spec.commandLine().getOut(), Path.of(""), Build.CURRENT.commit(),
                    Duration.ofSeconds(Math.round(hours * 3_600)));
            Runtime.getRuntime().addShutdownHook(new Thread(proof::stop, "proof-stops"));
            return proof.run() ? 0 : 1;
        }
    }

    /** Empty if another process has it. */
    static Optional<DirectoryLock> alone(Path root) throws IOException {
        return DirectoryLock.tryTake(Files.createDirectories(root.resolve(".chargeonce")).resolve("proof.lock"));
    }

    /** @throws ParameterException if what this build does proves nothing about a commit */
    static void requireCommit(CommandSpec command) throws IOException {
        Optional<String> why = refusal(Build.CURRENT, Path.of("").toAbsolutePath(), Path.of(System.getProperty("chargeonce.folder", "")));
        if (why.isPresent()) {
            throw new ParameterException(command.commandLine(), why.get());
        }
    }

    /**
     * Why what this build does proves nothing about a commit.
     *
     * @param root   where this runs
     * @param folder where the build is
     */
    static Optional<String> refusal(Build build, Path root, Path folder) throws IOException {
        if (!folder.toRealPath().equals(root.toRealPath())) {
            return Optional.of("this is the build of %s: run it there".formatted(folder));
        }
        if (Files.isRegularFile(root.resolve(".git"))) {
            return Optional.of("builds in a linked worktree name the commit of the main one: clone the repository, and prove the clone");
        }
        if (!build.commit().matches("[0-9a-f]+")) {
            return Optional.of("this build knows no commit: build it in a Git checkout, by ./chargeonce there");
        }
        String head = git(root, "rev-parse", "HEAD");
        if (!head.startsWith(build.commit())) {
            return Optional.of("this build is of commit %s, but HEAD is %s: 'touch pom.xml', so that ./chargeonce builds it"
                    .formatted(build.commit(), head));
        }
        // Pages and results do not count: a proof writes them itself.
        String changes = git(root, "status", "--porcelain", "--untracked-files=all", "--", ":(glob)**/pom.xml", ":(glob)**/src/main/**");
        return changes.isEmpty() ? Optional.empty() : Optional.of("there are sources that commit %s has not: commit or undo them, and "
                .formatted(build.commit()) + "'touch pom.xml', so that ./chargeonce builds it again:\n" + changes);
    }

    /** What it says, also if it fails. */
    private static String git(Path root, String... words) throws IOException {
        var git = new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(words)).toList()).directory(root.toFile())
                .redirectErrorStream(true).start();
        return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
