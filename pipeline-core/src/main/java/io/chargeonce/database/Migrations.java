// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the schema {@code chargeonce} up to date. Idempotent; two processes may run it at once. It changes nothing in the schema of a
 * later release, whose functions it would replace by its own.
 *
 * <p>A statement that waits for a table's lock delays every payment behind it. So none waits longer than {@link #LONGEST_LOCK_WAIT}; its
 * migration is rolled back and tried again.
 */
public final class Migrations {

    private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

    private static final Duration LONGEST_LOCK_WAIT = Duration.ofMillis(300);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(3);
    private static final int TRIES = 100;
    /** SQLSTATE of a lock that was not available in time. */
    private static final String LOCKED = "55P03";

    private Migrations() {}

    /**
     * @return how many migrations were applied now
     * @throws DatabaseUnavailable   when Postgres cannot be reached
     * @throws IllegalStateException when another transaction held a table's lock for minutes; migrations applied before stay
     */
    public static int apply(String url, String user, String password) {
        return apply(url, user, password, "classpath:io/chargeonce/database/migration");
    }

    static int apply(String url, String user, String password, String... locations) {
        try (var connection = DriverManager.getConnection(url, DriverProperties.with(user, password))) {
            connection.isValid(1);
        } catch (SQLException e) {
            throw new DatabaseUnavailable(e);
        }
        var flyway = Flyway.configure()
                .dataSource(url, user, password)
                .schemas("chargeonce")
                .locations(locations)
                .placeholderReplacement(false)
                .initSql("SET lock_timeout = '%dms'".formatted(LONGEST_LOCK_WAIT.toMillis()))
                // An index of a large table may take any time, so the answer has no time limit. A dead connection is still noticed.
                .jdbcProperties(DriverProperties.ALL)
                .configuration(Map.of("flyway.postgresql.transactional.lock", "false"))
                .load();
        if (isOfALaterRelease(flyway)) {
            LOG.warn("The schema is of a later release. It stays as it is");
            return 0;
        }
        long before = applied(flyway);
        for (int tries = 1;; tries++) {
            try {
                flyway.migrate();
                return (int) (applied(flyway) - before);
            } catch (FlywayException e) {
                if (!isLocked(e)) {
                    throw e;
                }
                if (tries == TRIES) {
                    throw new IllegalStateException(
                            ("a migration met a lock %d times: end the long transaction that holds it (pg_stat_activity, "
                                    + "the oldest xact_start), then run migrate again").formatted(TRIES),
                            e);
                }
                LOG.info("A migration met another transaction's lock. It was rolled back, so that no payment waits, and is tried again");
                pause();
            }
        }
    }

    private static boolean isOfALaterRelease(Flyway flyway) {
        return Arrays.stream(flyway.info().all()).anyMatch(migration -> migration.getState() == MigrationState.FUTURE_SUCCESS);
    }

    /** Leaves out Flyway's marker that the schema was created. */
    private static long applied(Flyway flyway) {
        return Arrays.stream(flyway.info().applied()).filter(migration -> !migration.getType().isSynthetic()).count();
    }

    private static boolean isLocked(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && LOCKED.equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    private static void pause() {
        try {
            Thread.sleep(BETWEEN_TRIES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a migration waited for a lock: run migrate again", e);
        }
    }
}
