// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.audit.AuditSealer;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.Staging;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who rewrites the database, seals and all, is told by the copies of the seals in Kafka. */
class SealCopiesTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private static final String TOPIC = "payments.audit-seals";
    private static final AuditKeys KEY = AuditKeys.of(Optional.of(new Secret("k".repeat(40))));

    @BeforeEach
    void makeTheTopicAnew() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers()))) {
            deleteTopic(admin);
            new TopicPlan(rows.queue().topics(), 3, Optional.of((short) 1)).create(admin);
        }
        append("one");
        seal(AuditKeys.NONE);
        append("two");
        seal(AuditKeys.NONE);
    }

    private static void deleteTopic(Admin admin) throws Exception {
        if (admin.listTopics().names().get().contains(TOPIC)) {
            admin.deleteTopics(List.of(TOPIC)).all().get();
            Awaitility.await().until(() -> !admin.listTopics().names().get().contains(TOPIC));
        }
    }

    @Test
    void database_and_kafka_agree_once_everything_is_published_and_while_it_is_not() {
        assertThat(verify(AuditKeys.NONE).exit()).as("what waits in the outbox is no difference").isZero();
        publish();
        Called verify = verify(AuditKeys.NONE);
        assertThat(verify.exit()).as(verify.out()).isZero();
        assertThat(verify.out()).contains("Checked: 2 records in 2 seals, up to seal 2 of ", "Each is as it was written.")
                .doesNotContain("not compared");
    }

    @Test
    void a_database_rewritten_with_its_seals_differs_from_kafka() {
        publish();
        rows.text("UPDATE audit_record SET actor = 'another' WHERE resource_id = 'one' RETURNING 1");
        rows.text("DELETE FROM audit_seal RETURNING 1");
        seal(AuditKeys.NONE);
        publish();
        assertThat(Called.of(rows::open, "audit", "--verify", "--table-only").exit()).as("by itself the database is sound").isZero();
        Called verify = verify(AuditKeys.NONE);
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains("seal 1  Kafka has another one, made ", "seal 2  Kafka has it, made ",
                "and the database does not");
    }

    @Test
    void an_end_that_was_taken_away_with_its_seal_is_missed() {
        publish();
        rows.text("DELETE FROM audit_record WHERE resource_id = 'two' RETURNING 1");
        rows.text("DELETE FROM audit_seal WHERE seal = 2 RETURNING 1");
        assertThat(Called.of(rows::open, "audit", "--verify", "--table-only").exit()).isZero();
        Called verify = verify(AuditKeys.NONE);
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains("seal 2  Kafka has it, made ", "and the database does not");
    }

    @Test
    void copies_that_are_not_there_and_records_that_are_no_copies_are_told() throws Exception {
        rows.text("DELETE FROM outbox RETURNING 1");
        try (var producer = new ProducerSettings(connection(), "seal-copies-test").newProducer()) {
            for (String odd : List.of("no JSON", "{}", "{\"seal\": 1}", "[]", "{\"seal\": 7, \"mark\": \"" + "x".repeat(100_000) + "\"}")) {
                producer.send(new ProducerRecord<>(TOPIC, 0, "odd".getBytes(StandardCharsets.UTF_8), odd.getBytes(StandardCharsets.UTF_8)))
                        .get();
            }
            producer.send(new ProducerRecord<>(TOPIC, 0, "1".getBytes(StandardCharsets.UTF_8), null)).get();
        }
        Called verify = verify(AuditKeys.NONE);
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains("seal 1  Kafka has no copy of it", "seal 2  Kafka has no copy of it",
                "payments.audit-seals-0 at offset 0 has a record that is no seal",
                "payments.audit-seals-0 at offset 5 has a record that is no seal", "or Kafka lost the copies of seals");
    }

    @Test
    void once_kafka_has_lost_the_copies_a_check_starts_at_the_first_seal_after_that() {
        rows.text("DELETE FROM outbox RETURNING 1");
        append("three");
        seal(AuditKeys.NONE);
        publish();
        assertThat(verify(AuditKeys.NONE).out()).contains("seal 2  Kafka has no copy of it").doesNotContain("seal 3  ");
        Called verify = verify(AuditKeys.NONE, "--after-seal",
                rows.text("SELECT seal || ':' || encode(mark, 'hex') FROM audit_seal WHERE seal = 3"));
        assertThat(verify.exit()).as(verify.out()).isZero();
    }

    @Test
    void a_check_prints_what_to_give_the_next_one_which_reads_only_what_came_after_it() throws Exception {
        String next = next();
        try (var admin = Admin.create(Map.of("bootstrap.servers", TestStack.kafka().bootstrapServers()));
             var producer = new ProducerSettings(connection(), "seal-copies-test").newProducer()) {
            deleteTopic(admin);
            admin.createTopics(List.of(new NewTopic(TOPIC, 3, (short) 1).configs(Map.of("message.timestamp.type", "CreateTime")))).all()
                    .get();
            producer.send(new ProducerRecord<>(TOPIC, 0, 1L, "odd".getBytes(StandardCharsets.UTF_8), new byte[0])).get();
        }
        publish();
        assertThat(verify(AuditKeys.NONE).out()).as("a whole check reads what is old").contains("has a record that is no seal");
        append("three");
        seal(AuditKeys.NONE);
        publish();
        Called verify = verify(AuditKeys.NONE, "--after-seal", next);
        assertThat(verify.exit()).as(verify.out()).isZero();
        assertThat(verify.out()).contains("Checked: 1 record in 1 seal, up to seal 3 of ")
                .containsPattern("(?m)^chargeonce dlq audit --verify --after-seal 3:[0-9a-f]{64}$");
        assertThat(verify(AuditKeys.NONE, "--after-seal", "2").out()).as("a number alone says nothing of its time")
                .contains("has a record that is no seal");
    }

    @Test
    void who_makes_all_seals_again_is_told_by_the_mark_that_a_check_starts_from() {
        String next = next();
        rows.text("UPDATE audit_record SET actor = 'another' WHERE resource_id = 'one' RETURNING 1");
        rows.text("DELETE FROM audit_seal RETURNING 1");
        seal(AuditKeys.NONE);
        append("three");
        seal(AuditKeys.NONE);
        append("four");
        seal(AuditKeys.NONE);
        assertThat(Called.of(rows::open, "audit", "--verify", "--table-only", "--after-seal", "2").exit()).isZero();
        Called verify = Called.of(rows::open, "audit", "--verify", "--table-only", "--after-seal", next);
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains("seal 2  it is not the seal that was given: it has another mark").doesNotContain("The next time");
    }

    /** What a whole check prints for the next one. */
    private static String next() {
        return verify(AuditKeys.NONE, "--json").json().getLast().path("next_after_seal").asString();
    }

    @Test
    void nothing_to_start_from_is_printed_where_the_owner_of_the_database_could_have_made_all_seals() {
        assertThat(verify(AuditKeys.NONE, "--table-only").out()).contains("neither copies in Kafka nor a key say who made these seals")
                .doesNotContain("--after-seal");
        assertThat(verify(AuditKeys.NONE, "--table-only", "--json").json().getLast().has("next_after_seal")).isFalse();
        assertThat(verify(AuditKeys.NONE, "--after-seal", "1").out()).contains("this one began after a seal without its mark")
                .doesNotContain("--after-seal");
        rows.text("DELETE FROM audit_seal RETURNING 1");
        seal(KEY);
        assertThat(verify(KEY, "--table-only").out()).contains("--after-seal 1:");
    }

    @Test
    void the_seal_that_a_check_starts_from_is_compared_with_its_copy() {
        publish();
        rows.text("DELETE FROM audit_seal RETURNING 1");
        seal(AuditKeys.NONE);
        Called verify = verify(AuditKeys.NONE, "--after-seal", rows.text("SELECT seal || ':' || encode(mark, 'hex') FROM audit_seal"));
        assertThat(verify.exit()).isEqualTo(1);
        assertThat(verify.out()).contains("seal 1  Kafka has another one, made ");
    }

    @Test
    void with_the_key_a_forged_copy_is_told_from_a_real_one() {
        rows.text("DELETE FROM audit_seal RETURNING 1");
        rows.text("DELETE FROM outbox RETURNING 1");
        seal(KEY);
        publish();
        Called verify = verify(KEY);
        assertThat(verify.exit()).as(verify.out()).isZero();
        assertThat(verify(AuditKeys.NONE).out()).contains("were not checked: name the file that has it in CHARGEONCE_AUDIT_KEY_FILE",
                "Each is as it was written.");
        Called blind = verify(AuditKeys.NONE, "--table-only");
        assertThat(blind.out()).contains("Each fits its seal. Who made the seals was not checked.");
        assertThat(blind.exit()).as("neither mark nor copy says who made it").isEqualTo(1);
        rows.text("INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, '" + TOPIC + "', '1', convert_to('" + record()
                + "', 'UTF8'), '{}') RETURNING 1");
        publish();
        verify = verify(KEY);
        assertThat(verify.out()).contains("seal 1  Kafka has another one, made ", "no key of ours made that one's mark");
    }

    private static String record() {
        return rows.text("""
                SELECT json_build_object('type', 'audit.seal', 'version', 1, 'seal', seal, 'from_id', from_id, 'to_id', to_id, 'records', \
                records - 1,
                       'rows_sha256', encode(rows_sha256, 'hex'), 'key_id', key_id, 'sealed_at', (sealed_at AT TIME ZONE 'UTC')::text, \
                'mark', encode(mark, 'hex'))
                  FROM audit_seal""");
    }

    private static void append(String resource) {
        rows.text("SELECT append_audit(ARRAY['acme'], ARRAY['tester'], ARRAY['tried'], ARRAY['operation'], ARRAY['" + resource
                + "'], NULL, NULL, NULL)");
    }

    private static void seal(AuditKeys keys) {
        new AuditSealer(rows.owner(), rows.queue().topics(), new AuditSealer.Settings(keys, Duration.ZERO), () -> {},
                new SimpleMeterRegistry()).runOnce();
    }

    private static Called verify(AuditKeys keys, String... more) {
        var out = new StringWriter();
        var err = new StringWriter();
        String[] arguments = Stream.concat(Stream.of("audit", "--verify"), Stream.of(more)).toArray(String[]::new);
        var line = new DlqCommand(rows::open, SealCopiesTest::connection, () -> keys).commandLine(arguments);
        line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return new Called(line.execute(arguments), out.toString(), err.toString());
    }

    private static KafkaConnection connection() {
        return KafkaConnection.of(TestStack.kafka().bootstrapServers(), Optional.empty());
    }

    private static void publish() {
        try (var relay =
                new OutboxRelay(rows.owner(), Staging::request, new ProducerSettings(connection(), "seal-copies-test")::newProducer,
                        "/chargeonce", new SimpleMeterRegistry()).start()) {
            Awaitility.await().until(() -> rows.text("SELECT count(*) FROM outbox").equals("0"));
        }
    }
}
