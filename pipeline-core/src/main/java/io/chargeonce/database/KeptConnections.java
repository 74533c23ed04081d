// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * For a command that a person waits for, which mostly needs one: opened when asked for, kept for the next who asks, and
 * thrown away after any error. No threads, and no patience with a Postgres that cannot be reached.
 */
final class KeptConnections implements Connections {

    /** What lay longer than this may have been cut off meanwhile, and is asked first. */
    private static final Duration TRUSTED = Duration.ofMillis(500);
    private static final int SECONDS_TO_ANSWER = 2;

    private record Kept(Connection connection, long since) {}

    private final String url;
    private final Properties properties;
    private final String prepare;
    private final ConcurrentLinkedDeque<Kept> kept = new ConcurrentLinkedDeque<>();

    /** @param longestSilence how long an answer may take; {@code socketTimeout} in the address overrides it */
    KeptConnections(String url, String user, String password, String prepare, Duration longestSilence) {
        this.url = url;
        this.prepare = prepare;
        this.properties = DriverProperties.with(user, password);
        properties.setProperty("socketTimeout", "" + longestSilence.toSeconds());
        properties.setProperty("connectTimeout", "" + SECONDS_TO_ANSWER);
    }

    @Override
    public <T> T lend(Database.Work<T> work) throws SQLException {
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
        Connection connection = DriverManager.getConnection(url, properties);
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
                // Nothing of the command's is left to be done on it.
            }
        }
    }
}
