// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.database.OutboxRelay;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.Staging;
import io.chargeonce.sandbox.KafkaBroker;
import io.chargeonce.wire.TopicPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A merge decides in Postgres alone: Kafka may go away in the middle of it, and come back when it likes. */
class KafkaGoneTest {

    private static final int PARTITIONS = 3;

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @TempDir
    Path folder;

    @Test
    void a_merge_ends_while_kafka_is_away_and_its_payments_are_published_once_it_is_back() throws Exception {
        KafkaBroker broker = KafkaBroker.start(folder, 0);
        KafkaConnection kafka = KafkaConnection.of(broker.bootstrapServers(), Optional.empty());
        try (var admin = kafka.newAdmin()) {
            new TopicPlan(QueueRows.TOPICS, PARTITIONS, Optional.of((short) 1)).create(admin);
        }
        List<String> dead = rows.dead(60);
        try (var relay =
                new OutboxRelay(rows.owner(), Staging::request, new ProducerSettings(kafka, "dlq-test")::newProducer, "/chargeonce",
                        new SimpleMeterRegistry()).start()) {
            var merge =
                    CompletableFuture.supplyAsync(
                            () -> Called.of(rows::open, "merge", "--all", "--canary", "0", "--rate", "1", "--max-rate", "1", "--yes",
                                    "--wait", "0"),
                            Thread::startVirtualThread);
            await().until(() -> !rows.accepted().isEmpty() && rows.text("SELECT count(*) FROM outbox").equals("0"));
            broker.close();
            Called.of(rows::open, "runs", "rate", rows.text("SELECT run_id FROM dlq_run"), "1000");
            assertThat(merge.join().exit()).as(merge.join().err()).isZero();
            assertThat(rows.accepted()).containsExactlyInAnyOrderElementsOf(dead);
            assertThat(rows.text("SELECT count(*) FROM outbox")).as("what waits for Kafka").isNotEqualTo("0");

            broker = KafkaBroker.start(folder, broker.port());
            await().atMost(Duration.ofSeconds(60)).until(() -> rows.text("SELECT count(*) FROM outbox").equals("0"));
        }
        assertThat(published(kafka)).containsExactlyElementsOf(new TreeSet<>(dead));
        assertThat(Called.of(rows::open, () -> kafka, "verify"))
                .isEqualTo(new Called(0,
                        "The queue, the payments of the last 7d and the topic agree. Older ones: chargeonce dlq verify --all\n", ""));
        broker.close();
    }

    private static TreeSet<String> published(KafkaConnection kafka) {
        var ids = new TreeSet<String>();
        try (var reader = kafka.newReader()) {
            var partitions = IntStream.range(0, PARTITIONS).mapToObj(i -> new TopicPartition(QueueRows.TOPICS.requests(), i)).toList();
            reader.assign(partitions);
            var ends = reader.endOffsets(partitions);
            await().until(() -> {
                reader.poll(Duration.ofMillis(100)).forEach(record -> ids.add(new String(record.key(), StandardCharsets.UTF_8)));
                return ends.entrySet().stream().allMatch(end -> reader.position(end.getKey()) >= end.getValue());
            });
        }
        return ids;
    }
}
