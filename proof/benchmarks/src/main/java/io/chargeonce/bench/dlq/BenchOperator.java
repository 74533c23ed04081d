// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.dlq;

import io.chargeonce.bench.measure.Ground;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A person at a terminal, who calls {@code ./chargeonce dlq}. The launcher becomes the command's own process, so a kill meets that. */
final class BenchOperator {

    /** What the launcher gives the commands. */
    static final int HEAP_MIB = 128;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(100);

    private final Ground.Plot plot;
    private final Path launcher;

    BenchOperator(Ground.Plot plot, Path launcher) {
        this.plot = plot;
        this.launcher = launcher.toAbsolutePath();
    }

    /** The first call after a build keeps the loaded classes for those that follow, behind its back; older ones are of another queue. */
    void getReady() throws IOException, InterruptedException {
        for (Path old : keptClasses()) {
            Files.delete(old);
        }
        time("list");
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (keptClasses().isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    private List<Path> keptClasses() throws IOException {
        try (Stream<Path> files = Files.list(launcher.resolveSibling("app").resolve("target"))) {
            return files.filter(file -> file.getFileName().toString().matches("dlq-\\d+\\.classes")).toList();
        }
    }

    Process start(String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(launcher.toString(), "dlq"));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD);
        builder.environment().put("CHARGEONCE_DATABASE_URL", plot.jdbcUrl());
        builder.environment().put("CHARGEONCE_DATABASE_USER", "postgres");
        builder.environment().put("CHARGEONCE_TOPIC_PREFIX", plot.topics().prefix());
        return builder.start();
    }

    /** Milliseconds from the process's start to its end. */
    double time(String... arguments) throws IOException, InterruptedException {
        long start = System.nanoTime();
        int code = start(arguments).waitFor();
        if (code != 0) {
            throw new IllegalStateException("dlq " + String.join(" ", arguments) + " ended with " + code);
        }
        return (System.nanoTime() - start) / 1e6;
    }
}
