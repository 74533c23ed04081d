// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ledger.Staging;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A topic named "missing" takes nothing, all others take everything at once. */
class OutboxSenderTest {

    private static final byte[] OURS = null;
    private static final byte[] ANOTHERS = {};

    private static OutboxSender sender() {
        return new OutboxSender(new RelayProducer(() -> new MockProducer<>(true, null, new ByteArraySerializer(),
                new ByteArraySerializer()) {
            @Override
            public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
                return record.topic().equals("missing") ? CompletableFuture.failedFuture(new TimeoutException("not present"))
                        : super.send(record);
            }
        }, new SimpleMeterRegistry()), Staging::request, "/chargeonce");
    }

    private static Outbox.Staged row(long id, String topic, byte[] rawHeaders) {
        return new Outbox.Staged(id, topic, "key-" + id, new byte[0], "{}", null, rawHeaders, Optional.empty());
    }

    /** No service depends on another system's topic, whether it fails alone or while Kafka takes other records. */
    @Test
    void another_systems_topic_that_takes_nothing_is_no_problem_when_one_of_ours_has_long_been_one() {
        try (OutboxSender alone = sender(); OutboxSender besides = sender(); OutboxSender ours = sender()) {
            Awaitility.await().atMost(Duration.ofSeconds(60)).pollInSameThread().until(() -> {
                alone.send(List.of(row(1, "missing", ANOTHERS)));
                besides.send(List.of(row(1, "missing", ANOTHERS), row(2, "taken", OURS)));
                ours.send(List.of(row(1, "missing", OURS), row(2, "taken", OURS)));
                return ours.problem().filter(problem -> problem.startsWith("topic missing has taken nothing")).isPresent();
            });
            assertThat(List.of(alone.problem(), besides.problem())).containsOnly(Optional.empty());
        }
    }
}
