// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.ingest.IngestWorld;
import io.chargeonce.ingest.reading.PaymentStatus;
import io.chargeonce.ledger.PspHealthTable;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.method.PspRules;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.sandbox.TestStack;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class AcceptPaymentsTest {

    private static final AcceptPayments ACCEPT = new AcceptPayments("payments.requests", Duration.ofHours(24), KnownPsps.BUILT_IN);
    private static String url;
    private static Database database;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void open() {
        url = TestStack.newDatabase();
        IngestWorld.prepare(url);
        database = Database.open(IngestWorld.asIngest(url), "chargeonce_ingest", "", 16);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private static AcceptRequest ask(String key, long amount, Optional<String> customer) {
        var request = new PaymentRequest(new Money(amount, "EUR"), "pm_card_visa", customer, Optional.empty(), Optional.empty(),
                Optional.empty());
        return AcceptRequest.of("acme", new IdempotencyKey(key), request, "127.0.0.1", Instant.now());
    }

    private static AcceptRequest ask(String key) {
        return ask(key, 100, Optional.empty());
    }

    private static List<Acceptance> accept(AcceptRequest... asks) {
        return database.inTransaction(connection -> ACCEPT.answer(connection, List.of(asks)));
    }

    /** How many rows each of the four tables has for a payment. */
    private static List<Long> rows(AcceptRequest ask) {
        return IntStream.range(0, 4).mapToObj(table -> IngestWorld.count(url, "SELECT count(*) FROM "
                + List.of("idempotency_key WHERE resource_id", "operation WHERE operation_id", "outbox WHERE record_key",
                        "audit_record WHERE resource_id").get(table)
                + " = '" + ask.id() + "'")).toList();
    }

    @Test
    void key_operation_outbox_and_audit_are_written_together() {
        AcceptRequest ask = ask(key);

        assertThat(accept(ask)).containsExactly(new Acceptance.Accepted());
        assertThat(rows(ask)).containsExactly(1L, 1L, 1L, 1L);
        assertThat(IngestWorld.count(url, "SELECT count(*) FROM operation_now WHERE operation_id = '" + ask.id() + "'"
                + " AND state = 'accepted' AND step = 1 AND charge_before = accepted_at + interval '24 hours'")).isOne();
        assertThat(IngestWorld.count(url, """
                SELECT count(DISTINCT transaction) FROM (
                    SELECT xmin::text AS transaction FROM idempotency_key WHERE resource_id = '%1$s'
                    UNION ALL SELECT xmin::text FROM operation WHERE operation_id = '%1$s'
                    UNION ALL SELECT xmin::text FROM operation_state WHERE operation_id = '%1$s'
                    UNION ALL SELECT xmin::text FROM outbox WHERE record_key = '%1$s'
                    UNION ALL SELECT xmin::text FROM audit_record WHERE resource_id = '%1$s') AS rows
                """.formatted(ask.id()))).isOne();
    }

    @Test
    void the_row_for_kafka_says_nothing_that_its_operation_says() {
        AcceptRequest ask = ask(key);
        accept(ask);

        assertThat(IngestWorld.count(url, "SELECT count(*) FROM outbox_to_relay WHERE topic = 'payments.requests' AND record_key = '"
                + ask.id() + "' AND value IS NULL AND headers IS NULL AND payment_id = record_key AND amount = 100")).isOne();
    }

    @Test
    void a_transaction_that_does_not_commit_leaves_nothing() {
        AcceptRequest ask = ask(key);
        assertThatThrownBy(() -> database.inTransaction(connection -> {
            ACCEPT.answer(connection, List.of(ask));
            throw new IllegalStateException("killed before the commit");
        })).hasMessageContaining("killed");

        assertThat(rows(ask)).containsExactly(0L, 0L, 0L, 0L);
    }

    /** The answer to COMMIT was lost, or the process died before its answer went out: the caller asks again. */
    @Test
    void an_ask_that_is_repeated_after_its_commit_is_a_replay_of_its_own_row() {
        AcceptRequest ask = ask(key);
        accept(ask);
        Acceptance again = accept(ask).getFirst();

        assertThat(again).isInstanceOfSatisfying(Acceptance.Replayed.class, replay -> {
            assertThat(replay.now()).isEqualTo(PaymentStatus.ACCEPTED);
        });
        assertThat(rows(ask)).containsExactly(1L, 1L, 1L, 1L);
    }

    @Test
    void equal_keys_within_one_batch_are_one_payment() {
        AcceptRequest first = ask(key);
        AcceptRequest same = ask(key);
        AcceptRequest other = ask(key, 200, Optional.empty());
        List<Acceptance> answers = accept(first, ask(key + "-other"), same, other);

        assertThat(answers.get(0)).isInstanceOf(Acceptance.Accepted.class);
        assertThat(answers.get(1)).isInstanceOf(Acceptance.Accepted.class);
        assertThat(answers.get(2)).isInstanceOf(Acceptance.Replayed.class);
        assertThat(answers.get(3)).isEqualTo(new Acceptance.Reused(new RequestFingerprint.Conflict(Optional.empty(), List.of("amount"))));
        assertThat(rows(first)).containsExactly(1L, 1L, 1L, 1L);
    }

    @Test
    void batches_with_the_same_keys_in_opposite_order_accept_each_once_and_never_deadlock() {
        for (int round = 0; round < 5; round++) {
            String prefix = key + "-" + round + "-";
            List<AcceptRequest> asks = IntStream.range(0, 300).mapToObj(i -> ask(prefix + i)).toList();
            var batches =
                    Stream.of(asks, asks.reversed()).map(batch -> CompletableFuture.supplyAsync(() -> database.inTransaction(connection -> {
                        Database.waitForLocks(connection, Duration.ofSeconds(30));
                        return ACCEPT.answer(connection, batch);
                    }))).toList();

            assertThat(batches.stream().flatMap(batch -> batch.join().stream()).filter(Acceptance.Accepted.class::isInstance)).hasSize(300);
            assertThat(IngestWorld.count(url, "SELECT count(*) FROM operation WHERE idempotency_key LIKE '" + prefix + "%'"))
                    .isEqualTo(300);
        }
    }

    @Test
    void a_row_that_postgres_refuses_fails_alone() {
        var tooLong = ask(key + "-bad", 100, Optional.of("c".repeat(501)));
        try (var coalescer = new Coalescer<>("test", database, 1, () -> {}, ACCEPT);
             var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var bad = CompletableFuture.supplyAsync(() -> coalescer.ask(tooLong), threads);
            var good = IntStream.range(0, 50)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> coalescer.ask(ask(key + i)), threads)).toList();

            assertThat(good).allSatisfy(answer -> assertThat(answer.join()).isInstanceOf(Acceptance.Accepted.class));
            assertThatThrownBy(bad::join).hasCauseInstanceOf(DatabaseRefused.class);
        }
        assertThat(rows(tooLong)).containsExactly(0L, 0L, 0L, 0L);
    }

    @Test
    void the_winner_of_a_race_may_roll_back_and_the_loser_is_accepted() throws Exception {
        AcceptRequest ask = ask(key);
        CompletableFuture<Acceptance> loser;
        try (var winner = DriverManager.getConnection(url + "&currentSchema=chargeonce")) {
            winner.setAutoCommit(false);
            ACCEPT.answer(winner, List.of(ask(key, 999, Optional.empty())));
            loser = CompletableFuture.supplyAsync(() -> database.inTransaction(connection -> {
                Database.waitForLocks(connection, Duration.ofSeconds(60));
                return ACCEPT.answer(connection, List.of(ask)).getFirst();
            }));
            awaitALockWait();
            winner.rollback();
        }
        assertThat(loser.join()).isInstanceOf(Acceptance.Accepted.class);
        assertThat(rows(ask)).containsExactly(1L, 1L, 1L, 1L);
    }

    private static void awaitALockWait() {
        Awaitility.await().until(() -> IngestWorld.count(url,
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0);
    }

    @Test
    void a_row_that_vanishes_between_insert_and_read_is_inserted_after_all() {
        AcceptRequest ask = ask(key);
        accept(ask);
        List<Acceptance> answers = database.inTransaction(connection -> ACCEPT.answer(
                before("keys_taken", connection, () -> IngestWorld.execute(url, """
                        SET session_replication_role = replica;
                        DELETE FROM chargeonce.idempotency_key WHERE resource_id = '%1$s';
                        DELETE FROM chargeonce.operation WHERE operation_id = '%1$s';
                        DELETE FROM chargeonce.operation_state WHERE operation_id = '%1$s'""".formatted(ask.id()))),
                List.of(ask(key, 250, Optional.empty()))));

        assertThat(answers.getFirst()).isInstanceOf(Acceptance.Accepted.class);
        assertThat(IngestWorld.count(url, "SELECT amount FROM operation WHERE operation_id = '" + ask.id() + "'")).isEqualTo(250);
    }

    /** The same connection, but something happens elsewhere right before a statement is prepared. */
    private static Connection before(String sqlPart, Connection connection, Runnable happening) {
        return (Connection) Proxy.newProxyInstance(AcceptPaymentsTest.class.getClassLoader(), new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement") && ((String) arguments[0]).contains(sqlPart)) {
                        happening.run();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** At REPEATABLE READ the loser of a race cannot see the winner's row and fails: the reason for READ COMMITTED. */
    @Test
    void a_stricter_isolation_level_would_fail_where_read_committed_replays() throws Exception {
        AcceptRequest ask = ask(key);
        try (var strict = DriverManager.getConnection(url + "&currentSchema=chargeonce")) {
            strict.setAutoCommit(false);
            strict.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            strict.createStatement().execute("SELECT FROM merchant");
            accept(ask);
            assertThatThrownBy(() -> ACCEPT.answer(strict, List.of(ask))).hasMessageContaining("could not serialize");
        }
        assertThat(accept(ask).getFirst()).isInstanceOf(Acceptance.Replayed.class);
    }

    @Test
    void a_database_that_is_stricter_by_default_makes_no_difference() throws Exception {
        String name = url.replaceFirst(".*/([^?]*).*", "$1");
        IngestWorld.execute(url, "ALTER DATABASE \"" + name + "\" SET default_transaction_isolation = 'serializable'");
        try (var other = Database.open(IngestWorld.asIngest(url), "chargeonce_ingest", "", 4);
             var callers = Executors.newVirtualThreadPerTaskExecutor();
             var coalescer = new Coalescer<>("test", other, 2, () -> {}, ACCEPT)) {
            var answers = IntStream.range(0, 50).mapToObj(i -> callers.submit(() -> coalescer.ask(ask(key + "-" + i % 5)))).toList();
            for (var answer : answers) {
                assertThat(answer.get()).isInstanceOfAny(Acceptance.Accepted.class, Acceptance.Replayed.class);
            }
        } finally {
            IngestWorld.execute(url, "ALTER DATABASE \"" + name + "\" RESET default_transaction_isolation");
        }
    }

    private static AcceptRequest dinars(String key) {
        var request = new PaymentRequest(new Money(5_000, "IQD"), "pm_card_visa", Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty());
        return AcceptRequest.of("acme", new IdempotencyKey(key), request, "127.0.0.1", Instant.now());
    }

    private static void routesAre(String... routes) {
        try (var owner = Database.open(url, "postgres", "", 1)) {
            owner.inTransaction(connection -> {
                try (var statement = connection.createStatement()) {
                    statement.execute("DELETE FROM psp_health");
                }
                for (String each : routes) {
                    PspHealthTable.report(connection, UUID.randomUUID(), each, List.of(), Optional.empty(),
                            List.of(new PspHealthTable.Row("stripe", Duration.ZERO,
                                    Optional.empty(), Optional.empty(), Optional.empty(), false, 0, "", Optional.empty())));
                }
                return routes.length;
            });
        }
    }

    @Test
    void an_amount_that_no_psp_of_the_routes_can_say_is_not_accepted_and_a_repeat_gets_its_answer() {
        routesAre();
        assertThat(accept(dinars(key))).as("no process charges now").containsExactly(new Acceptance.Accepted());
        routesAre("-> stripe");
        AcceptRequest next = dinars(key + "-next");
        assertThat(accept(next, ask(key + "-euro"))).containsExactly(new Acceptance.NotRepresentable("IQD"), new Acceptance.Accepted());
        assertThat(rows(next)).containsOnly(0L);
        assertThat(accept(dinars(key))).singleElement().isInstanceOf(Acceptance.Replayed.class);
        routesAre("-> stripe", "currency=IQD -> adyen; -> stripe");
        assertThat(accept(next)).as("a process with new routes takes it").containsExactly(new Acceptance.Accepted());
        routesAre();
    }

    @Test
    void a_repeat_gets_its_answer_also_from_a_process_that_does_not_know_the_psp_of_its_amount() {
        routesAre();
        assertThat(accept(dinars(key))).containsExactly(new Acceptance.Accepted());
        var withoutPlugin = new AcceptPayments("payments.requests", Duration.ofHours(24), KnownPsps.of(List.of(PspRules.STRIPE)));
        AcceptRequest next = dinars(key + "-next");
        List<Acceptance> answers =
                database.inTransaction(connection -> withoutPlugin.answer(connection, List.of(dinars(key), next, ask(key + "-euro"))));
        assertThat(answers.getFirst()).isInstanceOf(Acceptance.Replayed.class);
        assertThat(answers.subList(1, 3)).containsExactly(new Acceptance.NotTaken(next.request().money()), new Acceptance.Accepted());
        assertThat(rows(next)).containsOnly(0L);
    }

    @Test
    void a_customer_for_whom_no_psp_of_the_routes_has_room_is_not_accepted() {
        routesAre("-> adyen");
        AcceptRequest next = ask(key, 100, Optional.of("7"));
        assertThat(accept(next)).containsExactly(new Acceptance.TextsNotTaken());
        assertThat(rows(next)).containsOnly(0L);
        routesAre("-> adyen", "-> stripe");
        assertThat(accept(next)).as("a process with new routes takes it").containsExactly(new Acceptance.Accepted());
        routesAre();
    }
}
