package io.chargeonce.database;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.flywaydb.core.Flyway;

/** Brings the schema {@code chargeonce} up to date. Idempotent; two processes may call it at once. */
public final class Migrations {

    private Migrations() {}

    /**
     * @return how many migrations were applied now
     * @throws DatabaseUnavailable when Postgres cannot be reached
     */
    public static int apply(String url, String user, String password) {
        try (var connection = DriverManager.getConnection(url, user, password)) {
            connection.isValid(1);
        } catch (SQLException e) {
            throw new DatabaseUnavailable(e);
        }
        return Flyway.configure()
                .dataSource(url, user, password)
                .schemas("chargeonce")
                .locations("classpath:io/chargeonce/database/migration")
                .placeholderReplacement(false)
                // An index of a large table takes as long as it takes: nobody gives up waiting, but a dead connection is noticed.
                .jdbcProperties(Map.of("tcpKeepAlive", "true"))
                .configuration(Map.of("flyway.postgresql.transactional.lock", "false"))
                .load()
                .migrate()
                .migrationsExecuted;
    }
}
