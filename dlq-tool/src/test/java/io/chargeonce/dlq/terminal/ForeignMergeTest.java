// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.OutboxRelay;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.story.Export;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.Staging;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Other systems' dead letters go back to the topics that they came from. */
class ForeignMergeTest {

    private static final byte[] KEY = {0, -1, 7};
    private static final byte[] VALUE = {-128, 0, 1};
    private static final String[] NO_MONEY = {"charged", "EUR", "amount", "Payment"};

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private final String orders = "orders-" + UUID.randomUUID();
    private final String deadLetters = orders + "-dlt";
    private final Producer<byte[], byte[]> another = producer();

    @BeforeEach
    void makeTheTopics() throws Exception {
        try (Admin admin = kafka().newAdmin()) {
            new TopicPlan(rows.queue().topics(), 3, Optional.of((short) 1)).create(admin);
        }
        create(orders, Map.of());
        create(deadLetters, Map.of("max.message.bytes", "4000000"));
    }

    @AfterEach
    void close() {
        another.close();
    }

    @Test
    void what_another_system_gave_up_goes_back_byte_for_byte_and_only_once() throws Exception {
        bury(orders, KEY, VALUE);
        take();
        String id = only();
        assertThat(call("show", id).out()).contains("sends it back to " + orders).doesNotContain(NO_MONEY);
        assertThat(call("why", id).out()).doesNotContain(NO_MONEY);
        assertThat(call("list", "--json", "--standing", "foreign").json().getFirst().path("target").asString()).isEqualTo(orders);
        assertThat(call("merge", "--all").out()).contains("sends back", "Add --yes").doesNotContain(NO_MONEY);

        Called merge = call("merge", "--all", "--canary", "0", "--reason", "mended", "--yes");
        assertThat(merge.exit()).as(merge.err()).isZero();
        assertThat(merge.out()).contains("sent to its topic again").doesNotContain(NO_MONEY);
        assertThat(rows.letter(id)).isEqualTo("merged/2");
        assertThat(rows.audit(id)).contains("dlq.imported", "dlq.merged");
        assertThat(read(orders)).as("what is committed waits in the outbox").isEmpty();
        assertThat(call("merge", "--all", "--canary", "0", "--yes").out()).contains("empty");

        publish();
        publish();
        List<ConsumerRecord<byte[], byte[]>> back = read(orders);
        assertThat(back).hasSize(1);
        assertThat(back.getFirst().key()).isEqualTo(KEY);
        assertThat(back.getFirst().value()).isEqualTo(VALUE);
        assertThat(Arrays.stream(back.getFirst().headers().toArray())
                .map(header -> header.key() + "="
                        + (header.value() == null ? null : new String(header.value(), StandardCharsets.ISO_8859_1))))
                .containsExactly("tenant=\u00ff\u0000", "none=null", "tenant=again", "chargeonce-merges=1", "chargeonce-dead-letter=" + id);

        take();
        assertThat(rows.letter(id)).as("it is read once more, and stays away").isEqualTo("merged/2");
    }

    @Test
    void neither_a_key_nor_a_value_comes_to_a_record_that_has_none() throws Exception {
        bury(orders, null, null);
        take();
        call("merge", "--all", "--canary", "0", "--yes");
        publish();
        assertThat(read(orders)).singleElement().satisfies(record -> {
            assertThat(record.key()).isNull();
            assertThat(record.value()).isNull();
        });
    }

    @Test
    void a_canary_goes_first_a_person_looks_and_the_rest_follows_each_once() throws Exception {
        for (int n = 0; n < 40; n++) {
            bury(orders, KEY, new byte[] {(byte) n});
        }
        take();
        Called canary = call("merge", "--all", "--yes");
        assertThat(canary.exit()).isEqualTo(1);
        assertThat(canary.out()).contains("2 of the canary's 2 are merged; a person looks at them first");
        publish();
        assertThat(read(orders)).hasSize(2);
        String run = rows.text("SELECT run_id FROM dlq_run");
        assertThat(call("merge", "--resume", run).exit()).isZero();
        publish();
        var values = new HashSet<Byte>();
        List<ConsumerRecord<byte[], byte[]>> back = read(orders);
        back.forEach(record -> values.add(record.value()[0]));
        assertThat(back).hasSize(40);
        assertThat(values).hasSize(40);
    }

    @Test
    void what_its_topic_cannot_take_stays_and_the_answer_says_why() throws Exception {
        String small = orders + "-small";
        create(small, Map.of("max.message.bytes", "1000"));
        String missing = orders + "-missing";
        byte[] random = new byte[2_000];
        new Random(1).nextBytes(random);
        bury(small, KEY, random);
        bury(missing, KEY, VALUE);
        bury(null, KEY, VALUE);
        bury(small, KEY, new byte[2_000]);
        bury(orders, KEY, VALUE);
        take();
        Called merge = call("merge", "--all", "--canary", "0", "--yes");
        assertThat(merge.out()).contains("larger than its topic takes", "its topic does not exist", "refused and left as it was")
                .doesNotContain(NO_MONEY);
        publish();
        assertThat(read(orders)).hasSize(1);
        assertThat(read(small)).as("as a producer compresses it, this one fits").hasSize(1);
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE state = 'dead'")).isEqualTo("3");
        assertThat(rows.text("SELECT string_agg(fate, ' ' ORDER BY fate) FROM dlq_run_item"))
                .isEqualTo("no_topic refused resent resent too_large");
        assertThat(topics()).doesNotContain(missing);

        create(missing, Map.of());
        String id = rows.text("SELECT dead_letter_id FROM dead_letter WHERE target_topic = '" + missing + "'");
        assertThat(call("merge", id, "--canary", "0", "--yes").exit()).isZero();
        publish();
        assertThat(read(missing)).hasSize(1);
    }

    @Test
    void without_kafka_nothing_moves_and_the_run_can_be_resumed() throws Exception {
        bury(orders, KEY, VALUE);
        take();
        Called merge = Called.of(rows::open, () -> KafkaConnection.of("127.0.0.1:1", Optional.empty()), "merge", "--all", "--canary", "0",
                "--yes");
        assertThat(merge.exit()).isEqualTo(3);
        assertThat(merge.err()).contains("to go on: chargeonce dlq merge --resume run_", "Kafka can't be reached");
        assertThat(rows.letter(only())).isEqualTo("dead/1");
        assertThat(call("merge", "--resume", rows.text("SELECT run_id FROM dlq_run")).exit()).isZero();
        publish();
        assertThat(read(orders)).hasSize(1);
    }

    @Test
    void what_was_purged_and_restored_goes_back_too() throws Exception {
        bury(orders, KEY, VALUE);
        take();
        String id = only();
        assertThat(call("purge", "--all", "--reason", "r", "--yes").out()).contains("purged").doesNotContain(NO_MONEY);
        assertThat(call("restore", "--all", "--reason", "r", "--yes").exit()).isZero();
        assertThat(call("merge", id, "--canary", "0", "--yes").exit()).isZero();
        publish();
        assertThat(read(orders)).hasSize(1);
    }

    @Test
    void four_eyes_count_the_records_that_go_back() throws Exception {
        bury(orders, KEY, VALUE);
        bury(orders, KEY, new byte[] {2});
        take();
        rows.text("SELECT limit_what_one_does_alone(ARRAY['*'], ARRAY[1]::bigint[])");
        Called merge = call("merge", "--all", "--canary", "0", "--yes");
        assertThat(merge.exit()).isEqualTo(1);
        assertThat(merge.out()).contains("chargeonce dlq approve run_");
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE state = 'dead'")).isEqualTo("2");
        rows.text("SELECT limit_what_one_does_alone(ARRAY[]::text[], ARRAY[]::bigint[])");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        // Another topic, and another value than its letter's.
        "'payments.outcomes', '\\x8000', '\\x01'", "TARGET, '\\x00ff07', '\\x01'",
        // As it came, but its letter stays in the queue.
        "TARGET, '\\x00ff07', '\\x800001'"})
    void a_person_stages_no_record_of_their_own_making(String record) throws Exception {
        bury(orders, KEY, VALUE);
        take();
        String id = only();
        String sql = ("INSERT INTO outbox (shard, topic, raw_key, value, record_key, headers, raw_headers) VALUES (0, %s, '%s', "
                + "json_build_object('chargeonce-dead-letter', '%s'), '')").formatted(record.replace("TARGET", "'" + orders + "'"), id, id);
        assertThatThrownBy(() -> rows.queue().database().withConnection(connection -> connection.createStatement().executeUpdate(sql)))
                .rootCause().hasMessageContaining("row-level security");
    }

    @Test
    void what_the_queues_topic_would_refuse_is_left_where_it_is_and_the_answer_says_so() throws Exception {
        bury(orders, KEY, random(1_600_000));
        bury(orders, KEY, VALUE);
        assertThat(take().out()).contains("1 record came into the queue", "1 too large for the queue, and left where they are");
        assertThat(rows.text("SELECT count(*) FROM dead_letter")).isEqualTo("1");
        call("merge", "--all", "--canary", "0", "--yes");
        publish();
        assertThat(read(orders)).hasSize(1);
    }

    @Test
    void large_records_come_and_go_a_few_at_a_time() throws Exception {
        for (int n = 0; n < 7; n++) {
            bury(orders, KEY, random(800_000));
        }
        String transactions = "SELECT count(DISTINCT xmin::text) FROM dead_letter";
        take();
        assertThat(rows.text(transactions)).isEqualTo("3");
        assertThat(call("merge", "--all", "--canary", "0", "--yes").exit()).isZero();
        assertThat(rows.text(transactions)).isEqualTo("3");
        publish();
        assertThat(read(orders)).hasSize(7);
    }

    /** What is read later has the place that it was given meanwhile. */
    @Test
    void large_records_are_exported_a_few_at_a_time() throws Exception {
        for (int n = 0; n < 7; n++) {
            bury(orders, KEY, random(800_000));
        }
        take();
        var offsets = new ArrayList<Long>();
        new Export(rows.queue(), true).run(DeadLetterFilter.everything(), exported -> {
            offsets.add(exported.source().orElseThrow().offset());
            rows.text("UPDATE dead_letter SET source_offset = source_offset + 100 RETURNING 1");
        });
        assertThat(offsets).containsExactly(11L, 11L, 11L, 311L, 311L, 311L, 611L);
    }

    /** Whoever wrote the records has chosen where they go. */
    @Test
    void an_import_and_the_plan_of_a_merge_name_the_topics_that_records_would_go_to() throws Exception {
        for (int n = 0; n < 3; n++) {
            bury(orders, KEY, new byte[] {(byte) n});
        }
        for (int n = 10; n < 21; n++) {
            bury(orders + "-" + n, KEY, VALUE);
        }
        String all = "Of other systems' records: to %s 3 · %s.".formatted(orders,
                IntStream.range(10, 21).mapToObj(n -> "to %s-%d 1".formatted(orders, n)).collect(Collectors.joining(" · ")));
        assertThat(words(take())).contains(all);
        assertThat(words(call("merge", "--all"))).contains(all);
        assertThat(words(call("merge", "--all", "--plan"))).contains(all);
        String run = rows.text("SELECT run_id FROM dlq_run");
        assertThat(words(call("runs", "show", run))).contains(all);
        for (Called json : List.of(call("merge", "--all", "--json"), call("merge", "--all", "--plan", "--json"),
                call("runs", "show", run, "--json"))) {
            assertThat(json.json().getFirst().path("targets")).hasSize(12);
            assertThat(json.json().getFirst().at("/targets/" + orders).asLong()).isEqualTo(3);
        }
        assertThat(call("purge", "--all").out()).doesNotContain("to " + orders);
    }

    @Test
    void no_merge_goes_to_more_topics_than_a_person_was_shown() throws Exception {
        for (int n = 0; n <= Plan.MOST_TARGETS; n++) {
            bury(orders + "-" + n, KEY, VALUE);
        }
        take();
        assertThat(words(call("merge", "--all"))).contains(" · to other topics 1.");
        for (String how : List.of("--plan", "--yes")) {
            Called merge = call("merge", "--all", how);
            assertThat(merge.exit()).isEqualTo(1);
            assertThat(merge.err()).contains("more than 100 topics", "merge a part", "nothing was changed");
        }
        assertThat(rows.text("SELECT count(*) FROM dlq_run")).isEqualTo("0");
        String one = rows.text("SELECT dead_letter_id FROM dead_letter WHERE target_topic = '" + orders + "-7'");
        assertThat(call("merge", one, "--plan").exit()).isZero();
        assertThat(call("purge", "--all", "--reason", "a flood", "--yes").exit()).isZero();
    }

    private static String words(Called called) {
        return called.out().replaceAll("\\s+", " ");
    }

    @Test
    void what_another_system_gave_up_twice_is_one_letter() throws Exception {
        bury("payments.requests", KEY, VALUE);
        bury("payments.requests", KEY, VALUE);
        bury("chargeonce-console-payments-facts-repartition", KEY, VALUE);
        bury(orders, KEY, VALUE);
        assertThat(take().out()).contains("3 records came into the queue", "To send them back", "2 of them cannot be sent back",
                "1 had been in it before");
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE action = 'dlq.imported'")).isEqualTo("3");
    }

    /** Without headers for the way back, with others than HeaderBytes writes, another record than the letter's, and no record at all. */
    private static final List<byte[]> CHANGED = List.of(content(KEY, VALUE, null, null), content(KEY, VALUE, null, new byte[] {1}),
            content(KEY, new byte[] {9}, null, new byte[0]), new byte[] {0});

    private static byte[] content(byte[]... parts) {
        var bytes = ByteBuffer.allocate(100);
        for (byte[] part : parts) {
            bytes.putInt(part == null ? -1 : part.length).put(part == null ? new byte[0] : part);
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    @ParameterizedTest
    @FieldSource("CHANGED")
    void a_letter_whose_bytes_were_changed_stays_and_keeps_no_payment_from_being_merged(byte[] content) throws Exception {
        bury(orders, KEY, VALUE);
        take();
        String letter = only();
        rows.owner().withConnection(connection -> Sql.update(connection, "UPDATE dead_letter SET sealed_record = ?",
                QueueRows.VAULT.seal(DeadLetter.place(letter), content)));
        String payment = rows.dead();
        Called merge = call("merge", "--all", "--canary", "0", "--yes", "--wait", "0");
        assertThat(words(merge)).as(merge.err()).contains("its bytes were changed");
        assertThat(rows.text("SELECT string_agg(fate, ' ' ORDER BY fate) FROM dlq_run_item")).isEqualTo("closed reentered");
        assertThat(rows.letter(letter)).isEqualTo("dead/1");
        assertThat(rows.letter(payment)).isEqualTo("merged/2");
        assertThat(call("show", letter).exit()).isZero();
    }

    /** Whoever made up a letter past the import. */
    @ParameterizedTest
    @ValueSource(strings = {"payments.outcomes", "other.intake.acme", "chargeonce-console-payments-open-changelog", "__consumer_offsets"})
    void the_database_takes_no_letter_that_would_go_to_a_topic_of_ours_or_of_kafkas(String topic) throws Exception {
        bury(orders, KEY, VALUE);
        take();
        assertThatThrownBy(() -> rows.text("UPDATE dead_letter SET target_topic = '" + topic + "' RETURNING 1"))
                .rootCause().hasMessageContaining("target_topic");
    }

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random().nextBytes(bytes);
        return bytes;
    }

    private Called take() {
        Called taken = call("import", "--from-topic", deadLetters, "--reason", "one place to look");
        assertThat(taken.exit()).as(taken.err()).isZero();
        return taken;
    }

    private static String only() {
        return rows.text("SELECT dead_letter_id FROM dead_letter");
    }

    /** As Spring Kafka's recoverer does it. */
    private void bury(String from, byte[] key, byte[] value) throws Exception {
        var record = new ProducerRecord<>(deadLetters, key, value);
        record.headers().add("tenant", new byte[] {-1, 0}).add("none", null);
        if (from != null) {
            record.headers().add("kafka_dlt-original-topic", from.getBytes(StandardCharsets.UTF_8))
                    .add("kafka_dlt-original-partition", ByteBuffer.allocate(4).putInt(0).array())
                    .add("kafka_dlt-original-offset", ByteBuffer.allocate(8).putLong(11).array());
        }
        record.headers().add("kafka_dlt-exception-fqcn", "x.Y".getBytes(StandardCharsets.UTF_8))
                .add("kafka_dlt-exception-stacktrace", new byte[5_000]).add("tenant", "again".getBytes(StandardCharsets.UTF_8));
        another.send(record).get();
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        try (var reader = kafka().newReader()) {
            var partition = new TopicPartition(topic, 0);
            reader.assign(List.of(partition));
            reader.seekToBeginning(List.of(partition));
            long end = reader.endOffsets(List.of(partition)).get(partition);
            var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
            Awaitility.await().until(() -> {
                reader.poll(Duration.ofMillis(100)).forEach(records::add);
                return reader.position(partition) >= end;
            });
            return records;
        }
    }

    private static void publish() {
        try (var relay =
                new OutboxRelay(rows.owner(), Staging::request, ForeignMergeTest::producer, "/chargeonce", new SimpleMeterRegistry())
                        .start()) {
            Awaitility.await().until(() -> rows.text("SELECT count(*) FROM outbox").equals("0"));
        }
    }

    private static Producer<byte[], byte[]> producer() {
        return new ProducerSettings(kafka(), "dlq-test").newProducer();
    }

    private static void create(String topic, Map<String, String> configs) throws Exception {
        try (var admin = kafka().newAdmin()) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(configs))).all().get();
        }
    }

    private static Set<String> topics() throws ExecutionException, InterruptedException {
        try (Admin admin = kafka().newAdmin()) {
            return admin.listTopics().names().get();
        }
    }

    private static KafkaConnection kafka() {
        return KafkaConnection.of(TestStack.kafka().bootstrapServers(), Optional.empty());
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, ForeignMergeTest::kafka, arguments);
    }
}
