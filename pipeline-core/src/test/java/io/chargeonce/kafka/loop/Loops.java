// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.BatchReader;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.LoopClients;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;

/** Starts loops for tests. */
final class Loops {
    private Loops() {}

    static LoopSettings settings(TestTopic topic) {
        return LoopSettings.of("loop-" + topic.name(), Set.of(topic.name()), 16);
    }

    static RecordLoop start(TestTopic topic, RecordHandler handler) {
        return start(settings(topic), topic.consumers(GroupProtocol.CONSUMER)::newConsumer, DueTimes.immediately(), handler);
    }

    static RecordLoop start(TestTopic topic, Duration delay, RecordHandler handler) {
        return start(settings(topic), topic.consumers(GroupProtocol.CONSUMER)::newConsumer, DueTimes.afterAppend(delay), handler);
    }

    static LoopClients clients(Supplier<Consumer<byte[], byte[]>> consumers) {
        return new LoopClients() {
            @Override
            public Consumer<byte[], byte[]> newConsumer() {
                return consumers.get();
            }

            @Override
            public Admin newAdmin() {
                return TestTopic.CONNECTION.newAdmin();
            }

            @Override
            public BatchReader newBatchReader() {
                return new ConsumerSettings(TestTopic.CONNECTION, "batches", GroupProtocol.CONSUMER).newBatchReader();
            }
        };
    }

    /** For tests in which memory suffices. */
    static BatchReader noBatchReader() {
        throw new AssertionError("memory suffices");
    }

    static RecordLoop start(LoopSettings settings, Supplier<Consumer<byte[], byte[]>> consumers, DueTimes due, RecordHandler handler) {
        return new RecordLoop(settings, clients(consumers), due, handler, InstantSource.system(), new SimpleMeterRegistry()).start();
    }
}
