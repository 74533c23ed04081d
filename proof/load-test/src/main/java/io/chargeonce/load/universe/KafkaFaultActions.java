// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import static java.nio.charset.StandardCharsets.UTF_8;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kafka.Broker;
import io.chargeonce.load.universe.kafka.Group;
import io.chargeonce.load.universe.kafka.Log;
import io.chargeonce.load.universe.kafka.ModelProducer;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/** What Kafka loses, repeats and refuses. */
final class KafkaFaultActions {

    static final List<String> WORK = List.of("payments.requests", "payments.retry-1", "payments.retry-2", "payments.retry-3");
    private static final List<String> WRITTEN = List.of("payments.requests", "payments.retry-1", "payments.retry-2", "payments.retry-3",
            "payments.outcomes", "payments.dlq");
    private static final int MOST_COPIES = 8;
    private static final Duration SOON = Duration.ofMillis(100);
    /** The newest are about payments that are still under way. */
    private static final int WORTH_COPYING = 8;
    /** When a supervisor ends a process that does nothing. */
    private static final Duration UNTIL_IT_IS_KILLED = Duration.ofSeconds(20);

    private final Kernel kernel;
    private final Broker broker;

    KafkaFaultActions(Kernel kernel, Broker broker) {
        this.kernel = kernel;
        this.broker = broker;
    }

    Map<Fault, Runnable> all() {
        return Map.ofEntries(Map.entry(Fault.COPY, this::copy), Map.entry(Fault.LOST_TAIL, this::loseTail),
                Map.entry(Fault.REBALANCE, () -> rebalanceOrRewind(kernel.chance(0.5))),
                Map.entry(Fault.PRODUCER_THROWS, this::refuseCredentials),
                Map.entry(Fault.PRODUCER_WEDGED, this::wedge), Map.entry(Fault.PRODUCER_FATAL, this::breakProducer),
                Map.entry(Fault.RECORD_REFUSED, this::refuseRecords), Map.entry(Fault.MISSING_TOPIC, this::hideTopic),
                Map.entry(Fault.RECREATED_TOPIC, this::recreate), Map.entry(Fault.RECREATED_INTAKE, this::recreateIntake),
                Map.entry(Fault.BROKEN_PARTITION, this::breakPartition));
    }

    private <T> T one(List<T> all) {
        return all.get(kernel.random().nextInt(all.size()));
    }

    private void later(Duration time, Runnable heals) {
        kernel.spawn(kernel.world(), "heal", () -> {
            kernel.sleep(time);
            heals.run();
        });
    }

    private Duration awhile() {
        return kernel.between(Duration.ofMillis(500), Duration.ofSeconds(12));
    }

    /**
     * Records come again in any order, some with another amount than was accepted. What is fetched of them may outlive what is
     * staged next, if Kafka goes away over it.
     */
    private void copy() {
        TopicPartition partition = one(broker.partitions(one(WORK)));
        List<ConsumerRecord<byte[], byte[]>> all = broker.log(partition).all();
        List<ConsumerRecord<byte[], byte[]>> records = all.subList(Math.max(0, all.size() - WORTH_COPYING), all.size());
        if (records.isEmpty()) {
            return;
        }
        int count = 1 + kernel.random().nextInt(MOST_COPIES);
        kernel.tell("records copied", count + " records of " + partition + " copied");
        kernel.copied(count);
        for (int i = 0; i < count; i++) {
            ConsumerRecord<byte[], byte[]> record = one(records);
            byte[] value =
                    kernel.chance(0.2) ? new String(record.value(), UTF_8).replaceFirst("\"amount\":", "\"amount\":1").getBytes(UTF_8)
                            : record.value();
            broker.append(partition, new ProducerRecord<>(record.topic(), null, record.timestamp(), record.key(), value, record.headers()));
        }
        if (kernel.chance(0.5)) {
            kernel.sleep(kernel.between(Duration.ZERO, SOON));
            broker.down(true);
            later(kernel.between(Duration.ofMillis(100), Duration.ofSeconds(4)), () -> broker.down(false));
        }
    }

    private void rebalanceOrRewind(boolean rewind) {
        TopicPartition partition = one(broker.partitions(one(WORK)));
        Group group = broker.group(partition.topic() + ".workers");
        if (!rewind) {
            kernel.tell("rebalance", "rebalance of " + partition.topic());
            group.rebalance();
            return;
        }
        group.committed(partition).filter(offset -> offset.offset() > 0).ifPresent(offset -> {
            long back = kernel.random().nextLong(offset.offset());
            kernel.tell("offset rewound", partition + " rewound to " + back);
            group.rewind(partition, back);
        });
    }

    private void loseTail() {
        Log log = broker.log(one(broker.partitions(one(WORK))));
        if (log.end() > 0) {
            int count = 1 + kernel.random().nextInt(3);
            kernel.tell("tail lost", "the last " + count + " records of a work topic lost, from " + log.end());
            log.loseTail(count);
        }
    }

    private void recreate() {
        String topic = one(WORK);
        kernel.tell("topic made again", topic + " deleted and made again");
        broker.recreate(topic);
    }

    /** What is acknowledged and not accepted yet would be gone with it, and rightly. */
    private void recreateIntake() {
        broker.intakeTopics().stream().filter(topic -> broker.group(topic.replaceFirst("\\.[^.]*$", ".workers")).hasFinished(topic))
                .forEach(topic -> {
                    kernel.tell("intake topic made again", topic + " deleted and made again");
                    broker.recreate(topic);
                });
    }

    private void refuseCredentials() {
        Duration time = awhile();
        kernel.tell("sends refused", "every send throws for " + time.toMillis() + " ms");
        broker.troubles.sends(Optional.of(() -> new KafkaException("simulated", new SaslAuthenticationException("Authentication failed"))));
        later(time, () -> broker.troubles.sends(Optional.empty()));
    }

    private void wedge() {
        List<ModelProducer> producers = broker.troubles.producers();
        if (!producers.isEmpty()) {
            ModelProducer producer = one(producers);
            kernel.tell("producer wedged", "a producer of " + producer.host.name + " never comes back");
            producer.wedge();
            later(UNTIL_IT_IS_KILLED, () -> {
                if (producer.host.alive && !producer.isClosed()) {
                    kernel.kill(producer.host);
                }
            });
        }
    }

    private void breakProducer() {
        List<ModelProducer> producers = broker.troubles.producers();
        if (!producers.isEmpty()) {
            ModelProducer producer = one(producers);
            kernel.tell("producer fatal", "a producer of " + producer.host.name + " is in a fatal state");
            producer.breakForGood();
        }
    }

    private void refuseRecords() {
        String topic = one(WRITTEN);
        Supplier<RuntimeException> why =
                kernel.chance(0.5) ? () -> new RecordTooLargeException("simulated") : () -> new TopicAuthorizationException(Set.of(topic));
        Duration time = awhile();
        kernel.tell("records refused", topic + " refuses records for " + time.toMillis() + " ms: " + why.get());
        broker.troubles.refuse(topic, why);
        later(time, () -> broker.troubles.accept(topic));
    }

    private void hideTopic() {
        String topic = one(WRITTEN);
        Duration time = awhile();
        kernel.tell("topic missing", topic + " missing for " + time.toMillis() + " ms");
        broker.troubles.missing(topic, true);
        later(time, () -> broker.troubles.missing(topic, false));
    }

    private void breakPartition() {
        TopicPartition partition = one(broker.partitions(one(WORK)));
        Supplier<RuntimeException> why =
                kernel.chance(0.5) ? () -> new KafkaException("Received exception when fetching the next record from " + partition)
                        : () -> new TopicAuthorizationException(Set.of(partition.topic()));
        Duration time = awhile();
        kernel.tell("partition broken", partition + " broken for " + time.toMillis() + " ms: " + why.get());
        broker.troubles.breaks(partition, why);
        later(time, () -> broker.troubles.mend(partition));
    }
}
