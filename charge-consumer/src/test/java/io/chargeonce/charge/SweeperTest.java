// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.due.Sweeper;
import io.chargeonce.charge.due.TopicProgress;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.kafka.CommittedTopic;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.OperationState;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SweeperTest {

    private static final int PARTITIONS = 3;
    private static final Duration PATIENCE = Duration.ofMillis(1);

    private final EngineFixture books = new EngineFixture();
    private final FakePsp psp = new FakePsp();
    private final KafkaConnection kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
    private final Admin admin = Admin.create(kafka.clientProperties());
    private final Producer<byte[], byte[]> producer = new ProducerSettings(kafka, "test").newProducer();
    private final OutboxRelay relay =
            new OutboxRelay(books.charging, Staging::request, new ProducerSettings(kafka, "test")::newProducer, "/chargeonce",
                    new SimpleMeterRegistry());
    private final TopicProgress progress = new TopicProgress(kafka);
    private final Sweeper sweeper = new Sweeper(books.charging, progress, books.topics, 3, tier -> false, PATIENCE, relay::nudge);

    @BeforeEach
    void open() {
        new TopicPlan(books.topics, PARTITIONS, Optional.of((short) 1)).create(admin);
        relay.start();
    }

    @AfterEach
    void close() throws Exception {
        relay.close();
        producer.close();
        progress.close();
        admin.close();
        books.close();
    }

    @Test
    void records_deleted_behind_the_pipelines_back_are_staged_again_and_charged_once() throws Exception {
        List<String> ids = IntStream.range(0, 20).mapToObj(i -> books.accept("order-" + i)).toList();
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        deleteEverything(books.topics.requests());
        try (var loop = startLoop()) {
            Waiting.until(() -> loop.health().lastPoll().isPresent());
            Waiting.until(() -> {
                sweeper.runOnce();
                return ids.stream().allMatch(id -> books.state(id) == OperationState.SUCCEEDED);
            });
        }
        assertThat(psp.captures).hasSize(20);
        assertThat(books.count("FROM operation_now WHERE step > 2")).isZero();
    }

    @Test
    void work_in_a_tier_that_was_removed_goes_on_through_the_main_topic() throws Exception {
        String id = books.accept("order-1");
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        books.execute("UPDATE operation_state SET state = 'parked', step = step + 1, tier = 3, staged_at = now() - interval '1 hour', "
                + "not_before = now() - interval '1 minute'");
        var withTwoTiers = new Sweeper(books.charging, progress, books.topics, 2, tier -> false, PATIENCE, relay::nudge);
        assertThat(withTwoTiers.runOnce()).isEqualTo(1);
        try (var loop = startLoop()) {
            Waiting.until(() -> books.state(id) == OperationState.SUCCEEDED);
            assertThat(loop.health().lastPoll()).isPresent();
        }
        assertThat(psp.captures).hasSize(1);
        assertThat(withTwoTiers.runOnce()).isZero();
    }

    /** The main topic's loop does not know that a person holds the tier from which its records come. */
    @Test
    void work_in_a_paused_tier_that_this_process_does_not_have_stays_where_it_is() {
        String id = books.accept("order-1");
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        books.execute("UPDATE operation_state SET state = 'parked', step = step + 1, tier = 3, staged_at = now() - interval '1 hour', "
                + "not_before = now() - interval '1 minute'");
        var withTwoTiers = new Sweeper(books.charging, progress, books.topics, 2, tier -> tier == 3, PATIENCE, relay::nudge);
        assertThat(withTwoTiers.runOnce()).isZero();
        assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(books.staged(books.topics.requests())).isZero();
    }

    @Test
    void a_locked_one_does_not_keep_the_others_from_being_staged_again() throws Exception {
        List<String> ids = IntStream.range(0, 5).mapToObj(i -> books.accept("order-" + i)).toList();
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        deleteEverything(books.topics.requests());
        books.database.inTransaction(connection -> {
            OperationTable.lock(connection, ids.subList(0, 1));
            Waiting.until(() -> sweptAll(ids.subList(1, 5)));
            return ids;
        });
        assertThat(books.operation(ids.getFirst()).swept()).isZero();
        Waiting.until(() -> {
            finishEverything(books.topics.requests());
            return sweptAll(ids);
        });
    }

    /** One more pass; whether each of them was staged again by this or an earlier one. */
    private boolean sweptAll(List<String> ids) {
        sweeper.runOnce();
        return ids.stream().allMatch(id -> books.operation(id).swept() > 0);
    }

    /** Its group has come further than the log goes now, and nothing follows that would bring it there again. */
    @Test
    void work_of_a_lost_tail_is_staged_again_although_nothing_follows_it() throws Exception {
        String kept = books.accept("order-0");
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        relay.close();
        List<String> later = IntStream.range(1, 50).mapToObj(i -> books.accept("order-" + i)).toList();
        books.execute("DELETE FROM outbox");
        String topic = books.topics.requests();
        String id = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).topicId().toString();
        var done = new TopicPartition(topic, partition(kept));
        admin.alterConsumerGroupOffsets(books.topics.groupOfTier(0), Map.of(done, CommittedTopic.of(id, 3, Optional.empty()))).all().get();
        Waiting.until(() -> sweptAll(later.stream().filter(lost -> partition(lost) == done.partition()).toList()));
    }

    @Test
    void a_backlog_is_not_mistaken_for_a_loss() {
        int backlog = 10_000;
        books.execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                       charge_within_s)
                SELECT id, id, 'charge', 'acme', n, 1, 'EUR', 'pm_card_visa', 86400
                  FROM (SELECT n, 'pay_' || left(translate(md5(n::text), '0189', 'ghij'), 26) AS id
                          FROM generate_series(1, %1$d) AS n) AS numbered;
                INSERT INTO outbox (shard, topic, record_key, value, headers)
                SELECT 0, '%2$s', operation_id, '{}', '{}' FROM operation
                """.formatted(backlog, books.topics.requests()));
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        assertThat(sweeper.runOnce()).isZero();
        assertThat(books.staged(books.topics.requests())).isZero();
    }

    /** Postgres's clock is hours off in both directions; the broker's is right. */
    @ParameterizedTest
    @ValueSource(strings = {"- interval '5 hours'", "+ interval '0 hours'"})
    void with_any_clocks_a_backlog_is_no_loss_and_a_loss_is_found(String shift) throws Exception {
        List<String> ids = IntStream.range(0, 5).mapToObj(i -> books.accept("order-" + i)).toList();
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        books.execute("UPDATE operation_state SET staged_at = staged_at %1$s, not_before = not_before %1$s".formatted(shift));
        assertThat(sweeper.runOnce()).isZero();
        assertThat(sweeper.runOnce()).isZero();
        // Records that the group has not finished, old by any clock, do not keep a loss from being found.
        books.execute("UPDATE operation_state SET staged_at = now() - interval '1 minute'");
        finishEverything(books.topics.requests());
        producer.send(new ProducerRecord<>(books.topics.requests(), null, 1L, new byte[0], new byte[0])).get();
        Waiting.until(() -> sweptAll(ids));
    }

    @Test
    void a_refused_record_with_one_behind_it_stops_the_sweeper_for_no_other() throws Exception {
        stageOldRow(books.topics.requests(), "refused", "too large");
        stageOldRow(books.topics.requests(), "refused", null);
        String lost = books.accept("order-1");
        Waiting.until(() -> books.count("FROM outbox WHERE record_key <> 'refused'") == 0);
        deleteEverything(books.topics.requests());
        Waiting.until(() -> sweeper.runOnce() == 1);
        assertThat(books.operation(lost).swept()).isEqualTo(1);
    }

    @Test
    void a_topic_that_is_missing_switches_the_sweeper_off_for_no_other() throws Exception {
        stageOldRow("there-is-no-" + books.topics.outcomes(), "waiting", null);
        String lost = books.accept("order-1");
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        deleteEverything(books.topics.requests());
        Waiting.until(() -> sweeper.runOnce() == 1);
        assertThat(books.operation(lost).swept()).isEqualTo(1);
    }

    @Test
    void an_operation_that_cannot_be_staged_again_keeps_no_other_from_it() throws Exception {
        List<String> ids = IntStream.range(0, 5).mapToObj(i -> books.accept("order-" + i)).toList();
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        deleteEverything(books.topics.requests());
        books.execute("ALTER TABLE operation_state ADD CONSTRAINT planted CHECK (swept = 0 OR operation_id <> '%s')".formatted(ids.get(2)));
        Waiting.until(() -> sweptAll(ids.stream().filter(id -> !id.equals(ids.get(2))).toList()));
    }

    @Test
    void a_partition_that_cannot_be_read_holds_back_only_its_own_records() throws Exception {
        List<String> ids = IntStream.range(0, 20).mapToObj(i -> books.accept("order-" + i)).toList();
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        List<String> stuck = ids.stream().filter(id -> partition(id) == 0).toList();
        assertThat(stuck).isNotEmpty().hasSizeLessThan(20);
        deleteEverything(books.topics.requests(), Set.of(1, 2));
        Waiting.until(() -> sweptAll(ids.stream().filter(id -> partition(id) != 0).toList()));
        assertThat(stuck).allSatisfy(id -> assertThat(books.operation(id).swept()).isZero());

        // A later loss is found too, although the partition is still not read.
        String later = IntStream.range(20, 100).mapToObj(i -> books.accept("order-" + i)).filter(id -> partition(id) == 1).findFirst()
                .orElseThrow();
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        deleteEverything(books.topics.requests(), Set.of(1));
        Waiting.until(() -> sweptAll(List.of(later)));
        assertThat(stuck).allSatisfy(id -> assertThat(books.operation(id).swept()).isZero());
    }

    private static int partition(String id) {
        return Utils.toPositive(Utils.murmur2(id.getBytes(StandardCharsets.UTF_8))) % PARTITIONS;
    }

    private void stageOldRow(String topic, String key, String refusal) {
        books.execute("""
                INSERT INTO outbox (shard, topic, record_key, value, headers, staged_at, refusal)
                VALUES (0, '%s', '%s', '{}', '{}', now() - interval '1 day', %s)
                """.formatted(topic, key, refusal == null ? "NULL" : "'" + refusal + "'"));
    }

    /** As if the group had finished all records. */
    private void finishEverything(String topic) throws Exception {
        var ends = new HashMap<TopicPartition, OffsetSpec>();
        IntStream.range(0, PARTITIONS).forEach(p -> ends.put(new TopicPartition(topic, p), OffsetSpec.latest()));
        var done = new HashMap<TopicPartition, OffsetAndMetadata>();
        admin.listOffsets(ends).all().get().forEach((p, end) -> done.put(p, new OffsetAndMetadata(end.offset())));
        admin.alterConsumerGroupOffsets(books.topics.groupOfTier(0), done).all().get();
    }

    @Test
    void what_is_still_in_the_outbox_is_not_lost() {
        relay.close();
        books.accept("order-1");
        assertThat(sweeper.runOnce()).isZero();
        assertThat(books.staged(books.topics.requests())).isEqualTo(1);
    }

    @Test
    void what_is_lost_again_and_again_becomes_a_dead_letter() throws Exception {
        String id = books.accept("order-1");
        Waiting.until(() -> books.staged(books.topics.requests()) == 0);
        Waiting.until(() -> {
            deleteEverything(books.topics.requests());
            sweeper.runOnce();
            Waiting.until(() -> books.staged(books.topics.requests()) == 0);
            return books.state(id) == OperationState.DEAD;
        });
        assertThat(books.count("FROM dead_letter WHERE cause = 'lost_in_kafka'")).isEqualTo(1);
    }

    private RecordLoop startLoop() {
        String topic = books.topics.requests();
        var consumer = new ConsumerSettings(kafka, books.topics.groupOfTier(0), GroupProtocol.CONSUMER);
        return new RecordLoop(LoopSettings.of(topic, Set.of(topic), 100), consumer, DueTimes.immediately(),
                books.process(psp).handler, InstantSource.system(), new SimpleMeterRegistry()).start();
    }

    private void deleteEverything(String topic) throws Exception {
        deleteEverything(topic, Set.of(0, 1, 2));
    }

    private void deleteEverything(String topic, Set<Integer> partitions) throws Exception {
        var ends = new HashMap<TopicPartition, OffsetSpec>();
        partitions.forEach(p -> ends.put(new TopicPartition(topic, p), OffsetSpec.latest()));
        var delete = new HashMap<TopicPartition, RecordsToDelete>();
        admin.listOffsets(ends).all().get().forEach((p, end) -> delete.put(p, RecordsToDelete.beforeOffset(end.offset())));
        admin.deleteRecords(delete).all().get();
    }
}
