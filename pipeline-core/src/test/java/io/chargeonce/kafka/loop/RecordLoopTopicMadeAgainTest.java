// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import io.chargeonce.kafka.GroupProtocol;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A topic that is deleted and created again is another topic: it is read from its beginning. */
class RecordLoopTopicMadeAgainTest {
    private final Script script = new Script();

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void a_topic_created_again_under_a_running_loop_is_read_from_its_beginning(GroupProtocol protocol) throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            topic.sendNumbers(50, 1, 10);
            var made = new AtomicInteger();
            Supplier<Consumer<byte[], byte[]>> consumers = () -> {
                made.incrementAndGet();
                return topic.consumers(protocol).newConsumer();
            };
            try (RecordLoop loop = Loops.start(Loops.settings(topic), consumers, DueTimes.immediately(), script)) {
                await().until(() -> topic.committed().equals(Map.of(0, 50L)));

                topic.makeAgain(1);
                List<String> sent = topic.sendNumbers(1_000, 200, 1, 10);

                await().untilAsserted(() -> assertThat(script.done()).containsAll(sent));
                await().until(() -> topic.committed().equals(Map.of(0, 200L)));
                // If the partition is assigned again before the next check of the id, the old consumer may read it first, but never for
                // long.
                await().until(() -> made.get() >= 2);
                assertThat(loop.health().running()).isTrue();
            }
        }
    }

    @Tag("proof")
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void a_topic_created_again_with_other_partitions_is_read_from_its_beginning(int partitions) throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(2)) {
            topic.sendNumbers(100, 2, 10);
            try (RecordLoop loop = Loops.start(topic, script)) {
                await().until(() -> topic.committed().equals(Map.of(0, 50L, 1, 50L)));

                topic.makeAgain(partitions);
                List<String> sent = topic.sendNumbers(1_000, 90 * partitions, partitions, 10);

                await().untilAsserted(() -> assertThat(script.done()).containsAll(sent));
                assertThat(loop.health().running()).isTrue();
            }
        }
    }

    /** The client takes the new topic's metadata for older than the old topic's, and waits for newer metadata for ever. */
    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void a_new_topic_is_read_though_the_one_before_had_more_leaders(GroupProtocol protocol) throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            topic.sendNumbers(50, 1, 10);
            try (RecordLoop loop = Loops.start(topic, script)) {
                await().until(() -> topic.committed().equals(Map.of(0, 50L)));
                assertThat(loop.health().running()).isTrue();
            }
            Map<TopicPartition, OffsetAndMetadata> old = new HashMap<>();
            topic.commits().forEach(
                    (partition, commit) -> old.put(partition, new OffsetAndMetadata(commit.offset(), Optional.of(7), commit.metadata())));
            topic.makeAgain(1);
            topic.commit(old);
            List<String> sent = topic.sendNumbers(1_000, 200, 1, 10);

            try (RecordLoop loop =
                    Loops.start(Loops.settings(topic), topic.consumers(protocol)::newConsumer, DueTimes.immediately(), script)) {
                await().untilAsserted(() -> assertThat(script.done()).containsAll(sent));
                await().until(() -> topic.committed().equals(Map.of(0, 200L)));
                assertThat(loop.health().running()).isTrue();
            }
        }
    }

    @Test
    void an_offset_committed_for_the_old_topic_is_not_used_for_the_new_one() throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            topic.sendNumbers(50, 1, 10);
            try (RecordLoop loop = Loops.start(topic, script)) {
                await().until(() -> topic.committed().equals(Map.of(0, 50L)));
                assertThat(loop.health().running()).isTrue();
            }
            Map<TopicPartition, OffsetAndMetadata> old = topic.commits();
            topic.makeAgain(1);
            topic.commit(old);
            List<String> sent = topic.sendNumbers(1_000, 200, 1, 10);

            try (RecordLoop loop = Loops.start(topic, script)) {
                await().untilAsserted(() -> assertThat(script.done()).containsAll(sent));
                await().until(() -> topic.committed().equals(Map.of(0, 200L)));
                assertThat(loop.health().running()).isTrue();
            }
        }
    }

    @Test
    void an_offset_beyond_the_end_of_its_topic_is_not_waited_for() throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            topic.commit(Map.of(new TopicPartition(topic.name(), 0), new OffsetAndMetadata(500)));
            List<String> sent = topic.sendNumbers(100, 1, 10);

            try (RecordLoop loop = Loops.start(topic, script)) {
                await().until(() -> topic.committed().equals(Map.of(0, 100L)));
                assertThat(script.done()).containsExactlyInAnyOrderElementsOf(sent);
                assertThat(loop.health().running()).isTrue();
            }
        }
    }

    @Test
    void an_offset_that_says_no_topic_is_believed() throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            topic.sendNumbers(100, 1, 10);
            topic.commit(Map.of(new TopicPartition(topic.name(), 0), new OffsetAndMetadata(98)));

            try (RecordLoop loop = Loops.start(topic, script)) {
                await().until(() -> topic.committed().equals(Map.of(0, 100L)));
                assertThat(script.done()).containsExactlyInAnyOrder("98", "99");
                assertThat(loop.health().running()).isTrue();
            }
        }
    }
}
