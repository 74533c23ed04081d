// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;

/** For a service: a pool of live connections. A caller waits for a moment while Postgres is down. */
final class PooledConnections implements Connections {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** A new connection takes milliseconds; these save them after a pause. */
    private static final int KEPT = 2;
    private static final Duration IDLE = Duration.ofMinutes(2);

    private final HikariDataSource pool;

    /**
     * Opens without connecting, so that a service starts while Postgres is down.
     *
     * @param password       read for each new connection; open ones stay
     * @param longestSilence how long an answer may take; {@code socketTimeout} in the URL overrides it
     */
    PooledConnections(String url, String user, Supplier<String> password, int most, String prepare, Duration longestSilence) {
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
        this.pool = new HikariDataSource(config);
    }

    @Override
    public <T> T lend(Database.Work<T> work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return work.with(connection);
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
