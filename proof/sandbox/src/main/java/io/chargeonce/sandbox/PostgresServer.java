// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A real Postgres as a child process, reachable on 127.0.0.1 only, user {@code postgres} without a password. A commit is on
 * disk before it is answered: start fails if fsync or synchronous_commit is off. A Postgres that a killed process left over
 * the same directory is stopped first. The caller that starts a server closes it. Any thread may ask for addresses; stop, restart and
 * close one thread at a time.
 */
public final class PostgresServer implements AutoCloseable {
    /** How a server goes down: FAST rolls back what is open and writes everything out; IMMEDIATE is a crash. */
    public enum Stop {
        FAST, IMMEDIATE
    }

    private static final String DATABASE = "chargeonce";

    private final EmbeddedPostgres postgres;
    private final PostgresControl control;
    private final DirectoryLock lock;
    private Optional<Path> temporary = Optional.empty();
    private boolean closed;

    private PostgresServer(EmbeddedPostgres postgres, PostgresControl control, DirectoryLock lock) {
        this.postgres = postgres;
        this.control = control;
        this.lock = lock;
    }

    /**
     * Starts Postgres over a directory, which is initialised when it is empty and kept afterwards.
     *
     * @param port the port to listen on, or 0 for any free one
     * @throws IllegalStateException if the port or the directory is in use, or Postgres is not durable
     */
    public static PostgresServer start(Path dataDirectory, int port) {
        Path data = dataDirectory.toAbsolutePath().normalize();
        DirectoryLock lock = DirectoryLock.take("Postgres", data, lockFile(data));
        try {
            PostgresControl control = new PostgresControl(data);
            control.stopLeftOver(Stop.FAST);
            int chosen = LoopbackPort.choose("Postgres", port);
            return ready(new PostgresServer(launch(data, chosen, control), control, lock));
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static Path lockFile(Path data) {
        return data.resolveSibling(data.getFileName() + ".lock");
    }

    /** Whether a killed process left a Postgres over this directory that listens on the port: {@link #start} stops it. */
    public static boolean isLeftOver(Path dataDirectory, int port) {
        Path data = dataDirectory.toAbsolutePath().normalize();
        return new PostgresControl(data).listensOn(port) && !DirectoryLock.isHeld(lockFile(data));
    }

    private static PostgresServer ready(PostgresServer server) {
        try {
            PostgresDatabases.requireDurable(server.jdbcUrl("postgres"));
            PostgresDatabases.createIfMissing(server.jdbcUrl("postgres"), DATABASE);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Starts Postgres on any free port over a temporary directory, which {@link #close} removes. */
    public static PostgresServer startTemporary() {
        Path directory = Directories.temporary("postgres");
        PostgresServer server = start(directory.resolve("data"), 0);
        server.temporary = Optional.of(directory);
        return server;
    }

    private static EmbeddedPostgres launch(Path dataDirectory, int port, PostgresControl control) {
        long logged = control.log().toFile().length();
        try {
            PostgresBinaries.removeHalfUnpacked(PostgresBinaries.sharedDirectory());
            if (control.neverStarted()) {
                // A kill while it was initialised. Nothing was ever stored in it, and Postgres cannot use half of it.
                Directories.remove(dataDirectory);
            }
            Files.createDirectories(dataDirectory);
            Redirect log = Redirect.appendTo(control.log().toFile());
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                    .setDataDirectory(dataDirectory).setCleanDataDirectory(false).setPort(port)
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .setErrorRedirector(log).setOutputRedirector(log)
                    .setRegisterShutdownHook(false);
            builder.setServerConfig("listen_addresses", LoopbackPort.HOST);
            PostgresSettings.DURABLE_AND_SMALL.forEach(builder::setServerConfig);
            return builder.start();
        } catch (IOException | IllegalStateException e) {
            throw new IllegalStateException("Postgres did not start over " + dataDirectory + " on port " + port + ": "
                    + control.complaintSince(logged).orElse(e.getMessage()) + "; see " + control.log(), e);
        }
    }

    /** JDBC URL of the database {@code chargeonce}, user included. */
    public String jdbcUrl() {
        return jdbcUrl(DATABASE);
    }

    public String jdbcUrl(String database) {
        return "jdbc:postgresql://" + LoopbackPort.HOST + ":" + port() + "/" + database + "?user=postgres";
    }

    public int port() {
        return postgres.getPort();
    }

    /** JDBC URL of a fresh, empty database. */
    public String newDatabase() {
        return PostgresDatabases.createNew(this::jdbcUrl);
    }

    /** Takes the server down; {@link #startAgain} brings it back on the same port with the same data. */
    public synchronized void stop(Stop mode) {
        control.stop(mode);
    }

    public synchronized void startAgain() {
        control.startAgain();
    }

    public synchronized void restart(Stop mode) {
        control.stop(mode);
        control.startAgain();
    }

    /** Stops the server and keeps its directory, unless that is temporary. A second call does nothing. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (temporary.isPresent()) {
            // To write out what is never read again can take half a minute.
            control.stopLeftOver(Stop.IMMEDIATE);
            lock.close();
            Directories.remove(temporary.get());
        } else {
            closeInOrder();
            lock.close();
        }
    }

    private void closeInOrder() {
        try {
            postgres.close();
            // The library waits five seconds and gives up; a server with much to write out takes longer.
            control.stopLeftOver(Stop.FAST);
        } catch (IOException e) {
            throw new UncheckedIOException("Postgres on port " + port() + " did not stop; see " + control.log(), e);
        }
    }
}
