package io.chargeonce.database;

import java.util.Map;
import org.flywaydb.core.Flyway;

/** Brings the schema {@code chargeonce} up to date. Idempotent; two processes may call it at once. */
public final class Migrations {

    private Migrations() {}

    /** @return how many migrations were applied now */
    public static int apply(String url, String user, String password) {
        return Flyway.configure()
                .dataSource(url, user, password)
                .schemas("chargeonce")
                .locations("classpath:io/chargeonce/database/migration")
                .placeholderReplacement(false)
                .configuration(Map.of("flyway.postgresql.transactional.lock", "false"))
                .load()
                .migrate()
                .migrationsExecuted;
    }
}
