// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import io.chargeonce.text.TextFile;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Kafka's address and the credentials for it: what all clients of a process share. Any thread.
 *
 * @param bootstrapServers host:port, several separated by commas
 * @param properties       more client properties (TLS, SASL, tuning), read for each new client; none may carry a guarantee
 * @param meters           where clients report how they do
 */
public record KafkaConnection(String bootstrapServers, Supplier<Map<String, String>> properties, Optional<MeterRegistry> meters) {

    /** Properties that were checked at start-up. A password may change while the process runs; these may not. */
    private static final List<String> PROTECTION = List.of(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
            SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);

    /** @throws IllegalArgumentException naming every property that may not be set, and why */
    public KafkaConnection {
        if (bootstrapServers.isBlank()) {
            throw new IllegalArgumentException("Kafka's bootstrap servers are empty: give host:port, several separated by commas");
        }
        refuseFixed(properties.get());
    }

    /** Without meters. */
    public KafkaConnection(String bootstrapServers, Supplier<Map<String, String>> properties) {
        this(bootstrapServers, properties, Optional.empty());
    }

    /** With properties that never change, and without meters. */
    public KafkaConnection(String bootstrapServers, Map<String, String> properties) {
        this(bootstrapServers, () -> properties);
    }

    /** The same for clients that report into these meters. */
    public KafkaConnection countedBy(MeterRegistry registry) {
        return new KafkaConnection(bootstrapServers, properties, Optional.of(registry));
    }

    /**
     * A client keeps the properties that it was created with, because Kafka's clients never read them again. When a password changes at the
     * brokers, the old client fails, and its successor uses the properties that the file holds by then.
     *
     * @param propertiesFile in Java's properties format
     * @throws IllegalArgumentException if the file cannot be read, or sets a property that may not be set
     */
    public static KafkaConnection of(String bootstrapServers, Optional<Path> propertiesFile) {
        return propertiesFile.map(file -> {
            Map<String, String> atTheStart = read(file);
            return new KafkaConnection(bootstrapServers, () -> asProtected(atTheStart, read(file), file));
        }).orElseGet(() -> new KafkaConnection(bootstrapServers, Map.of()));
    }

    /** A half-written file may lack its line about TLS. Its client would then send data in the clear, or wait for ever. */
    private static Map<String, String> asProtected(Map<String, String> atTheStart, Map<String, String> now, Path file) {
        for (String name : PROTECTION) {
            if (!Objects.equals(atTheStart.get(name), now.get(name))) {
                throw new IllegalArgumentException(("The Kafka properties file %s now says %s=%s; when this process started it said %s. "
                        + "Complete the file, or restart the process")
                        .formatted(file, name, now.get(name), atTheStart.get(name)));
            }
        }
        return now;
    }

    /**
     * For an admin client: the connection and nothing else.
     *
     * @throws IllegalArgumentException if the file cannot be read now
     */
    public Map<String, Object> clientProperties() {
        Map<String, Object> client = new HashMap<>(properties.get());
        client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        meters.ifPresent(registry -> {
            client.merge(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, KafkaMeters.class.getName(),
                    (theirs, ours) -> theirs + "," + ours);
            client.put(KafkaMeters.REGISTRY, registry);
        });
        return client;
    }

    /** An admin client; the caller closes it. */
    public Admin newAdmin() {
        return Admin.create(clientProperties());
    }

    /** A consumer that joins no group and reads single records from the beginning; the caller closes it. */
    public Consumer<byte[], byte[]> newReader() {
        Map<String, Object> reader = clientProperties();
        reader.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        reader.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        reader.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 64 << 10);
        return new KafkaConsumer<>(reader, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Leaves the properties out: they hold passwords. */
    @Override
    public String toString() {
        return "Kafka at " + bootstrapServers;
    }

    private static Map<String, String> read(Path file) {
        Properties read = new Properties();
        try (Reader reader = TextFile.open(file)) {
            read.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException("The Kafka properties file " + file + " can't be read: " + e, e);
        }
        return read.stringPropertyNames().stream().collect(Collectors.toMap(name -> name, read::getProperty));
    }

    private static void refuseFixed(Map<String, String> properties) {
        Map<String, String> refused = new TreeMap<>();
        Stream.of(List.of(new FixedSetting(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "", "it has a setting of its own")),
                ConsumerSettings.FIXED, ProducerSettings.FIXED)
                .flatMap(List::stream)
                .filter(fixed -> properties.containsKey(fixed.name()))
                .forEach(fixed -> refused.put(fixed.name(), fixed.reason()));
        if (!refused.isEmpty()) {
            throw new IllegalArgumentException("Remove these Kafka properties, they may not be set: " + refused.entrySet().stream()
                    .map(each -> each.getKey() + " (" + each.getValue() + ")").collect(Collectors.joining(", ")));
        }
    }
}
