// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.sandbox.KafkaBroker;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Partitions that Kafka refuses to serve delay only themselves. */
class RecordLoopUnreadableTest {
    private final Script script = new Script();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void a_corrupt_batch_stops_only_its_own_partition_and_is_reported(GroupProtocol protocol, @TempDir Path disk) throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(disk, 0)) {
            KafkaConnection connection = new KafkaConnection(broker.bootstrapServers(), Map.of());
            send(connection, "sound", 0, "before");
            send(connection, "sound", 1, "corrupt");
            spoilTheEnd(disk.resolve("sound-1/00000000000000000000.log"));
            LoopSettings settings = LoopSettings.of("loop", Set.of("sound"), 4);

            try (RecordLoop loop = new RecordLoop(settings, new ConsumerSettings(connection, "group", protocol), DueTimes.immediately(),
                    script, InstantSource.system(), registry).start()) {
                await().until(() -> loop.problem().filter(text -> text.contains("sound-1 can't be read")).isPresent());
                for (int i = 0; i < 20; i++) {
                    send(connection, "sound", 0, "after-" + i);
                }
                await().untilAsserted(() -> assertThat(script.done()).contains("before", "after-0", "after-19").doesNotContain("corrupt"));

                assertThat(loop.standstill()).as("a restart would not help").isEmpty();
                assertThat(registry.get("chargeonce.loop.consumer.failures").counter().count()).isZero();
                assertThat(registry.get("chargeonce.loop.unreadable").gauge().value()).isEqualTo(1);
            }
        }
    }

    private static void send(KafkaConnection connection, String topic, int partition, String value) throws Exception {
        try (Admin admin = connection.newAdmin(); var producer = new ProducerSettings(connection, "test").newProducer()) {
            if (!admin.listTopics().names().get().contains(topic)) {
                admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
            }
            producer.send(new ProducerRecord<>(topic, partition, value.getBytes(), value.getBytes())).get();
        }
    }

    private static void spoilTheEnd(Path segment) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            // The segment is not preallocated, so its last bytes are the value's.
            file.seek(file.length() - 3);
            file.write('#');
        }
    }

    /** A batch of some kilobytes is some dozen megabytes unpacked, and the consumer's error names no partition. */
    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void records_that_do_not_fit_into_memory_are_put_away_by_their_place_and_all_others_go_on(GroupProtocol protocol) throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(4)) {
            var bomb = new TopicPartition(topic.name(), 2);
            for (int i = 0; i < 4; i++) {
                topic.send(i, "k" + i, "small-" + i);
            }
            topic.sendZeros(bomb.partition(), 40 << 20);
            topic.send(bomb.partition(), "k", "behind the bomb");
            LoopSettings settings = LoopSettings.of("loop", Set.of(topic.name()), 4);

            try (RecordLoop loop = new RecordLoop(settings, Loops.clients(() -> withoutMemoryFor(bomb,
                    topic.consumers(protocol).newConsumer())), DueTimes.immediately(), script, InstantSource.system(), registry).start()) {
                await().until(() -> script.done().contains("behind the bomb"));
                for (int i = 0; i < 4; i++) {
                    topic.send(i, "k" + i, "later-" + i);
                }
                await().untilAsserted(() -> assertThat(script.done()).contains("later-0", "later-1", "later-2", "later-3"));

                assertThat(script.done()).hasSize(10).contains("small-0", "small-1", "small-2", "small-3")
                        .anySatisfy(told -> assertThat(told).matches("offset 1 of " + topic.name()
                                + "-2: [0-9,]{5} bytes in Kafka, at least 41,943,\\d+ unpacked\\. Nothing of it was read or kept"));
                await().untilAsserted(() -> assertThat(topic.committed()).containsEntry(2, 4L));
                assertThat(loop.problem()).isEmpty();
                assertThat(registry.get("chargeonce.loop.consumer.failures").counter().count()).as("read again in vain").isEqualTo(1);
                assertThat(registry.get("chargeonce.loop.too.large").counter().count()).isEqualTo(1);
            }
        }
    }

    /** As Kafka's consumer unpacks a batch when it hands it out. */
    @SuppressWarnings("unchecked") // A proxy's type can't say more.
    private static Consumer<byte[], byte[]> withoutMemoryFor(TopicPartition bomb, Consumer<byte[], byte[]> consumer) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(RecordLoopUnreadableTest.class.getClassLoader(),
                new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("poll") && consumer.assignment().contains(bomb) && !consumer.paused().contains(bomb)) {
                        throw new OutOfMemoryError("Java heap space");
                    }
                    try {
                        return method.invoke(consumer, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Test
    void a_topic_that_kafka_forbids_keeps_the_loop_from_no_other() throws Exception {
        try (TestTopic good = TestTopic.withPartitions(1); TestTopic bad = TestTopic.withPartitions(1)) {
            Set<String> forbidden = ConcurrentHashMap.newKeySet();
            forbidden.add(bad.name());
            good.send(0, "k", "good");
            bad.send(0, "k", "bad");
            LoopSettings both = LoopSettings.of("loop", Set.of(good.name(), bad.name()), 4);

            try (RecordLoop loop = new RecordLoop(both,
                    Loops.clients(() -> guarded(good.consumers(GroupProtocol.CONSUMER).newConsumer(), forbidden)), DueTimes.immediately(),
                    script, InstantSource.system(), registry).start()) {
                await().until(() -> script.done().contains("good"));
                assertThat(loop.problem()).hasValueSatisfying(text -> assertThat(text).contains("does not let it read " + bad.name()));
                assertThat(loop.standstill()).isEmpty();
                assertThat(script.done()).doesNotContain("bad");

                forbidden.clear();
                await().until(() -> script.done().contains("bad"));
            }
        }
    }

    /** As with a broker that grants us no right: a member that subscribes to a forbidden topic gets no record at all. */
    @SuppressWarnings("unchecked") // A proxy's type can't say more.
    private static Consumer<byte[], byte[]> guarded(Consumer<byte[], byte[]> consumer, Set<String> forbidden) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(RecordLoopUnreadableTest.class.getClassLoader(),
                new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("poll")) {
                        Set<String> refused = new HashSet<>(consumer.subscription());
                        refused.retainAll(forbidden);
                        if (!refused.isEmpty()) {
                            throw new TopicAuthorizationException(refused);
                        }
                    }
                    try {
                        return method.invoke(consumer, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
