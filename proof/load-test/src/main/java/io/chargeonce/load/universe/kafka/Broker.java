// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Utils;

/**
 * Kafka on one page: topics with partitions, consumer groups, and lost acknowledgements. For who has the
 * turn.
 */
public final class Broker {

    /** How likely it is, for each record sent, that it is not taken, taken without an answer, or taken after everybody gave up. */
    public record Faults(double notTaken, double ackLost, double late) {}

    public static final String INTAKE = "payments.intake.";

    private static Broker current;

    private final Map<String, List<Log>> topics = new HashMap<>();
    private final Map<String, Uuid> ids = new TreeMap<>();
    private final Map<String, Group> groups = new TreeMap<>();
    private Faults faults = new Faults(0, 0, 0);
    private Duration sessionTimeout = Duration.ofSeconds(3);
    private boolean down;
    private long created;
    public final BrokerFaultState troubles = new BrokerFaultState();

    public void enter() {
        current = this;
    }

    public static Broker it() {
        return current;
    }

    public void create(String topic, int partitions, boolean stampedByBroker) {
        var logs = new ArrayList<Log>();
        for (int partition = 0; partition < partitions; partition++) {
            logs.add(new Log(topic, partition, stampedByBroker));
        }
        topics.put(topic, logs);
        ids.put(topic, new Uuid(1, ++created));
    }

    public void faults(Faults chosen) {
        faults = chosen;
    }

    public Faults faults() {
        return faults;
    }

    public void down(boolean isDown) {
        down = isDown;
    }

    public boolean isDown() {
        return down;
    }

    Duration sessionTimeout() {
        return sessionTimeout;
    }

    /** @param fromEnd whether a partition without a committed offset is read from its end, and not from its beginning */
    public Consumer<byte[], byte[]> consumer(String group, boolean fromEnd) {
        return Port.of(Consumer.class, new ModelConsumer(this, group, fromEnd));
    }

    public Producer<byte[], byte[]> producer() {
        var producer = new ModelProducer(this);
        troubles.opened(producer);
        return Port.of(Producer.class, producer);
    }

    /** Joins no group. */
    public Consumer<byte[], byte[]> reader() {
        return Port.of(Consumer.class, new ModelReader(this));
    }

    public Admin admin() {
        return Port.of(Admin.class, new ModelAdmin(this));
    }

    public Group group(String name) {
        return groups.computeIfAbsent(name, unseen -> new Group(this));
    }

    public List<Log> topic(String name) {
        return topics.getOrDefault(name, List.of());
    }

    /** Another one of the same name has another id. */
    Uuid id(String topic) {
        return ids.get(topic);
    }

    public Log log(TopicPartition partition) {
        return topics.get(partition.topic()).get(partition.partition());
    }

    public List<TopicPartition> partitions(String topic) {
        var partitions = new ArrayList<TopicPartition>();
        for (int i = 0; i < topic(topic).size(); i++) {
            partitions.add(new TopicPartition(topic, i));
        }
        return partitions;
    }

    public TopicPartition partitionOf(ProducerRecord<byte[], byte[]> record) {
        int count = topics.get(record.topic()).size();
        int partition = record.partition() != null ? record.partition()
                : record.key() == null ? Kernel.it().random().nextInt(count) : Utils.toPositive(Utils.murmur2(record.key())) % count;
        return new TopicPartition(record.topic(), partition);
    }

    public long append(TopicPartition partition, ProducerRecord<byte[], byte[]> record) {
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

    public Set<String> intakeTopics() {
        var found = new TreeSet<String>();
        topics.keySet().stream().filter(topic -> topic.startsWith(INTAKE)).forEach(found::add);
        return found;
    }

    /** Its records and its groups' offsets are gone; who reads it has not heard of that. */
    public void recreate(String topic) {
        topic(topic).forEach(Log::recreate);
        ids.put(topic, new Uuid(1, ++created));
        groups.values().forEach(group -> group.forget(topic));
    }

    public List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        return topic(topic).stream().flatMap(log -> log.judged().stream()).toList();
    }

    /**
     * Gives a model the face of one of Kafka's wide interfaces. A method that the model does not have must not be called. It ends the
     * universe, because a service would take the exception for one of Kafka's and try again for ever.
     */
    private static final class Port {

        private static final Map<Class<?>, Map<Method, Optional<Method>>> KNOWN = new ConcurrentHashMap<>();

        private Port() {}

        @SuppressWarnings("unchecked") // The proxy implements exactly this interface.
        static <T> T of(Class<?> face, Object model) {
            Map<Method, Optional<Method>> methods = KNOWN.computeIfAbsent(model.getClass(), type -> new ConcurrentHashMap<>());
            return (T) Proxy.newProxyInstance(Port.class.getClassLoader(), new Class<?>[] {face}, (proxy, called, arguments) -> {
                Method known = methods.computeIfAbsent(called, method -> find(model.getClass(), method))
                        .orElseThrow(() -> {
                            var gap = new UnsupportedOperationException("Bug! The model knows nothing of " + called);
                            Kernel.it().breaks(gap);
                            return gap;
                        });
                try {
                    return known.invoke(model, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
        }

        private static Optional<Method> find(Class<?> type, Method called) {
            return Arrays.stream(type.getDeclaredMethods())
                    .filter(own -> own.getName().equals(called.getName())
                            && Arrays.equals(own.getParameterTypes(), called.getParameterTypes()))
                    .findFirst();
        }
    }
}
