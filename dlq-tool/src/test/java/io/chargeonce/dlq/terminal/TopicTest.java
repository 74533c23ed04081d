// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.OutboxRelay;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.Staging;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that read topics. */
class TopicTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private static final Called AGREED =
            new Called(0, "The queue, the payments of the last 7d and the topic agree. Older ones: chargeonce dlq verify --all\n", "");

    @BeforeEach
    void makeTheTopicsAnew() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", kafka().bootstrapServers()))) {
            if (admin.listTopics().names().get().contains("payments.dlq")) {
                admin.deleteTopics(java.util.List.of("payments.dlq")).all().get();
                Awaitility.await().until(() -> !admin.listTopics().names().get().contains("payments.dlq"));
            }
            new TopicPlan(rows.queue().topics(), 3, Optional.of((short) 1)).create(admin);
        }
    }

    @Test
    void queue_and_topic_agree_once_everything_is_published_and_while_it_is_not() {
        rows.dead(5);
        rows.poison(new byte[] {1, 2});
        assertThat(verify()).as("what waits in the outbox is no difference").isEqualTo(AGREED);
        publish();
        call("purge", "--standing", "poison", "--reason", "r", "--yes");
        publish();
        assertThat(verify()).isEqualTo(AGREED);
    }

    @Test
    void each_difference_is_told_and_a_repair_mends_the_topic() throws Exception {
        String lost = rows.dead();
        String older = rows.dead();
        String left = rows.dead();
        String nobodys = "pay_nobodynobodynobodynobodyno";
        publish();
        call("purge", left, "--reason", "r", "--yes");
        rows.text("DELETE FROM outbox RETURNING 1");
        rows.text("UPDATE dead_letter SET changed_at = now() - interval '1 hour' WHERE dead_letter_id = '" + left + "' RETURNING 1");
        rows.text("UPDATE dead_letter SET revision = 2 WHERE dead_letter_id = '" + older + "' RETURNING 1");
        send("payments.dlq", lost, null);
        send("payments.dlq", nobodys, "{\"revision\":1}");

        Called verify = verify();
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains(lost + "  it is in the queue, but a tombstone that is not the pipeline's hides it on the topic",
                older + "  it is in the queue at revision 2, but the topic shows it at revision 1",
                left + "  the topic shows it at revision 1, but it is not in the queue",
                nobodys + "  the topic shows it at revision 1, but it is not in the queue, and neither is its payment in the database",
                "3 differences on the topic", "1 difference that --repair cannot mend");

        assertThat(verify("--repair", "--reason", "the topic was wrong").out()).contains("3 staged for the topic");
        publish();
        assertThat(verify().out()).as("after a restore it may be all that is left of a payment").contains(nobodys).hasLineCount(2);
        assertThat(verify("--repair", "--drop-unknown", "--reason", "it was forged").out()).contains("1 staged for the topic");
        publish();
        assertThat(verify()).isEqualTo(AGREED);
        assertThat(rows.audit(older)).isEqualTo("dlq.repaired");
    }

    @Test
    void a_letter_that_only_the_topic_has_stays_there_while_its_payment_is_dead_or_unresolved() {
        String deleted = rows.dead();
        String moved = rows.dead();
        String unresolved = rows.unresolved();
        publish();
        rows.text("UPDATE dead_letter SET state = 'merged' WHERE dead_letter_id = '" + moved + "' RETURNING 1");
        rows.text("UPDATE dead_letter SET changed_at = now() - interval '1 hour' WHERE dead_letter_id = '" + moved + "' RETURNING 1");
        rows.text("DELETE FROM dead_letter WHERE state = 'dead' RETURNING 1");
        rows.rewrite("""
                SET session_replication_role = replica;
                UPDATE operation SET accepted_at = now() - interval '8 days';
                UPDATE audit_record SET at = now() - interval '8 days';
                RESET session_replication_role
                """);
        assertThat(call("verify", "--table-only")).as("only a look at every payment finds it without the topic").isEqualTo(new Called(0,
                "The queue and the payments of the last 7d agree. Older ones: chargeonce dlq verify --all\n", ""));
        Called repair = verify("--repair", "--reason", "they are gone");
        assertThat(repair.exit()).isEqualTo(1);
        String shown = "  the topic shows it at revision 1, but it is not in the queue, although its payment is ";
        assertThat(repair.out()).contains(deleted + shown + "dead", moved + shown + "dead", unresolved + shown + "unresolved",
                "3 differences that --repair cannot mend");
        assertThat(rows.text("SELECT count(*) FROM outbox")).as("no tombstone").isEqualTo("0");
    }

    @Test
    void a_topic_that_was_created_again_is_filled_again() throws Exception {
        rows.dead(3);
        rows.text("DELETE FROM outbox RETURNING 1");
        assertThat(verify().out()).contains("it is in the queue, but the topic does not show it", "3 differences");
        verify("--repair", "--reason", "made again");
        publish();
        assertThat(verify().exit()).isZero();
    }

    @Test
    void a_topic_that_is_ahead_of_a_restored_database_is_told() throws Exception {
        String id = rows.dead();
        publish();
        send("payments.dlq", id, "{\"revision\":7}");
        assertThat(verify().out()).contains(id + "  the topic shows revision 7, which the table never had");
        Called repair = verify("--repair", "--reason", "restored");
        assertThat(repair.exit()).as("it is not repaired by staging it again").isEqualTo(1);
        assertThat(repair.out()).contains("1 difference that --repair cannot mend").doesNotContain("staged for the topic");
        assertThat(rows.audit(id)).isEqualTo("nothing");
    }

    @Test
    void a_letter_that_was_staged_after_a_foreign_tombstone_is_shown() throws Exception {
        String id = rows.dead();
        send("payments.dlq", id, null);
        publish();
        assertThat(verify()).isEqualTo(AGREED);
    }

    @Test
    void a_foreign_topic_is_taken_in_with_what_springs_headers_say_and_twice_is_once() throws Exception {
        String topic = "orders-dlt-" + UUID.randomUUID();
        create(topic);
        try (var producer = producer()) {
            var record = new ProducerRecord<>(topic, "order-1".getBytes(StandardCharsets.UTF_8),
                    "{\"total\":3}".getBytes(StandardCharsets.UTF_8));
            record.headers()
                    .add("kafka_dlt-exception-fqcn",
                            "org.springframework.kafka.listener.ListenerExecutionFailedException".getBytes(StandardCharsets.UTF_8))
                    .add("kafka_dlt-exception-cause-fqcn", "java.net.SocketTimeoutException".getBytes(StandardCharsets.UTF_8))
                    .add("kafka_dlt-exception-message", "Read timed out".getBytes(StandardCharsets.UTF_8))
                    .add("kafka_dlt-original-topic", "orders".getBytes(StandardCharsets.UTF_8))
                    .add("kafka_dlt-original-partition", ByteBuffer.allocate(4).putInt(7).array())
                    .add("kafka_dlt-original-offset", ByteBuffer.allocate(8).putLong(4711).array());
            producer.send(record).get();
            var hostile = new ProducerRecord<byte[], byte[]>(topic, null, new byte[0]);
            hostile.headers().add("kafka_exception-fqcn", "x.Retried".getBytes(StandardCharsets.UTF_8))
                    .add("kafka_original-offset", new byte[] {1})
                    .add("kafka_dlt-original-partition", ByteBuffer.allocate(4).putInt(-1).array());
            producer.send(hostile).get();
        }
        Called taken = call("import", "--from-topic", topic, "--reason", "one place to look");
        assertThat(taken.exit()).as(taken.err()).isZero();
        assertThat(taken.out()).startsWith("2 records came into the queue");
        String id = rows.text("SELECT dead_letter_id FROM dead_letter WHERE cause = 'SocketTimeoutException' AND message = 'Read timed out'"
                + " AND source_topic = 'orders' AND source_partition = 7 AND source_offset = 4711");
        assertThat(call("show", id).out()).contains("orders, partition 7, offset 4711", "{\"total\":3}", "kafka_dlt-original-topic");
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE cause = 'Retried' AND source_topic = '" + topic + "'")).isEqualTo("1");
        assertThat(taken.out()).contains("To send them back:  chargeonce dlq merge --run ", "1 of them cannot be sent back");
        assertThat(call("merge", "--all").out()).contains("sends back", "names no topic", "headers name no topic");

        call("import", "--from-topic", topic, "--reason", "again");
        assertThat(rows.text("SELECT count(*) FROM dead_letter")).isEqualTo("2");
        call("purge", "--all", "--reason", "seen", "--yes");
        call("import", "--from-topic", topic, "--reason", "again");
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE state = 'dead'")).as("what was purged stays purged").isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"payments.requests", "payments.retry-2", "payments.dlq", "payments.outcomes", "payments.audit-seals",
        "payments.intake-refused", "payments.intake.acme"})
    void the_pipelines_own_topics_are_not_taken_in(String topic) throws Exception {
        rows.dead();
        publish();
        Called called = call("import", "--from-topic", topic, "--reason", "by mistake");
        assertThat(called.exit()).isEqualTo(2);
        assertThat(called.err()).contains("--from-topic is '%s', a topic of this pipeline".formatted(topic), "Nothing was changed.");
        assertThat(rows.text("SELECT count(*) FROM dead_letter")).isEqualTo("1");
    }

    @Test
    void a_topic_that_is_not_there_is_a_no_and_a_kafka_that_is_not_there_is_3() {
        assertThat(call("import", "--from-topic", "nobodys", "--reason", "r")).isEqualTo(
                new Called(1, "", "dlq import: there is no topic 'nobodys'; nothing was changed\n"));
        Called unreachable = Called.of(rows::open, () -> KafkaConnection.of("127.0.0.1:1", Optional.empty()), "verify");
        assertThat(unreachable.exit()).isEqualTo(3);
        assertThat(unreachable.err()).startsWith("dlq verify: Kafka can't be reached").hasLineCount(1);
    }

    private static void publish() {
        try (var relay =
                new OutboxRelay(rows.owner(), Staging::request, TopicTest::producer, "/chargeonce", new SimpleMeterRegistry()).start()) {
            Awaitility.await().until(() -> rows.text("SELECT count(*) FROM outbox").equals("0"));
        }
    }

    private static Producer<byte[], byte[]> producer() {
        return new ProducerSettings(kafka(), "dlq-test").newProducer();
    }

    private static void send(String topic, String key, String value) throws Exception {
        try (var producer = producer()) {
            producer.send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8),
                    value == null ? null : value.getBytes(StandardCharsets.UTF_8))).get();
        }
    }

    private static void create(String topic) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", kafka().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
        }
    }

    private static KafkaConnection kafka() {
        return KafkaConnection.of(TestStack.kafka().bootstrapServers(), Optional.empty());
    }

    private static Called verify(String... more) {
        String[] arguments = new String[more.length + 1];
        arguments[0] = "verify";
        System.arraycopy(more, 0, arguments, 1, more.length);
        return call(arguments);
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, TopicTest::kafka, arguments);
    }
}
