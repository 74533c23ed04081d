// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.console.witness.Told.Message;
import io.chargeonce.console.witness.WitnessProcess.Word;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.assertj.core.groups.Tuple;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The witness on a real broker. */
class WitnessTest {

    private static final KafkaConnection KAFKA = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
    private static final List<Duration> TIERS = List.of(Duration.ofSeconds(2), Duration.ofMinutes(10));
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static Admin admin;
    private static KafkaProducer<byte[], byte[]> producer;

    @TempDir
    private Path folder;
    private final Topics topics = new Topics("w" + UUID.randomUUID().toString().substring(0, 8));
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @BeforeAll
    static void connect() {
        admin = KAFKA.newAdmin();
        producer = new KafkaProducer<>(KAFKA.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    @AfterAll
    static void disconnect() {
        producer.close();
        admin.close();
    }

    @BeforeEach
    void makeTheTopics() {
        new TopicPlan(topics, TIERS.size(), 2, Optional.empty()).create(admin);
    }

    @Test
    void it_follows_payments_and_finds_one_that_was_deleted_from_its_tier_behind_the_pipelines_back() throws Exception {
        Told well = charge("pay_well");
        Told lost = charge("pay_lost");
        try (Witness witness = start()) {
            send(well.requested(Instant.now()));
            finish(send(lost.requested(Instant.now())), 0);
            send(well.succeeds(Instant.now()));
            RecordMetadata waiting = send(lost.waits(2, "psp_unwell", Instant.now()));
            until(() -> stage(witness, "settled").in() == 1 && stage(witness, "retry-2").inFlight() == 1);
            assertThat(witness.view().overdue(9)).isEmpty();
            until(() -> witness.view().progress().state() == WitnessProgress.State.LIVE);

            delete(waiting);
            until(() -> !witness.view().overdue(9).isEmpty());
            assertThat(witness.view().overdue(9)).extracting(OverdueOperation::paymentId, OverdueOperation::lastStage)
                    .containsExactly(Tuple.tuple("pay_lost", "retry-2"));
            until(() -> stage(witness, "accepted").difference() == 1);
            until(() -> overdueEvents().equals(List.of("pay_lost overdue")));
            until(() -> meters.find("chargeonce.witness.overdue").gauges().stream().anyMatch(gauge -> gauge.value() == 1));
            until(() -> meters.find("chargeonce.witness.difference").gauges().stream().anyMatch(gauge -> gauge.value() == 1));

            // The sweeper stages it again under the same step, and it succeeds.
            send(lost.retriedNow(Instant.now()));
            send(lost.succeeds(Instant.now()));
            until(() -> overdueEvents().equals(List.of("pay_lost overdue", "pay_lost over")));
            until(() -> witness.view().stages().stream().allMatch(each -> each.difference() == 0));
            assertThat(witness.view().journey("pay_lost")).extracting(Hop::stage).containsExactlyInAnyOrder("requests", "retry-2",
                    "requests",
                    "settled");
            assertThat(witness.view().progress().problem()).isEmpty();
        }
    }

    /** A batch's records have one time if the broker's clock stamps them, as it does. All hops of one moment are one record of a store. */
    @Test
    void a_batch_of_outcomes_about_one_payment_stops_nothing() throws Exception {
        var byUs = new AlterConfigOp(new ConfigEntry("message.timestamp.type", "CreateTime"), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topics.outcomes()), List.of(byUs))).all().get();
        try (Witness witness = start()) {
            Told many = charge("pay_many");
            long at = System.currentTimeMillis();
            until(() -> decline(many, at).get().timestamp() == at);
            for (int n = 0; n < 3_000; n++) {
                decline(many, at);
            }
            decline(many, at + 1);
            producer.flush();
            Told next = charge("pay_next");
            send(next.requested(Instant.now()));
            send(next.succeeds(Instant.now()));
            until(() -> witness.view().journey("pay_next").size() == 2);
            until(() -> witness.view().journey("pay_many").stream().anyMatch(hop -> hop.at().toEpochMilli() == at + 1));
            assertThat(witness.view().journey("pay_many")).hasSizeBetween(100, 1_000);
            assertThat(witness.view().progress().problem()).isEmpty();
        }
    }

    private Future<RecordMetadata> decline(Told payment, long at) {
        Message told = payment.declines("\u20ac".repeat(120), Instant.ofEpochMilli(at));
        return producer.send(new ProducerRecord<>(topics.outcomes(), null, at, told.key(), told.value()));
    }

    @Tag("proof")
    @Test
    void two_of_one_name_both_say_so_whatever_they_do() {
        try (Witness one = start()) {
            until(() -> one.view().progress().state() == WitnessProgress.State.LIVE);
            folder = folder.resolveSibling(folder.getFileName() + "-2");
            try (Witness other = start()) {
                for (Witness each : List.of(one, other)) {
                    until(() -> each.view().progress().problem().startsWith("Another console with the witness name"));
                }
            }
            until(() -> one.view().progress().problem().isEmpty());
        }
    }

    @Test
    void killed_and_started_again_without_its_folder_it_rebuilds_the_same_books() throws Exception {
        for (int i = 0; i < 50; i++) {
            Told each = charge("pay_" + i);
            send(each.requested(Instant.now()));
            if (i % 2 == 0) {
                send(each.succeeds(Instant.now()));
            }
        }
        try (var killed = WitnessProcess.start(KAFKA.bootstrapServers(), topics.prefix(), folder)) {
            until(() -> killed.ask().state() == WitnessProgress.State.LIVE);
            assertThat(killed.ask()).isEqualTo(new Word(WitnessProgress.State.LIVE, 100, killed.ask().toGo(), true, 50, 25));
        }
        send(charge("pay_while_it_was_away").requested(Instant.now()));
        folder = folder.resolveSibling(folder.getFileName() + "-2");
        try (Witness again = start()) {
            assertThat(again.view().progress().state()).isNotEqualTo(WitnessProgress.State.LIVE);
            until(() -> again.view().progress().state() == WitnessProgress.State.LIVE);
            assertThat(stage(again, "accepted").in()).isEqualTo(51);
            assertThat(again.view().progress().percent()).isEqualTo(100);
            assertThat(stage(again, "settled")).isEqualTo(new Stage("settled", "charge", "EUR", 25, 25_000, 25, 25_000, 0, 0, 0, 0, null));
            assertThat(again.view().journey("pay_0")).hasSize(2);
            assertThat(again.view().progress().open()).isEqualTo(26);
        }
    }

    @Tag("proof")
    @Test
    void frozen_and_killed_it_says_how_far_it_is_and_balanced_only_of_what_it_has_read() throws Exception {
        for (int i = 0; i < 200; i++) {
            Told each = charge("pay_" + i);
            send(each.requested(Instant.now()));
            send(each.succeeds(Instant.now()));
        }
        try (var frozen = WitnessProcess.start(KAFKA.bootstrapServers(), topics.prefix(), folder)) {
            RecordMetadata waiting = waitsInATier(charge("pay_lost_while_it_stood_still"));
            until(() -> frozen.ask().accepted() == 201 && Boolean.TRUE.equals(frozen.ask().balanced()));
            frozen.freeze();
            Instant since = Instant.now();
            delete(waiting);
            // It vouches for what it read less than this ago.
            until(() -> Instant.now().isAfter(since.plus(Witness.LIVE_WITHIN)));
            frozen.thaw();
            assertThat(wordsUntilItKnows(frozen)).anySatisfy(word -> assertThat(word.percent()).isLessThan(100))
                    .last().extracting(Word::balanced).isEqualTo(false);
        }
        delete(waitsInATier(charge("pay_lost_while_it_was_away")));
        try (var again = WitnessProcess.start(KAFKA.bootstrapServers(), topics.prefix(), folder)) {
            List<Word> words = wordsUntilItKnows(again);
            assertThat(words).first().satisfies(word -> assertThat(word.state()).isNotEqualTo(WitnessProgress.State.LIVE));
            assertThat(words).last().satisfies(word -> assertThat(word.accepted()).isEqualTo(202));
            assertThat(words).last().extracting(Word::balanced).isEqualTo(false);
        }
    }

    /** None but the last one says whether the books balance. */
    private static List<Word> wordsUntilItKnows(WitnessProcess witness) {
        var words = new ArrayList<Word>();
        until(() -> {
            words.add(witness.ask());
            return words.getLast().balanced() != null;
        });
        assertThat(words.subList(0, words.size() - 1))
                .allSatisfy(word -> assertThat(word.state()).isNotEqualTo(WitnessProgress.State.LIVE));
        return words;
    }

    private RecordMetadata waitsInATier(Told payment) throws Exception {
        finish(send(payment.requested(Instant.now())), 0);
        return send(payment.waits(2, "psp_unwell", Instant.now()));
    }

    private static void delete(RecordMetadata record) throws Exception {
        admin.deleteRecords(Map.of(new TopicPartition(record.topic(), record.partition()),
                RecordsToDelete.beforeOffset(record.offset() + 1))).all().get();
    }

    @Tag("proof")
    @Test
    void it_goes_on_when_a_topic_gets_more_partitions() throws Exception {
        try (Witness witness = start()) {
            send(charge("pay_1").requested(Instant.now()));
            until(() -> stage(witness, "requests").in() == 1);
            admin.createPartitions(Map.of(topics.requests(), NewPartitions.increaseTo(5))).all().get();
            Message more = charge("pay_2").requested(Instant.now());
            Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> send(more, 4) != null);
            until(() -> stage(witness, "requests").in() == 2);
            assertThat(witness.view().progress().problem()).isEmpty();
        }
    }

    /** @param noticed whether the topic is away until the witness's streams have stopped for it */
    @Tag("proof")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void it_goes_on_when_a_topic_is_deleted_and_made_again(boolean noticed) throws Exception {
        try (Witness witness = start()) {
            for (int i = 0; i < 10; i++) {
                Told early = charge("pay_early_" + i);
                send(early.requested(Instant.now()));
                send(early.waits(2, "psp_unwell", Instant.now()));
                send(early.succeeds(Instant.now()));
            }
            until(() -> stage(witness, "settled").in() == 10 && witness.view().progress().state() == WitnessProgress.State.LIVE);
            admin.deleteTopics(List.of(topics.retry(2))).all().get();
            if (noticed) {
                Told other = charge("pay_other");
                until(() -> {
                    send(other.requested(Instant.now()));
                    return witness.view().progress().problem().startsWith("The witness's streams stopped");
                });
            }
            new TopicPlan(topics, TIERS.size(), 2, Optional.empty()).create(admin);
            Told late = charge("pay_late");
            Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> send(late.waits(2, "psp_unwell", Instant.now())) != null);
            until(() -> witness.view().journey("pay_late").size() == 1);
            until(() -> witness.view().progress().state() == WitnessProgress.State.LIVE);
            assertThat(witness.view().progress().problem()).isEmpty();
        }
    }

    /** The new topic is soon longer than the old one was, so that the old position is one in the middle of it. */
    @Tag("proof")
    @Test
    void a_topic_that_is_made_again_under_the_witness_is_read_from_its_beginning() throws Exception {
        try (Witness witness = start()) {
            for (int i = 0; i < 20; i++) {
                send(charge("pay_early_" + i).waits(2, "psp_unwell", Instant.now()));
            }
            until(() -> witness.view().journey("pay_early_19").size() == 1
                    && witness.view().progress().state() == WitnessProgress.State.LIVE);
            admin.deleteTopics(List.of(topics.retry(2))).all().get();
            Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                new TopicPlan(topics, TIERS.size(), 2, Optional.empty()).create(admin);
                return send(charge("pay_late_0").waits(2, "psp_unwell", Instant.now())) != null;
            });
            for (int i = 1; i < 60; i++) {
                send(charge("pay_late_" + i).waits(2, "psp_unwell", Instant.now()));
            }
            for (int i = 0; i < 60; i++) {
                untilItHasOneHop(witness, "pay_late_" + i);
            }
            until(() -> witness.view().progress().state() == WitnessProgress.State.LIVE);
            assertThat(witness.view().progress().problem()).isEmpty();
        }
    }

    /** Of a topic that was made again it may read some before it notices that, and then all from the beginning. */
    @Tag("proof")
    @Test
    void a_record_that_it_reads_again_is_one_hop_of_its_journey() throws Exception {
        Told payment = charge("pay_1");
        try (Witness witness = start()) {
            send(payment.requested(Instant.now()));
            send(payment.waits(2, "psp_unwell", Instant.now()));
            until(() -> witness.view().journey("pay_1").size() == 2);
        }
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            var begins = Map.of(new TopicPartition(topics.retry(2), 0), new OffsetAndMetadata(0),
                    new TopicPartition(topics.retry(2), 1), new OffsetAndMetadata(0));
            admin.alterConsumerGroupOffsets("chargeonce-console-" + topics.prefix(), begins).all().get();
            return true;
        });
        try (Witness witness = start()) {
            send(payment.succeeds(Instant.now()));
            until(() -> stage(witness, "settled").in() == 1 && witness.view().progress().state() == WitnessProgress.State.LIVE);
            assertThat(stage(witness, "retry-2").in()).isEqualTo(1);
            assertThat(witness.view().journey("pay_1")).extracting(Hop::stage).containsExactly("requests", "retry-2", "settled");
        }
    }

    /** It knows later leaders of the old topic than the new one has had. */
    @Tag("proof")
    @Test
    void a_new_topic_is_read_though_the_one_before_had_more_leaders() throws Exception {
        try (Witness witness = start()) {
            send(charge("pay_early").waits(2, "psp_unwell", Instant.now()));
            until(() -> witness.view().journey("pay_early").size() == 1);
        }
        admin.deleteTopics(List.of(topics.retry(2))).all().get();
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            new TopicPlan(topics, TIERS.size(), 2, Optional.empty()).create(admin);
            admin.alterConsumerGroupOffsets("chargeonce-console-" + topics.prefix(), Map.of(new TopicPartition(topics.retry(2), 0),
                    new OffsetAndMetadata(1, Optional.of(9), ""), new TopicPartition(topics.retry(2), 1),
                    new OffsetAndMetadata(1, Optional.of(9), ""))).all().get();
            return true;
        });
        try (Witness witness = start()) {
            send(charge("pay_late").waits(2, "psp_unwell", Instant.now()));
            until(() -> witness.view().journey("pay_late").size() == 1);
            until(() -> witness.view().progress().state() == WitnessProgress.State.LIVE);
        }
    }

    @Test
    void before_the_topics_exist_it_says_so_and_begins_when_they_do() {
        var later = new Topics(topics.prefix() + "-later");
        try (Witness witness = Witness.start(settings(), KAFKA, later, Told.SOURCE, TIERS, meters)) {
            until(() -> !witness.view().progress().problem().isEmpty());
            assertThat(witness.view().stages()).isEmpty();
            new TopicPlan(later, TIERS.size(), 1, Optional.empty()).create(admin);
            until(() -> witness.view().progress().state() == WitnessProgress.State.LIVE);
            assertThat(witness.view().progress().problem()).isEmpty();
        }
    }

    private static Told charge(String id) {
        return Told.charge(id, 1000, "EUR", Instant.now());
    }

    private Witness start() {
        return Witness.start(settings(), KAFKA, topics, Told.SOURCE, TIERS, meters);
    }

    private WitnessSettings settings() {
        return new WitnessSettings(Optional.empty(), Optional.of(folder), Duration.ofSeconds(3), Duration.ofSeconds(1), Duration.ofDays(14),
                Duration.ofMillis(200));
    }

    private static Stage stage(Witness witness, String name) {
        return witness.view().stages().stream().filter(stage -> stage.name().equals(name)).findFirst()
                .orElse(new Stage(name, "charge", "EUR", 0, 0, 0, 0, 0, 0, 0, 0, null));
    }

    private RecordMetadata send(Message message) throws ExecutionException, InterruptedException {
        return send(message, null);
    }

    private RecordMetadata send(Message message, Integer partition) throws ExecutionException, InterruptedException {
        String topic = topics.prefix() + message.topic().substring(Told.TOPICS.prefix().length());
        var record = new ProducerRecord<>(topic, partition, message.key(), message.value());
        message.headers().forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        return producer.send(record).get();
    }

    /** The pipeline's group has finished this record. */
    private void finish(RecordMetadata record, int tier) throws ExecutionException, InterruptedException {
        admin.alterConsumerGroupOffsets(topics.groupOfTier(tier), Map.of(new TopicPartition(record.topic(), record.partition()),
                new OffsetAndMetadata(record.offset() + 1))).all().get();
    }

    private List<String> overdueEvents() {
        Map<String, Object> settings = KAFKA.clientProperties();
        settings.put("isolation.level", "read_committed");
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topics.overdue()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition())).toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var events = new ArrayList<String>();
            consumer.poll(Duration.ofSeconds(1)).forEach(record -> events
                    .add(record.key() + " " + PaymentJson.MAPPER.readTree(record.value()).path("status").asString()));
            return events;
        }
    }

    /** Says what the witness knew if it does not come to that. */
    private static void untilItHasOneHop(Witness witness, String payment) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(witness.view().journey(payment))
                .as(() -> "journey of %s by %s, %s".formatted(payment, witness.view().progress(), witness.view().stages())).hasSize(1));
    }

    private static void until(Callable<Boolean> condition) {
        Awaitility.await().atMost(PATIENCE).until(condition);
    }
}
