// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import com.zaxxer.hikari.util.Credentials;
import io.micrometer.core.instrument.MeterRegistry;
import io.chargeonce.database.cap.ConnectionCap;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
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
    private final ReentrantLock looking = new ReentrantLock();
    private volatile boolean sessionsAreOurs;
    /** Stays so until a restart: a later look may seem well. Guarded by the lock. */
    private boolean sessionsAreShared;

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
        // A person's few connections must not wait for two at once, and a pool of one has no second.
        this.sessionsAreOurs = ofPerson || config.getMaximumPoolSize() < 2;
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

    private static final String MARK = "SELECT set_config('chargeonce.mark', ?, false)";
    private static final int LOOKS = 20;
    private static final String READ_MARK = "SELECT current_setting('chargeonce.mark', true)";

    /**
     * A pooler in between that gives each transaction another session runs statements under the names of other clients' statements. Then a
     * commit may not be one, and an accepted payment is lost. Such a pooler gives the next transaction the session that was free last,
     * which another connection has marked by then.
     *
     * @throws SQLException as if Postgres could not be reached, for no statement may run
     */
    private void requireSessions() throws SQLException {
        if (sessionsAreOurs) {
            return;
        }
        if (!looking.tryLock()) {
            awaitOtherLook();
            return;
        }
        try (Connection one = connect(); Connection other = connect()) {
            sessionsAreShared = sessionsAreShared || !keepTheirMarks(one, other);
            sessionsAreOurs = !sessionsAreShared;
            if (!sessionsAreOurs) {
                throw new SQLTransientConnectionException("a pooler between this process and Postgres shares sessions (PgBouncer's "
                        + "pool_mode = transaction); that loses payments. Connect to Postgres itself, or set pool_mode = session", "08P01");
            }
        } finally {
            looking.unlock();
        }
    }

    private void awaitOtherLook() throws SQLException {
        try {
            if (looking.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                looking.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!sessionsAreOurs) {
            throw new SQLTransientConnectionException("no connection was to be had", "08001");
        }
    }

    /** Other clients may hide it once, and hardly each time. */
    private static boolean keepTheirMarks(Connection one, Connection other) throws SQLException {
        for (int look = 0; look < LOOKS; look++) {
            String mark = UUID.randomUUID().toString();
            mark(one, mark + 1);
            mark(other, mark + 2);
            if (!mark(one).equals(mark + 1) || !mark(other).equals(mark + 2)) {
                return false;
            }
        }
        return true;
    }

    private static String mark(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(READ_MARK); var row = statement.executeQuery()) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }

    private static void mark(Connection connection, String mark) throws SQLException {
        try (var statement = connection.prepareStatement(MARK)) {
            statement.setString(1, mark);
            statement.execute();
        }
    }

    @Override
    public <T> T lend(Database.Work<T> work) throws SQLException {
        requireSessions();
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
