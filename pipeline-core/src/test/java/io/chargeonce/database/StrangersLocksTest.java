// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.chargeonce.ledger.RetryBudget;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Any login of Postgres may hold advisory locks. One without a right here stops nothing with them. */
class StrangersLocksTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int LOCK_CLASS = 0x0c4a;

    private final List<MockProducer<byte[], byte[]>> producers = new CopyOnWriteArrayList<>();
    private static String url;
    private static Database database;
    private Connection stranger;

    @BeforeAll
    static void open() {
        url = TestStack.newDatabase() + "&currentSchema=chargeonce";
        Migrations.apply(url, "postgres", "");
        Roles.apply(url, "postgres", "", Optional.empty());
        database = Database.open(url.replace("user=postgres", "user=chargeonce_charge"), "chargeonce_charge", "", 8);
    }

    @AfterAll
    static void closeDatabase() {
        database.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        stranger = DriverManager.getConnection(url.replace("user=postgres", "user=chargeonce_webhooks"));
    }

    @AfterEach
    void close() throws SQLException {
        stranger.close();
    }

    private OutboxRelay relay() {
        return new OutboxRelay(database, Staging::request, this::newProducer, "/chargeonce", new SimpleMeterRegistry()).start();
    }

    private MockProducer<byte[], byte[]> newProducer() {
        producers.add(new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()));
        return producers.getLast();
    }

    private void hold(String lock) throws SQLException {
        try (var statement = stranger.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(" + lock + ")");
        }
    }

    private void stage(String key) {
        database.inTransaction(connection -> {
            Outbox.stage(connection, List.of(new OutboxRow("payments.requests", key, Optional.of(new byte[] {1}), Map.of())));
            return null;
        });
    }

    private List<String> published() {
        return producers.stream().flatMap(kafka -> kafka.history().stream())
                .map(record -> new String(record.key(), StandardCharsets.UTF_8)).toList();
    }

    @Test
    void locks_by_numbers_that_a_login_can_guess_keep_no_shard_from_a_relay() throws SQLException {
        for (int number = 0; number < 1_100; number++) {
            hold(LOCK_CLASS + ", " + number);
        }
        try (var relay = relay()) {
            for (int i = 0; i < 50; i++) {
                stage("key-" + i);
            }
            await().atMost(LONG).until(() -> published().size() == 50);
            assertThat(relay.problem()).isEmpty();
        }
    }

    /** It sees the number in pg_locks, waits for the lock, and gets it. */
    @Test
    void a_login_that_takes_over_the_lock_of_a_relay_has_none_of_its_shards() throws SQLException {
        OutboxRelay first = relay();
        stage("one");
        await().atMost(LONG).until(() -> published().contains("one"));
        String mark = text("SELECT DISTINCT mark FROM relay_shard");
        var waits = Thread.ofVirtual().start(() -> {
            try {
                hold(LOCK_CLASS + ", " + mark);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        await().atMost(LONG).until(() -> text("SELECT count(*) FROM pg_locks WHERE NOT granted AND objid = " + mark).equals("1"));
        // As after a crash: the relay's mark stays in the rows.
        text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE granted AND objid = " + mark);
        first.close();
        await().atMost(LONG).until(() -> !waits.isAlive());
        text("UPDATE relay_shard SET mark = %s RETURNING 1".formatted(mark));
        stage("two");
        try (var second = relay()) {
            await().atMost(LONG).until(() -> published().contains("two"));
            assertThat(second.problem()).isEmpty();
        }
    }

    /** Its session lives on in the pool. */
    @Test
    void a_relay_that_cannot_write_that_it_leaves_a_shard_keeps_it_no_longer() throws SQLException {
        String ours = url.replace("user=postgres", "user=chargeonce_charge");
        try (var owner = DriverManager.getConnection(url); var first = DriverManager.getConnection(ours);
             var second = DriverManager.getConnection(ours)) {
            var leaves = new ShardLocks(first);
            assertThat(leaves.share(true)).isTrue();
            owner.setAutoCommit(false);
            owner.createStatement().execute("SELECT FROM relay_shard FOR UPDATE");
            first.createStatement().execute("SET lock_timeout = 100");
            assertThatThrownBy(leaves::release).isInstanceOf(SQLException.class);
            owner.rollback();
            var comes = new ShardLocks(second);
            assertThat(comes.share(true)).isTrue();
            assertThat(comes.shards()).hasSize(OutboxRow.SHARDS);
            comes.release();
        }
    }

    @Test
    void a_login_that_knows_a_card_keeps_none_of_its_payments_from_being_presented() throws SQLException {
        hold("hashtextextended(encode(sha256('pm_card'), 'hex'), 4)");
        var request = new PaymentRequest(new Money(1_000, "EUR"), "pm_card", Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty());
        boolean first = database.inTransaction(connection -> RetryBudget.take(connection, request, 1));
        boolean second = database.inTransaction(connection -> RetryBudget.take(connection, request, 1));
        assertThat(List.of(first, second)).containsExactly(true, false);
    }

    @Test
    void a_login_without_the_right_to_relay_can_neither_write_nor_lock_what_says_whose_a_shard_is() throws SQLException {
        for (String attempt : List.of("UPDATE relay_shard SET mark = 1", "INSERT INTO relay_shard VALUES (1, 1)",
                "SELECT FROM relay_shard FOR UPDATE", "LOCK TABLE relay_shard", "SELECT seals_alone()",
                "LOCK TABLE audit_seal IN ROW EXCLUSIVE MODE")) {
            assertThat(refusal(attempt)).as(attempt).isEqualTo("42501");
            stranger.rollback();
        }
    }

    private String refusal(String sql) {
        try (var statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute(sql);
            return "";
        } catch (SQLException refused) {
            return refused.getSQLState();
        }
    }

    private String text(String query) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var row = connection.createStatement().executeQuery(query)) {
            return row.next() ? row.getString(1) : "";
        }
    }
}
