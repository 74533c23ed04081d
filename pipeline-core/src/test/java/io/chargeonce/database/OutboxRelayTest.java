// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.Staging;
import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A row's value is its number among its key's rows: 1, 2, 3 … */
class OutboxRelayTest {

    private static final AtomicInteger TOPICS = new AtomicInteger();
    private static final int LARGEST_RECORD = 20_000;
    private static final int WRITERS = 64;
    private static final int ROWS_OF_A_WRITER = 40;
    private static String url;
    private static Database database;

    private final String topic = "relay-test-" + TOPICS.incrementAndGet();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<OutboxRelay> relays = new ArrayList<>();
    private final Map<String, List<Integer>> published = new HashMap<>();
    private KafkaConsumer<String, String> consumer;

    @BeforeAll
    static void open() {
        url = TestStack.newDatabase() + "&currentSchema=chargeonce";
        Migrations.apply(url, "postgres", "");
        database = Database.open(url, "postgres", "", 70);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void createTopic() throws Exception {
        var bootstrap = Map.<String, Object>of("bootstrap.servers", TestStack.kafka().bootstrapServers());
        try (var admin = Admin.create(bootstrap)) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)
                    .configs(Map.of("max.message.bytes", "" + LARGEST_RECORD)))).all().get();
        }
        consumer = new KafkaConsumer<>(bootstrap, new StringDeserializer(), new StringDeserializer());
        consumer.assign(List.of(new TopicPartition(topic, 0)));
        consumer.seekToBeginning(consumer.assignment());
    }

    @AfterEach
    void stop() {
        relays.forEach(OutboxRelay::close);
        consumer.close();
        database.withConnection(connection -> connection.createStatement().execute("TRUNCATE outbox"));
    }

    private OutboxRelay relay() {
        return relay(OutboxRelayTest::newProducer);
    }

    private OutboxRelay relay(Supplier<Producer<byte[], byte[]>> producers) {
        var relay = new OutboxRelay(database, Staging::request, producers, "/chargeonce", meters).start();
        relays.add(relay);
        return relay;
    }

    private static Producer<byte[], byte[]> newProducer() {
        return newProducer(Map.of());
    }

    private static Producer<byte[], byte[]> newProducer(Map<String, String> properties) {
        return new ProducerSettings(new KafkaConnection(TestStack.kafka().bootstrapServers(), properties), "test").newProducer();
    }

    private OutboxRow row(String key, String value) {
        return new OutboxRow(topic, key, Optional.of(value.getBytes(StandardCharsets.UTF_8)), Map.of());
    }

    private void stage(String key, int number) {
        database.inTransaction(connection -> {
            Outbox.stage(connection, List.of(row(key, "" + number)));
            return null;
        });
    }

    /** Every record so far. A repeat of the last one is allowed; a step back or a gap is not. */
    private Map<String, List<Integer>> published() {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> {
            var numbers = published.computeIfAbsent(record.key(), key -> new ArrayList<>());
            int number = Integer.parseInt(record.value().strip());
            if (numbers.isEmpty() || numbers.getLast() != number) {
                numbers.add(number);
            }
        });
        return published;
    }

    private static ConditionFactory eventually() {
        return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInSameThread();
    }

    @Test
    void rows_of_writers_that_commit_late_are_published_once_in_the_order_of_their_key() {
        relay();
        relay();
        var written = new ArrayList<Future<?>>();
        try (var writers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                written.add(writers.submit(() -> write(writer)));
            }
        }
        assertThat(written).allSatisfy(one -> assertThat(one.state()).isEqualTo(Future.State.SUCCESS));
        eventually().untilAsserted(() -> {
            assertThat(published()).hasSize(WRITERS);
            assertThat(published().values()).allSatisfy(numbers -> assertThat(numbers).hasSizeGreaterThanOrEqualTo(ROWS_OF_A_WRITER));
        });
        assertThat(published().values()).allSatisfy(
                numbers -> assertThat(numbers).containsExactlyElementsOf(IntStream.rangeClosed(1, ROWS_OF_A_WRITER).boxed().toList()));
    }

    /** Takes ids, waits a little, and then commits or starts again. */
    private void write(int writer) {
        var random = new Random(writer);
        int number = 1;
        while (number <= ROWS_OF_A_WRITER) {
            int current = number;
            boolean commits = random.nextInt(4) > 0;
            long dawdleNanos = random.nextInt(10) == 0 ? 50_000_000 : random.nextInt(5_000_000);
            try {
                number += stageAndDawdle(row("writer-" + writer, "" + current), dawdleNanos, commits);
            } catch (DatabaseRefused refused) {
                // Sixty-four writers at once extend a table one after the other; on a slow machine that takes longer than the lock timeout.
                assertThat(refused).matches(DatabaseRefused::isPassing);
            }
        }
    }

    /** Returns how many rows are committed by it. */
    private int stageAndDawdle(OutboxRow row, long dawdleNanos, boolean commits) {
        return database.withConnection(connection -> {
            connection.setAutoCommit(false);
            try {
                Outbox.stage(connection, List.of(row));
                LockSupport.parkNanos(dawdleNanos);
                if (commits) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                return commits ? 1 : 0;
            } finally {
                connection.setAutoCommit(true);
            }
        });
    }

    @Test
    void a_row_whose_transaction_stays_open_while_thousands_pass_is_published_when_it_commits() throws SQLException {
        relay();
        try (Connection slow = DriverManager.getConnection(url)) {
            slow.setAutoCommit(false);
            Outbox.stage(slow, List.of(row("slow", "1")));
            for (int i = 1; i <= 3000; i++) {
                stage("quick-" + i % 50, 1 + i / 50);
            }
            eventually().until(() -> published().size() == 50 && outbox() == 0);
            assertThat(published()).doesNotContainKey("slow");
            slow.commit();
        }
        eventually().until(() -> published().containsKey("slow"));
    }

    /** A snapshot does not list an open transaction that is younger than all finished ones. */
    @Test
    void a_row_is_found_though_no_snapshot_knew_of_its_transaction_when_a_higher_id_was_seen() throws SQLException {
        var frontier = new OutboxCursor();
        try (Connection relay = DriverManager.getConnection(url, "postgres", ""); Connection older = transaction();
             Connection younger = transaction()) {
            older.createStatement().execute("SELECT pg_current_xact_id()");
            Outbox.stage(younger, List.of(row("of the younger", "1")));
            Outbox.stage(older, List.of(row("of the older", "1")));
            older.commit();
            assertThat(look(relay, frontier)).containsExactly("of the older");
            younger.commit();
            assertThat(look(relay, frontier)).containsExactly("of the younger");
        }
    }

    private static Connection transaction() throws SQLException {
        Connection connection = DriverManager.getConnection(url, "postgres", "");
        connection.setAutoCommit(false);
        return connection;
    }

    /** As the relay does it, with everything acknowledged. */
    private static List<String> look(Connection relay, OutboxCursor frontier) throws SQLException {
        var rows = Outbox.read(relay, IntStream.range(0, OutboxRow.SHARDS).boxed().toList(), frontier, Set.of());
        assertThat(Outbox.delete(relay, rows.stream().map(Outbox.Staged::id).toList())).isEqualTo(rows.size());
        frontier.ownTransactionEnded();
        return rows.stream().map(Outbox.Staged::key).toList();
    }

    @Test
    void relays_share_the_shards_and_the_last_one_takes_over() throws SQLException {
        relay();
        eventually().until(() -> shardsHeld().equals(List.of(8L)));
        OutboxRelay second = relay();
        relay();
        eventually().until(() -> shardsHeld().equals(List.of(2L, 3L, 3L)));
        second.close();
        eventually().until(() -> shardsHeld().equals(List.of(4L, 4L)));
        for (int i = 0; i < 100; i++) {
            stage("key-" + i, 1);
        }
        eventually().until(() -> published().size() == 100);
    }

    @Test
    void a_shard_changes_hands_only_when_none_of_its_rows_is_under_way() {
        var slow = new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            @Override
            public void flush() {
                // Another pass would also return the answers of this one.
            }
        };
        relay(() -> slow);
        stage("key-7", 1);
        eventually().until(() -> slow.history().size() == 1);
        relay();
        eventually().during(Duration.ofMillis(1_500)).until(() -> shardsHeld().equals(List.of(8L)));
        slow.completeNext();
        eventually().until(() -> shardsHeld().equals(List.of(4L, 4L)));
        assertThat(published()).as("what the second relay sent").isEmpty();
    }

    private static final String SHARDS_HELD = """
            SELECT coalesce(array_agg(held ORDER BY held), '{}')
              FROM (SELECT count(*) AS held FROM relay_shard JOIN pg_locks ON locktype = 'advisory' AND objid = mark
                     GROUP BY mark) AS holder
            """;

    private static List<Long> shardsHeld() throws SQLException {
        try (var connection = DriverManager.getConnection(url); var row = connection.createStatement().executeQuery(SHARDS_HELD)) {
            row.next();
            return List.of((Long[]) row.getArray(1).getArray());
        }
    }

    @Test
    void a_row_that_is_too_large_holds_back_only_its_key_and_goes_first_once_it_is_fixed() {
        relay();
        database.inTransaction(connection -> {
            Outbox.stage(connection, List.of(row("large", incompressible()), row("large", "2"), row("other", "1")));
            return null;
        });
        eventually().until(() -> refused() == 1 && published().containsKey("other"));
        stage("large", 3);
        stage("other", 2);
        eventually().until(() -> published().get("other").contains(2));
        assertThat(published()).doesNotContainKey("large");
        database.withConnection(connection -> connection.createStatement()
                .execute("UPDATE outbox SET refusal = NULL, value = '1' WHERE refusal IS NOT NULL"));
        eventually().until(() -> published().getOrDefault("large", List.of()).size() == 3);
        assertThat(published().get("large")).containsExactly(1, 2, 3);
    }

    @Test
    void a_record_that_was_refused_is_offered_again_when_the_limit_was_raised() throws Exception {
        OutboxRelay first = relay();
        database.inTransaction(connection -> {
            Outbox.stage(connection, List.of(row("large", incompressible()), row("large", "2")));
            return null;
        });
        eventually().until(() -> refused() == 1);
        first.close();
        setTopic("max.message.bytes", "" + 20 * LARGEST_RECORD);
        relay();
        eventually().until(() -> outbox() == 0);
        assertThat(first.standstill()).isEmpty();
    }

    @Test
    void a_missing_topic_delays_no_other_and_gets_its_records_once_it_exists() throws Exception {
        String missing = topic + "-missing";
        database.inTransaction(connection -> {
            for (int i = 1; i <= 30; i++) {
                Outbox.stage(connection,
                        List.of(new OutboxRow(missing, "missing-" + i, Optional.of("1".getBytes(StandardCharsets.UTF_8)), Map.of()),
                                row("key-" + i, "1")));
            }
            return null;
        });
        OutboxRelay relay = relay(() -> newProducer(Map.of("max.block.ms", "1000")));
        eventually().until(() -> published().size() == 30 && outbox() == 30);
        stage("late", 1);
        eventually().until(() -> published().containsKey("late"));
        eventually().until(() -> relay.problem().filter(problem -> problem.contains(missing)).isPresent());
        assertThat(relay.standstill()).isEmpty();
        create(missing);
        eventually().until(() -> outbox() == 0);
        eventually().until(() -> relay.problem().isEmpty());
    }

    @Test
    void no_clock_of_ours_decides_what_the_broker_takes() {
        stage("ahead", 1);
        stage("behind", 1);
        database.withConnection(connection -> connection.createStatement()
                .execute(
                        "UPDATE outbox SET staged_at = staged_at + CASE record_key WHEN 'ahead' THEN 1 ELSE -1 END * interval '3000 "
                                + "days'"));
        relay();
        eventually().until(() -> published().size() == 2);
        assertThat(refused()).isZero();
    }

    @Test
    void a_producer_that_fails_for_good_is_replaced_and_ends_nothing() {
        stage("key", 1);
        var made = new AtomicInteger();
        relay(() -> {
            if (made.incrementAndGet() == 1) {
                throw new KafkaException("no such login module");
            }
            return made.get() <= 3 ? refusing(made.get()) : newProducer();
        });
        eventually().until(() -> published().containsKey("key"));
        assertThat(made).hasValue(4);
        assertThat(meters.get("chargeonce.relay.producers.replaced").counter().count()).isEqualTo(3);
    }

    /** The second throws on send, like a producer in a fatal state; the third answers that it is not authorised. */
    @SuppressWarnings("unchecked") // The proxy implements exactly this interface.
    private static Producer<byte[], byte[]> refusing(int which) {
        return (Producer<byte[], byte[]>) Proxy.newProxyInstance(OutboxRelayTest.class.getClassLoader(), new Class<?>[] {Producer.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "send" -> {
                        if (which == 2) {
                            throw new KafkaException("Cannot execute transactional method because we are in an error state");
                        }
                        yield CompletableFuture.failedFuture(new SaslAuthenticationException("planted"));
                    }
                    case "flush", "close" -> null;
                    default -> throw new UnsupportedOperationException(method.toString());
                });
    }

    @Test
    void a_bug_in_a_pass_or_an_error_ends_no_relay() {
        stage("key", 1);
        var made = new AtomicInteger();
        OutboxRelay relay = relay(() -> {
            if (made.incrementAndGet() == 1) {
                throw new OutOfMemoryError("planted");
            }
            return newProducer();
        });
        eventually().until(() -> published().containsKey("key"));
        assertThat(relay.standstill()).isEmpty();
    }

    @Test
    void the_age_of_the_oldest_record_is_known_where_no_relay_runs() {
        var age = new DatabaseWaits(database, meters);
        age.runOnce();
        assertThat(meters.get("chargeonce.outbox.oldest.seconds").gauge().value()).isZero();
        stage("key", 1);
        stage("refused", 1);
        stage("refused", 2);
        database.withConnection(connection -> connection.createStatement().execute("""
                UPDATE outbox SET staged_at = now() - CASE record_key WHEN 'key' THEN interval '1 hour' ELSE interval '1 day' END,
                       refusal = CASE WHEN record_key = 'refused' AND value = '1' THEN 'too large' END
                """));
        age.runOnce();
        assertThat(meters.get("chargeonce.outbox.oldest.seconds").gauge().value()).isBetween(3600.0, 7200.0);
    }

    private void setTopic(String setting, String value) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers()))) {
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic),
                    List.of(new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET)))).all().get();
        }
    }

    private static void create(String topic) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        }
    }

    private static String incompressible() {
        return new Random(1).ints(10 * LARGEST_RECORD, 'a', 'z')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    }

    private static long refused() {
        return count("SELECT count(*) FROM outbox WHERE refusal IS NOT NULL");
    }

    private static long outbox() {
        return count("SELECT count(*) FROM outbox");
    }

    private static long count(String sql) {
        return database.withConnection(connection -> {
            try (var row = connection.createStatement().executeQuery(sql)) {
                row.next();
                return row.getLong(1);
            }
        });
    }
}
