// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Stops and starts the Postgres over one data directory from the outside, knowing only what Postgres wrote there. One
 * thread at a time.
 */
final class PostgresControl {
    private static final int PATIENCE_SECONDS = 60;
    private static final Pattern COMPLAINT = Pattern.compile("error:|FATAL:|PANIC:");

    private final Path dataDirectory;

    PostgresControl(Path dataDirectory) {
        this.dataDirectory = dataDirectory;
    }

    /** Stops the Postgres that a killed process left over this directory, if it still runs. True if there was one. */
    boolean stopLeftOver(PostgresServer.Stop mode) {
        Optional<ProcessHandle> postmaster = postmaster();
        if (postmaster.isEmpty()) {
            return false;
        }
        stop(mode);
        return true;
    }

    /** True for a directory that was initialised, wholly or in part, but has never served. */
    boolean neverStarted() {
        return Files.exists(dataDirectory.resolve("PG_VERSION")) && !Files.exists(dataDirectory.resolve("postmaster.opts"));
    }

    /** The running postmaster of this directory. A pid that now belongs to another program or another Postgres does not count. */
    Optional<ProcessHandle> postmaster() {
        Path pidFile = dataDirectory.resolve("postmaster.pid");
        if (!Files.exists(pidFile)) {
            return Optional.empty();
        }
        long pid = Long.parseLong(lines(pidFile).getFirst().strip());
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).filter(this::servesThisDirectory);
    }

    /** Postgres writes its port into the fourth line. */
    boolean listensOn(int port) {
        return postmaster().isPresent() && lines(dataDirectory.resolve("postmaster.pid")).stream().skip(3).limit(1)
                .anyMatch(line -> line.strip().equals("" + port));
    }

    private boolean servesThisDirectory(ProcessHandle process) {
        ProcessHandle.Info info = process.info();
        boolean postgres = info.command().map(command -> command.contains("postgres")).orElse(false);
        // Some systems do not show the arguments of a process; then its name has to do.
        return postgres && info.arguments().map(all -> Arrays.stream(all).anyMatch(this::isThisDirectory)).orElse(true);
    }

    /** The server may have been started over another name of the directory. */
    private boolean isThisDirectory(String argument) {
        try {
            return Files.isSameFile(Path.of(argument), dataDirectory);
        } catch (IOException | InvalidPathException noSuchFile) {
            return false;
        }
    }

    void stop(PostgresServer.Stop mode) {
        pgCtl("stop", "-m", mode.name().toLowerCase(Locale.ROOT));
    }

    /** Starts with the options of the last start, which Postgres keeps beside its data. */
    void startAgain() {
        pgCtl("restart");
    }

    private void pgCtl(String... action) {
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            // Postgres refuses to run as root; in a user namespace of its own it does not see that it is.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(binary("pg_ctl"), "-D", dataDirectory.toString(), "-w", "-t", Integer.toString(PATIENCE_SECONDS)));
        command.addAll(List.of(action));
        run(command);
    }

    /** Postgres writes the command of its last start, with the full path of its binary, into postmaster.opts. */
    private String binary(String name) {
        String lastStart = lines(dataDirectory.resolve("postmaster.opts")).getFirst();
        return Path.of(lastStart.substring(0, lastStart.indexOf(" \""))).resolveSibling(name).toString();
    }

    private void run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile())).start();
            if (!process.waitFor(PATIENCE_SECONDS + 5, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException("Postgres over " + dataDirectory + " did not obey " + command + "; see " + log());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + command, e);
        }
    }

    /**
     * Where the server and its tools write: not into a pipe to a process that may be killed, and beside the data directory,
     * because a new one must be empty.
     */
    Path log() {
        return dataDirectory.resolveSibling(dataDirectory.getFileName() + ".log");
    }

    /** The last error in the log after this position: why Postgres did not start. */
    Optional<String> complaintSince(long position) {
        try (var log = Files.newBufferedReader(log())) {
            log.skip(position);
            return log.lines().filter(line -> COMPLAINT.matcher(line).find()).reduce((first, last) -> last);
        } catch (IOException none) {
            return Optional.empty();
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
