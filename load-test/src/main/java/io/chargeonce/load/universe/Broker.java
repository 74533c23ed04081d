// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Utils;

/**
 * Kafka on one page: topics with partitions, consumer groups, and what can go wrong with an acknowledgement. For who has the
 * turn.
 */
final class Broker {

    /** How likely it is, for each record sent, that it is not taken, taken without an answer, or taken after everybody gave up. */
    record Faults(double notTaken, double ackLost, double late) {}

    static final String INTAKE = "payments.intake.";

    private static Broker current;

    private final Map<String, List<Log>> topics = new HashMap<>();
    private final Map<String, Uuid> ids = new TreeMap<>();
    private final Map<String, Group> groups = new TreeMap<>();
    private Faults faults = new Faults(0, 0, 0);
    private Duration sessionTimeout = Duration.ofSeconds(3);
    private boolean down;
    private long created;
    final KafkaTroubles troubles = new KafkaTroubles();

    void enter() {
        current = this;
    }

    static Broker it() {
        return current;
    }

    void create(String topic, int partitions, boolean stampedByBroker) {
        var logs = new ArrayList<Log>();
        for (int partition = 0; partition < partitions; partition++) {
            logs.add(new Log(topic, partition, stampedByBroker));
        }
        topics.put(topic, logs);
        ids.put(topic, new Uuid(1, ++created));
    }

    void faults(Faults chosen) {
        faults = chosen;
    }

    Faults faults() {
        return faults;
    }

    void down(boolean isDown) {
        down = isDown;
    }

    boolean isDown() {
        return down;
    }

    Duration sessionTimeout() {
        return sessionTimeout;
    }

    /** @param fromEnd whether a partition without a committed offset is read from its end, and not from its beginning */
    Consumer<byte[], byte[]> consumer(String group, boolean fromEnd) {
        return Port.of(Consumer.class, new ModelConsumer(this, group, fromEnd));
    }

    Producer<byte[], byte[]> producer() {
        var producer = new ModelProducer(this);
        troubles.opened(producer);
        return Port.of(Producer.class, producer);
    }

    /** Joins no group. */
    Consumer<byte[], byte[]> reader() {
        return Port.of(Consumer.class, new ModelReader(this));
    }

    Admin admin() {
        return Port.of(Admin.class, new ModelAdmin(this));
    }

    Group group(String name) {
        return groups.computeIfAbsent(name, unseen -> new Group(this));
    }

    List<Log> topic(String name) {
        return topics.getOrDefault(name, List.of());
    }

    /** Another one of the same name has another id. */
    Uuid id(String topic) {
        return ids.get(topic);
    }

    Log log(TopicPartition partition) {
        return topics.get(partition.topic()).get(partition.partition());
    }

    List<TopicPartition> partitions(String topic) {
        var partitions = new ArrayList<TopicPartition>();
        for (int i = 0; i < topic(topic).size(); i++) {
            partitions.add(new TopicPartition(topic, i));
        }
        return partitions;
    }

    TopicPartition partitionOf(ProducerRecord<byte[], byte[]> record) {
        int count = topics.get(record.topic()).size();
        int partition = record.partition() != null ? record.partition()
                : record.key() == null ? Kernel.it().random().nextInt(count) : Utils.toPositive(Utils.murmur2(record.key())) % count;
        return new TopicPartition(record.topic(), partition);
    }

    long append(TopicPartition partition, ProducerRecord<byte[], byte[]> record) {
        Kernel kernel = Kernel.it();
        return log(partition).append(record, nowMillis(), (kernel.wall() + SimulatedPostgres.clockMicros()) / 1_000);
    }

    /** By the broker's own clock. */
    long nowMillis() {
        return (Kernel.it().wall() + troubles.clockMicros()) / 1_000;
    }

    /** Whether a topic takes the broker's time and not the sender's. */
    boolean stamps(String topic) {
        return topic(topic).stream().anyMatch(Log::isStampedByBroker);
    }

    Set<String> intakeTopics() {
        var found = new TreeSet<String>();
        topics.keySet().stream().filter(topic -> topic.startsWith(INTAKE)).forEach(found::add);
        return found;
    }

    /** Its records and its groups' offsets are gone; who reads it has not heard of that. */
    void recreate(String topic) {
        topic(topic).forEach(Log::recreate);
        ids.put(topic, new Uuid(1, ++created));
        groups.values().forEach(group -> group.forget(topic));
    }

    List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        return topic(topic).stream().flatMap(log -> log.judged().stream()).toList();
    }
}
