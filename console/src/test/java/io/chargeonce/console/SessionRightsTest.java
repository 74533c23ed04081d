// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An open session has the rights that its login has now, and what is under way when it ends is done. */
class SessionRightsTest {

    private static ConsoleWorld world;

    @BeforeAll
    static void start() {
        world = ConsoleWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @BeforeEach
    void empty() {
        world.rows.clear();
    }

    private static void owner(String sql) {
        world.rows.owner().withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    @Test
    void who_loses_the_role_sees_nothing_more_not_even_what_no_database_guards() {
        Browser guest = world.signIn(ConsoleWorld.GUEST);
        assertThat(guest.get("/api/conservation").status()).isEqualTo(200);
        owner("REVOKE chargeonce_dlq_operator FROM guest");
        try {
            await().until(() -> guest.get("/api/conservation").status() == 403);

            for (String path : List.of("/api/session", "/api/conservation", "/api/rates?by=merchant", "/api/overdue")) {
                assertThat(guest.get(path).textAt("/type")).endsWith(":signed-out");
            }
        } finally {
            owner("GRANT chargeonce_dlq_operator TO guest");
        }
    }

    @Test
    void the_page_learns_of_a_right_that_was_given_or_taken() {
        Browser guest = world.signIn(ConsoleWorld.GUEST);
        assertThat(guest.get("/api/session").at("/rights").toString()).contains("operate");
        owner("REVOKE chargeonce_dlq_operator FROM guest");
        owner("GRANT chargeonce_dlq_reader TO guest");
        try {
            await().until(() -> guest.get("/api/session").at("/rights").toString().equals("[\"read\"]"));
        } finally {
            owner("REVOKE chargeonce_dlq_reader FROM guest");
            owner("GRANT chargeonce_dlq_operator TO guest");
        }
    }

    @Tag("proof")
    @ParameterizedTest
    @CsvSource({"ALTER ROLE guest NOLOGIN, ALTER ROLE guest LOGIN",
        "ALTER ROLE guest PASSWORD 'x', ALTER ROLE guest PASSWORD 'secret of guest'",
        "ALTER ROLE guest RENAME TO other, ALTER ROLE other RENAME TO guest"})
    void whom_postgres_lets_in_no_more_is_signed_out_and_told_so(String locked, String open) {
        Browser guest = world.signIn(ConsoleWorld.GUEST);
        owner(locked);
        try {
            owner("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('guest', 'other')");

            await().until(() -> guest.get("/api/overview").textAt("/type").endsWith(":signed-out"));

            assertThat(guest.get("/api/conservation").status()).isEqualTo(401);
        } finally {
            owner(open);
        }
    }

    @Test
    void what_is_under_way_at_the_sign_out_is_done_and_answered() {
        world.rows.dead(1);
        Browser operator = world.signIn(ConsoleWorld.OPERATOR);
        Browser.Answer run = operator.post("/api/runs", Map.of("kind", "merge", "filter", Map.of(), "expect",
                Map.of("count", 1, "money", List.of(Map.of("currency", "EUR", "amount", 1299)))));
        var answer = new CompletableFuture<Browser.Answer>();
        world.rows.owner().inTransaction(connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute("SELECT FROM dlq_run FOR UPDATE");
            }
            Thread.ofVirtual().start(() -> answer.complete(operator.post("/api/runs/" + run.textAt("/run") + "/cancel", Map.of())));
            await().until(world.rows::isWaitingForALock);
            return operator.delete("/api/session").status();
        });

        assertThat(answer.join().textAt("/state")).isEqualTo("cancelled");
        assertThat(operator.get("/api/session").status()).isEqualTo(401);
    }
}
