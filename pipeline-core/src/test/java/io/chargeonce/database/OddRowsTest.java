// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.chargeonce.database.raw.HeaderBytes;
import io.chargeonce.database.raw.RawRow;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.chargeonce.ledger.Staging;
import io.chargeonce.sandbox.TestStack;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of the outbox that nothing in this pipeline stages. */
class OddRowsTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String INSERT =
            "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (%s, '%s', '%s', 'x', '%s')";

    private static final String TEXTS = "CONSTRAINT headers_are_texts";
    private static String url;
    private static Database database;
    private static String check;
    private final MockProducer<byte[], byte[]> kafka =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    @BeforeAll
    static void open() throws SQLException {
        url = TestStack.newDatabase() + "&currentSchema=chargeonce";
        Migrations.apply(url, "postgres", "");
        database = Database.open(url, "postgres", "", 4);
        check = text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'headers_are_texts'");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @AfterEach
    void empty() throws SQLException {
        execute("TRUNCATE outbox; ALTER TABLE outbox DROP CONSTRAINT IF EXISTS headers_are_texts; ALTER TABLE outbox ADD " + TEXTS + " "
                + check);
    }

    private static void execute(String sql) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(String query) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var row = connection.createStatement().executeQuery(query)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }

    /** The constraint is newer than such a row, say. */
    @ParameterizedTest
    @ValueSource(strings = {"\"a\"", "[1, 2, 3]", "7", "null", "{\"a\": null}", "{\"a\": {\"b\": \"c\"}}"})
    void a_row_whose_headers_are_odd_is_set_aside_alone_and_the_others_go(String headers) throws SQLException {
        execute("ALTER TABLE outbox DROP " + TEXTS);
        execute(INSERT.formatted(0, "payments.requests", "odd", headers));
        execute(INSERT.formatted(0, "payments.requests", "usual", "{\"a\": \"b\"}"));
        try (var relay = new OutboxRelay(database, Staging::request, () -> kafka, "/chargeonce", new SimpleMeterRegistry()).start()) {
            await().atMost(LONG).until(() -> text("SELECT string_agg(record_key, ',') FROM outbox").equals("odd"));

            assertThat(text("SELECT refusal FROM outbox")).contains("headers are no JSON object of texts");
            assertThat(kafka.history()).singleElement().satisfies(sent -> assertThat(new String(sent.key())).isEqualTo("usual"));
            assertThat(relay.problem()).isEmpty();
        }
    }

    /** A row says nothing of its source; one that does anyway says what the relay says. */
    @Test
    void the_relay_says_the_source_of_each_event_and_of_nothing_else() throws SQLException {
        execute(INSERT.formatted(0, "payments.outcomes", "event", "{\"ce_id\": \"1\"}"));
        execute(INSERT.formatted(0, "payments.outcomes", "odd", "{\"ce_id\": \"2\", \"ce_source\": \"/us\"}"));
        execute(INSERT.formatted(0, "payments.dlq", "tombstone", "{\"chargeonce-left\": \"merged\"}"));
        try (var connection = DriverManager.getConnection(url)) {
            Outbox.stageRaw(connection, List.of(new RawRow("theirs", "letter", null, Optional.empty(),
                    HeaderBytes.of(List.of(new RecordHeader("ce_id", "3".getBytes(StandardCharsets.UTF_8)))))));
        }
        try (var relay = new OutboxRelay(database, Staging::request, () -> kafka, "/eu", new SimpleMeterRegistry()).start()) {
            await().atMost(LONG).until(() -> kafka.history().size() == 4);
        }
        assertThat(kafka.history()).extracting(sent -> sent.topic() + " " + Stream.of(sent.headers().toArray())
                .filter(header -> header.key().equals("ce_source")).map(header -> new String(header.value())).toList())
                .containsExactlyInAnyOrder("payments.outcomes [/eu]", "payments.outcomes [/eu]", "payments.dlq []", "theirs []");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0, 'payments.requests', 'k', 'x', '\"a\"'", "0, 'payments.requests', 'k', 'x', '[1,2,3]'",
        "0, 'payments.requests', 'k', 'x', '{\"a\": 1}'", "0, 'payments.requests', 'k', 'x', '{\"a\": [\"b\"]}'",
        "0, 'payments.requests', 'k', 'x', 'null'", "8, 'payments.requests', 'k', 'x', '{}'", "-1, 'payments.requests', 'k', 'x', '{}'",
        "0, 'payments requests', 'k', 'x', '{}'", "0, '', 'k', 'x', '{}'", "0, 'payments.requests', repeat('k', 1001), 'x', '{}'",
        "0, 'payments.requests', 'k', convert_to(repeat('x', 4194305), 'UTF8'), '{}'",
        "0, 'payments.requests', 'k', 'x', NULL", "0, 'payments.outcomes', 'k', NULL, NULL",
        "0, 'payments.requests', 'k', 'x', json_build_object('a', repeat('x', 65536))"})
    void the_table_takes_no_odd_row(String values) {
        assertThatThrownBy(() -> execute("INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (" + values + ")"))
                .isInstanceOfSatisfying(SQLException.class, refused -> assertThat(refused.getSQLState()).isEqualTo("23514"));
    }

    /** Each of these columns may be large: value, raw_key and raw_headers. */
    private static final List<String> LARGE = Stream.of("4194304 bytes, NULL, NULL", "NULL, 4194304 bytes, ''",
            "NULL, NULL, int4send(1) || 'h'::bytea || int4send(4194295) || 4194295 bytes")
            .map(columns -> columns.replaceFirst("(\\d+) bytes", "convert_to(repeat('x', $1), 'UTF8')")).toList();

    @ParameterizedTest
    @FieldSource("LARGE")
    void refused_rows_that_are_large_together_are_read_a_few_at_a_time_and_all_of_them(String columns) throws SQLException {
        execute("INSERT INTO outbox (shard, topic, record_key, value, raw_key, raw_headers, headers, refusal) "
                + "SELECT 0, 'payments.requests', 'k' || n, " + columns + ", '{}', 'too large' FROM generate_series(1, 9) AS n");
        try (var connection = DriverManager.getConnection(url)) {
            assertThat(Outbox.refused(connection, List.of(0), "")).extracting(Outbox.Staged::key).containsExactly("k1", "k2");
            assertThat(Outbox.refused(connection, List.of(0), "k2")).extracting(Outbox.Staged::key).containsExactly("k3", "k4");
            assertThat(Outbox.refused(connection, List.of(0), "k8")).extracting(Outbox.Staged::key).containsExactly("k9");
            assertThat(Outbox.refused(connection, List.of(0), "k9")).isEmpty();
        }
        execute("DELETE FROM outbox");
    }

    /** Small in Postgres, which packs them, and 800 MB in a relay that took them all at once. */
    @ParameterizedTest
    @FieldSource("LARGE")
    void rows_that_are_large_together_are_read_a_few_at_a_time_and_all_of_them_go(String columns) throws SQLException {
        execute("INSERT INTO outbox (shard, topic, record_key, value, raw_key, raw_headers, headers) "
                + "SELECT 0, 'payments.requests', n::text, " + columns + ", json_build_object('n', n::text) "
                + "FROM generate_series(1, 200) AS n");
        try (var connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            assertThat(Outbox.read(connection, List.of(0), new OutboxCursor(), Set.of())).extracting(Outbox.Staged::key)
                    .containsExactly("1", "2");
        }
        execute("DELETE FROM outbox WHERE record_key::int < 3");
        try (var connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            assertThat(Outbox.read(connection, List.of(0), new OutboxCursor(), Set.of())).extracting(Outbox.Staged::key)
                    .containsExactly("3", "4");
        }
        execute("DELETE FROM outbox WHERE record_key::int > 20");
        try (var relay = new OutboxRelay(database, Staging::request, () -> kafka, "/chargeonce", new SimpleMeterRegistry()).start()) {
            await().atMost(LONG).until(() -> text("SELECT count(*) FROM outbox").equals("0"));
            assertThat(kafka.history()).extracting(sent -> new String(sent.headers().lastHeader("n").value()))
                    .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(3, 20).mapToObj(String::valueOf).toList());
            assertThat(relay.problem()).isEmpty();
        }
    }

    @Test
    void the_table_takes_every_shard_that_there_is() throws SQLException {
        for (int shard : IntStream.range(0, OutboxRow.SHARDS).toArray()) {
            execute(INSERT.formatted(shard, "payments.requests", "k", "{}"));
        }
        assertThat(text("SELECT count(DISTINCT shard) FROM outbox")).isEqualTo("" + OutboxRow.SHARDS);
    }

    @Test
    void a_relay_whose_passes_end_with_exceptions_says_so_until_one_does_not() throws SQLException {
        var broken = new AtomicBoolean(true);
        try (var relay = new OutboxRelay(database, Staging::request, () -> {
            if (broken.get()) {
                throw new AssertionError("no producer");
            }
            return kafka;
        }, "/chargeonce", new SimpleMeterRegistry()).start()) {
            await().atMost(LONG).until(() -> relay.problem().filter(said -> said.contains("no producer")).isPresent());
            broken.set(false);
            await().atMost(LONG).until(() -> relay.problem().isEmpty());
        }
    }
}
