// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
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
 * Where Kafka is, and how to be let in: what every client of a process shares. Any thread.
 *
 * @param bootstrapServers host:port, several with commas between
 * @param properties       more client properties (TLS, SASL, tuning), asked for each new client; none that carries a guarantee
 */
public record KafkaConnection(String bootstrapServers, Supplier<Map<String, String>> properties) {

    /** What was judged at the start. A password may change while the process runs, and these may not. */
    private static final List<String> PROTECTION = List.of(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG,
            SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG);

    /** @throws IllegalArgumentException naming every property that may not be set, and why */
    public KafkaConnection {
        if (bootstrapServers.isBlank()) {
            throw new IllegalArgumentException("Kafka's bootstrap servers are empty: give host:port, several with commas between");
        }
        refuseFixed(properties.get());
    }

    /** With properties that stay as they are. */
    public KafkaConnection(String bootstrapServers, Map<String, String> properties) {
        this(bootstrapServers, () -> properties);
    }

    /**
     * A client keeps the properties that it was made with, for Kafka's clients read none again. One whose password was changed at the
     * brokers fails, and its successor has what is in the file then.
     *
     * @param propertiesFile in Java's properties format
     * @throws IllegalArgumentException if the file can't be read or sets what may not be set
     */
    public static KafkaConnection of(String bootstrapServers, Optional<Path> propertiesFile) {
        return propertiesFile.map(file -> {
            Map<String, String> atTheStart = read(file);
            return new KafkaConnection(bootstrapServers, () -> asProtected(atTheStart, read(file), file));
        }).orElseGet(() -> new KafkaConnection(bootstrapServers, Map.of()));
    }

    /** A file that is half written may lack its line about TLS, and its client would speak in the clear, or wait for ever. */
    private static Map<String, String> asProtected(Map<String, String> atTheStart, Map<String, String> now, Path file) {
        for (String name : PROTECTION) {
            if (!Objects.equals(atTheStart.get(name), now.get(name))) {
                throw new IllegalArgumentException(("The Kafka properties file %s says %s=%s now, and said %s when this process was "
                        + "started: complete the file, or start the process again")
                        .formatted(file, name, now.get(name), atTheStart.get(name)));
            }
        }
        return now;
    }

    /**
     * For a client of neither kind, an administrator's: the connection and nothing else.
     *
     * @throws IllegalArgumentException if the file can't be read now
     */
    public Map<String, Object> clientProperties() {
        Map<String, Object> client = new HashMap<>(properties.get());
        client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        return client;
    }

    /** An administrator's client; the caller closes it. */
    public Admin newAdmin() {
        return Admin.create(clientProperties());
    }

    /** A consumer that joins no group, to look at single records from the beginning; the caller closes it. */
    public Consumer<byte[], byte[]> newReader() {
        Map<String, Object> reader = clientProperties();
        reader.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        reader.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        reader.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 64 << 10);
        return new KafkaConsumer<>(reader, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Without the properties: they hold passwords. */
    @Override
    public String toString() {
        return "Kafka at " + bootstrapServers;
    }

    private static Map<String, String> read(Path file) {
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
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
            throw new IllegalArgumentException("Kafka properties that may not be set, take them out: " + refused.entrySet().stream()
                    .map(each -> each.getKey() + " (" + each.getValue() + ")").collect(Collectors.joining(", ")));
        }
    }
}
