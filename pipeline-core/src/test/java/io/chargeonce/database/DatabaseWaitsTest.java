// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.PostgresServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class DatabaseWaitsTest {

    @Test
    void how_long_a_commit_has_waited_for_a_standby_is_known_and_over_when_it_ends() {
        var meters = new SimpleMeterRegistry();
        try (var postgres = PostgresServer.startTemporary();
             var database = Database.open(postgres.jdbcUrl(), "postgres", "", 4)) {
            Migrations.apply(postgres.jdbcUrl(), "postgres", "");
            var waits = new DatabaseWaits(database, meters);
            execute(database, "CREATE TABLE t (x int)");
            execute(database, "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (b)'");
            execute(database, "SELECT pg_reload_conf()");
            var commit = new AtomicReference<>(CompletableFuture.completedFuture((Void) null));
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
                if (commit.get().isDone()) {
                    // Postgres takes over the setting at some time; a commit before it waits for no standby.
                    commit.set(CompletableFuture.runAsync(() -> execute(database, "INSERT INTO t VALUES (1)")));
                }
                waits.runOnce();
                return value(meters) > 1;
            });
            assertThat(commit.get()).isNotDone();

            execute(database, "ALTER SYSTEM RESET synchronous_standby_names");
            execute(database, "SELECT pg_reload_conf()");
            commit.get().join();
            waits.runOnce();
            assertThat(value(meters)).isZero();
        }
    }

    private static double value(SimpleMeterRegistry meters) {
        return meters.get("chargeonce.standby.awaited.seconds").gauge().value();
    }

    private static void execute(Database database, String sql) {
        database.withConnection(connection -> connection.createStatement().execute(sql));
    }
}
