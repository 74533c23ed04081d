// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import io.chargeonce.kafka.GroupProtocol;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

class RecordLoopBrokenConsumerTest {
    private final Script script = new Script();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void a_consumer_that_breaks_or_can_not_be_made_is_replaced_until_one_works() throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            CountDownLatch mayWork = new CountDownLatch(1);
            Queue<Supplier<Consumer<byte[], byte[]>>> kinds = new ConcurrentLinkedQueue<>();
            kinds.add(RecordLoopBrokenConsumerTest::thatBreaks);
            kinds.add(RecordLoopBrokenConsumerTest::thatBreaksWithAnError);
            kinds.add(() -> {
                throw new KafkaException("can't be made");
            });
            topic.send(0, "k", "value");
            Supplier<Consumer<byte[], byte[]>> last = () -> {
                try {
                    mayWork.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return topic.consumers(GroupProtocol.CONSUMER).newConsumer();
            };

            try (RecordLoop loop = new RecordLoop(Loops.settings(topic),
                    Loops.clients(() -> (kinds.isEmpty() ? last : kinds.remove()).get()),
                    DueTimes.immediately(), script, InstantSource.system(), registry).start()) {
                await().until(() -> registry.get("chargeonce.loop.consumer.failures").counter().count() == 3);
                assertThat(loop.problem()).hasValueSatisfying(text -> assertThat(text).contains("no working consumer"));
                assertThat(loop.standstill()).as("a restart would not help").isEmpty();

                mayWork.countDown();
                await().until(() -> topic.committed().containsValue(1L));
                assertThat(loop.problem()).isEmpty();
            }
        }
    }

    @Test
    void a_commit_that_fails_is_counted_and_repeated_and_its_record_is_handled_once() throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            var failing = new AtomicInteger(2);
            topic.send(0, "k", "value");

            try (RecordLoop loop = new RecordLoop(Loops.settings(topic),
                    Loops.clients(() -> withoutCommits(topic.consumers(GroupProtocol.CONSUMER).newConsumer(), failing)),
                    DueTimes.immediately(), script, InstantSource.system(), registry).start()) {
                await().until(() -> topic.committed().containsValue(1L));

                assertThat(registry.get("chargeonce.loop.commit.failures").counter().count()).isEqualTo(2);
                assertThat(registry.get("chargeonce.loop.consumer.failures").counter().count()).isZero();
                assertThat(loop.problem()).isEmpty();
                assertThat(script.done()).containsExactly("value");
            }
        }
    }

    /** A consumer of which so many commits fail. */
    @SuppressWarnings("unchecked") // A proxy's type can't say more.
    private static Consumer<byte[], byte[]> withoutCommits(Consumer<byte[], byte[]> real, AtomicInteger failing) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(RecordLoopBrokenConsumerTest.class.getClassLoader(),
                new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("commitAsync") && failing.getAndDecrement() > 0) {
                        ((OffsetCommitCallback) arguments[1]).onComplete(Map.of(), new CommitFailedException());
                        return null;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private static Consumer<byte[], byte[]> thatBreaksWithAnError() {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
        consumer.schedulePollTask(() -> {
            throw new NoClassDefFoundError("planted");
        });
        return consumer;
    }

    private static Consumer<byte[], byte[]> thatBreaks() {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
        consumer.setPollException(new KafkaException("broken"));
        return consumer;
    }
}
