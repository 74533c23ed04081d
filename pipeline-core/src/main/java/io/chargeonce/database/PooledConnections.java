// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;

/** For a service: as many as its threads may need, kept fit, and waited for while Postgres is away for a moment. */
final class PooledConnections implements Connections {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final HikariDataSource pool;

    /**
     * Opens without connecting, so that a service starts while Postgres is away.
     *
     * @param password       asked for each new connection; those that are open stay
     * @param longestSilence how long an answer may take; {@code socketTimeout} in the address overrides it
     */
    PooledConnections(String url, String user, Supplier<String> password, int most, String prepare, Duration longestSilence) {
        var config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setCredentialsProvider(() -> Credentials.of(user, password.get()));
        config.setMaximumPoolSize(most);
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(PATIENCE.toMillis());
        // Unset, the pool asks its first connection; cut off over that, HikariCP 7.1 sets no later one up any more.
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
