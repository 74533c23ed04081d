package io.chargeonce.load.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One process of ours, that can be killed, frozen and started again. It never outlives us. For one thread. */
final class Child {

    private final String name;
    private final List<String> arguments;
    private final Map<String, String> environment;
    private final Path directory;
    private final Optional<String> plant;
    private Optional<Process> process = Optional.empty();
    private boolean frozen;

    /** @param arguments what {@link ServiceMain} takes */
    Child(String name, List<String> arguments, Map<String, String> environment, Path directory, Optional<String> plant) {
        this.name = name;
        this.arguments = arguments;
        this.environment = environment;
        this.directory = directory;
        this.plant = plant;
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
            process = Optional.of(launch());
        }
    }

    boolean isAlive() {
        return process.filter(Process::isAlive).isPresent();
    }

    private Process launch() {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "--enable-native-access=ALL-UNNAMED",
                "-Dlogback.configurationFile=logback-chaos.xml", "-Dchargeonce.crash=" + armed(),
                "-cp", System.getProperty("java.class.path")));
        plant.ifPresent(bug -> command.add(1, "-Dchargeonce.plant=" + bug));
        command.add(Weaver.class.getName());
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment().keySet().removeIf(variable -> variable.startsWith("CHARGEONCE_"));
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + name + ": " + e.getMessage(), e);
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
    void terminate(Duration patience) {
        thaw();
        process.ifPresent(running -> {
            running.destroy();
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

    /** Whether it has died where it should since it was armed; it is no longer armed afterwards. */
    boolean disarm() {
        try {
            boolean unhit = Files.deleteIfExists(armed());
            return !unhit;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
