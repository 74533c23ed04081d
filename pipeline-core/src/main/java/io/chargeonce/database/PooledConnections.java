// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import com.zaxxer.hikari.util.Credentials;
import io.chargeonce.database.cap.ConnectionCap;
import io.chargeonce.database.pooler.OwnSessions;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.function.Supplier;

/** For a service: a pool of live connections. A caller waits for a moment while Postgres is down. */
final class PooledConnections implements Connections {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** HikariCP takes no less. */
    private static final Duration SHORTEST_IDLE = Duration.ofSeconds(10);

    /** After a new password, whoever has the old one is out by then. */
    private static final Duration LONGEST_LIFE_OF_PERSONS = Duration.ofMinutes(1);
    private static final String CLASS_INVALID_AUTHORIZATION = "28";
    /** A new connection takes milliseconds; these save them after a pause. */
    private static final int KEPT = 2;
    private static final Duration IDLE = Duration.ofMinutes(2);

    private final HikariDataSource pool;
    private final boolean ofPerson;
    /** Closes idle connections, and those in use once they are given back. */
    private final Runnable closeIdle;
    private final ConnectionCap cap;
    private final OwnSessions sessions;

    /**
     * Opens without connecting, so that a service starts while Postgres is down.
     *
     * @param password       read for each new connection; open ones stay
     * @param longestSilence how long an answer may take; {@code socketTimeout} in the URL overrides it
     */
    PooledConnections(String url, String user, Supplier<String> password, int most, String prepare, Duration longestSilence) {
        this(config(url, user, password, most, prepare, longestSilence), false, ConnectionCap.none());
    }

    private PooledConnections(HikariConfig config, boolean ofPerson, ConnectionCap cap) {
        this.pool = new HikariDataSource(config);
        this.ofPerson = ofPerson;
        this.cap = cap;
        this.sessions = ofPerson || config.getMaximumPoolSize() < 2 ? OwnSessions.comparedBehindPooler() : OwnSessions.compared();
        this.closeIdle = () -> pool.getHikariPoolMXBean().softEvictConnections();
        if (ofPerson) {
            cap.remember(closeIdle);
        }
    }

    /** The same for many small pools of people, most of whom do nothing. A person whom Postgres does not let in learns it. */
    static PooledConnections emptyWhenIdle(String url, String user, String password, int most, String prepare, Duration longestSilence,
                                           ConnectionCap cap) {
        HikariConfig config = config(url, user, () -> password, most, prepare, longestSilence);
        config.setJdbcUrl(null);
        config.setDataSource(cap.over(url, (login, key) -> {
            var properties = DriverProperties.with(login, key);
            properties.setProperty("socketTimeout", "" + longestSilence.toSeconds());
            return properties;
        }));
        config.setMinimumIdle(0);
        config.setIdleTimeout(SHORTEST_IDLE.toMillis());
        config.setMaxLifetime(LONGEST_LIFE_OF_PERSONS.toMillis());
        config.setKeepaliveTime(0);
        return new PooledConnections(config, true, cap);
    }

    private static HikariConfig config(String url, String user, Supplier<String> password, int most, String prepare,
                                       Duration longestSilence) {
        var config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setCredentialsProvider(() -> Credentials.of(user, password.get()));
        config.setMaximumPoolSize(most);
        // The services share Postgres's connections, so an idle one is closed.
        config.setMinimumIdle(Math.min(most, KEPT));
        config.setIdleTimeout(IDLE.toMillis());
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(PATIENCE.toMillis());
        // If this is not set, the pool reads it from its first connection. If that read is cut off, HikariCP 7.1 sets up no later
        // connection.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionInitSql(prepare);
        DriverProperties.ALL.forEach(config::addDataSourceProperty);
        config.addDataSourceProperty("socketTimeout", "" + longestSilence.toSeconds());
        return config;
    }

    @Override
    public void countedBy(MeterRegistry meters) {
        pool.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(meters));
    }

    @Override
    public <T> T lend(Database.Work<T> work) throws SQLException {
        sessions.require(this::connect);
        try (Connection connection = connect()) {
            return work.with(connection);
        }
    }

    private Connection connect() throws SQLException {
        try {
            return pool.getConnection();
        } catch (SQLTransientConnectionException e) {
            // A service waits until its password is right again. For a person it never will be.
            if (ofPerson && String.valueOf(e.getSQLState()).startsWith(CLASS_INVALID_AUTHORIZATION)
                    && e.getCause() instanceof SQLException refused) {
                throw refused;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        cap.forget(closeIdle);
        pool.close();
    }
}
