// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.load.chaos.woven.CrashPoint;
import io.chargeonce.load.chaos.woven.ShiftedClock;
import io.chargeonce.load.chaos.woven.ShortTransactions;
import io.chargeonce.load.game.Reached;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One process of ours, that can be killed, frozen and started again. It never outlives us. For one thread. */
final class Child {

    /** While there is such a file, see {@link ShortTransactions}. */
    static final String SHORT_TRANSACTIONS = "short-transactions";
    /** The directory of what {@link Reached} leaves. */
    static final String REACHED = "reached";

    private final String name;
    private final List<String> arguments;
    private final Map<String, String> environment;
    /** Beside the usual; empty means unset. */
    private final Map<String, Optional<String>> changes = new HashMap<>();
    private final Path directory;
    private final Path changedClasses;
    private Optional<Process> process = Optional.empty();
    private boolean frozen;

    /**
     * @param arguments      what {@link ServiceMain} takes
     * @param changedClasses run in place of those of the same name
     */
    Child(String name, List<String> arguments, Map<String, String> environment, Path directory, Path changedClasses) {
        this.name = name;
        this.arguments = arguments;
        this.environment = environment;
        this.directory = directory;
        this.changedClasses = changedClasses;
    }

    String name() {
        return name;
    }

    Path log() {
        return directory.resolve(name + ".log");
    }

    void startIfDead() {
        if (!isAlive()) {
            frozen = false;
            process = Optional.of(launch(Files.exists(classes()) ? List.of("-XX:SharedArchiveFile=" + classes()) : List.of()));
        }
    }

    /** When it has ended politely, all its successors start in less time, with the classes that it had loaded. */
    void startForRehearsal() {
        process = Optional.of(launch(List.of("-XX:ArchiveClassesAtExit=" + classes())));
    }

    private Path classes() {
        return directory.resolve(name + ".jsa");
    }

    boolean isAlive() {
        return process.filter(Process::isAlive).isPresent();
    }

    private Process launch(List<String> more) {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED",
                "-Xlog:disable",
                "-Dlogback.configurationFile=logback-chaos.xml", "-Dchargeonce.crash=" + armed(), "-Dchargeonce.clock=" + clock(),
                "-D" + Reached.DIRECTORY + "=" + directory.resolve(REACHED),
                "-Dchargeonce.short-transactions=" + directory.resolve(SHORT_TRANSACTIONS),
                "-cp", changedClasses + File.pathSeparator + System.getProperty("java.class.path"), ServiceMain.class.getName()));
        command.addAll(arguments);
        command.addAll(1, more);
        var builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment().keySet().removeIf(variable -> variable.startsWith("CHARGEONCE_"));
        builder.environment().putAll(environment);
        changes.forEach((variable, value) -> value.ifPresentOrElse(given -> builder.environment().put(variable, given),
                () -> builder.environment().remove(variable)));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + name + ": " + e.getMessage(), e);
        }
    }

    /** Ends it and starts it again with other settings: empty means unset. They stay until they are the usual ones again. */
    void restartWith(Map<String, Optional<String>> settings, Duration patience) {
        terminate(patience);
        changes.clear();
        changes.putAll(settings);
        startIfDead();
    }

    /** Does nothing if its settings are the usual ones. */
    void restartAsUsual(Duration patience) {
        if (!changes.isEmpty()) {
            restartWith(Map.of(), patience);
        }
    }

    private Path clock() {
        return directory.resolve(name + ".clock");
    }

    /** Its wall clock is so much off from now on, also in its successors; zero is right again. See {@link ShiftedClock}. */
    void shiftClock(Duration shift) {
        try {
            if (shift.isZero()) {
                Files.deleteIfExists(clock());
            } else {
                Path whole = Files.writeString(directory.resolve(name + ".setting-clock"), "" + shift.toMillis());
                Files.move(whole, clock(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SIGKILL. */
    void kill() {
        process.ifPresent(running -> {
            running.destroyForcibly();
            awaitEnd(running);
        });
        frozen = false;
    }

    /** SIGTERM: it may finish what it is doing. */
    void askToEnd() {
        thaw();
        process.ifPresent(Process::destroy);
    }

    /** SIGTERM, and SIGKILL at the end of the patience. */
    void terminate(Duration patience) {
        askToEnd();
        process.ifPresent(running -> {
            try {
                if (!running.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                    kill();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static void awaitEnd(Process running) {
        try {
            running.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** SIGSTOP: alive, and not moving. */
    void freeze() {
        if (isAlive()) {
            signal("STOP");
            frozen = true;
        }
    }

    /** SIGCONT. */
    void thaw() {
        if (frozen && isAlive()) {
            signal("CONT");
        }
        frozen = false;
    }

    private void signal(String signal) {
        try {
            var command = new ProcessBuilder("kill", "-" + signal, Long.toString(process.orElseThrow().pid()));
            awaitEnd(command.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send SIG%s to %s: %s".formatted(signal, name, e.getMessage()), e);
        }
    }

    private Path armed() {
        return directory.resolve(name + ".crash");
    }

    /** The process dies the next time it comes to this place. */
    void arm(CrashPoint point) {
        try {
            // Moved into place whole, so that a reader never sees half a name.
            Path whole = Files.writeString(directory.resolve(name + ".arming"), point.tag());
            Files.move(whole, armed(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Until it has died where it should. */
    boolean isArmed() {
        return Files.exists(armed());
    }

    void disarm() {
        try {
            Files.deleteIfExists(armed());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
