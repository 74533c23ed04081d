// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.chargeonce.database.pooler.OwnSessions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;

/**
 * For a command that a person waits for, which mostly needs one connection. It is opened when first needed, kept for the next use, and
 * closed after any error. It has no threads, and does not wait for a Postgres that cannot be reached.
 */
final class KeptConnections implements Connections {

    /** A connection that was idle for longer may have been cut off, and is checked before use. */
    private static final Duration TRUSTED = Duration.ofMillis(500);
    private static final int SECONDS_TO_ANSWER = 2;

    private record Kept(Connection connection, long since) {}

    private final String url;
    private final Supplier<Properties> properties;
    private final String prepare;
    private final OwnSessions sessions = OwnSessions.comparedBehindPooler();
    private final ConcurrentLinkedDeque<Kept> kept = new ConcurrentLinkedDeque<>();

    /**
     * @param password       read for each new connection
     * @param longestSilence how long an answer may take; {@code socketTimeout} in the address overrides it
     */
    KeptConnections(String url, String user, Supplier<String> password, String prepare, Duration longestSilence) {
        this.url = url;
        this.prepare = prepare;
        this.properties = () -> {
            Properties login = DriverProperties.with(user, password.get());
            login.setProperty("socketTimeout", "" + longestSilence.toSeconds());
            login.setProperty("connectTimeout", "" + SECONDS_TO_ANSWER);
            return login;
        };
    }

    @Override
    public <T> T lend(Database.Work<T> work) throws SQLException {
        sessions.require(this::open);
        Connection connection = take();
        T result;
        try {
            result = work.with(connection);
        } catch (SQLException | RuntimeException | Error e) {
            discard(connection, e);
            throw e;
        }
        kept.push(new Kept(connection, System.nanoTime()));
        return result;
    }

    private Connection take() throws SQLException {
        for (Kept next = kept.poll(); next != null; next = kept.poll()) {
            if (System.nanoTime() - next.since < TRUSTED.toNanos() || next.connection.isValid(SECONDS_TO_ANSWER)) {
                return next.connection;
            }
            next.connection.close();
        }
        return open();
    }

    private Connection open() throws SQLException {
        Connection connection = DriverManager.getConnection(url, properties.get());
        try (var statement = connection.createStatement()) {
            statement.execute(prepare);
            return connection;
        } catch (SQLException e) {
            discard(connection, e);
            throw e;
        }
    }

    private static void discard(Connection connection, Throwable because) {
        try {
            connection.close();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    @Override
    public void close() {
        for (Kept next = kept.poll(); next != null; next = kept.poll()) {
            try {
                next.connection.close();
            } catch (SQLException itIsGoneAnyway) {
                // The command has nothing left to do on it.
            }
        }
    }
}
