// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import io.chargeonce.kafka.loop.RecordLoop;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The settings of a {@link RecordLoop}'s consumers. Immutable. */
public record ConsumerSettings(KafkaConnection connection, String group, GroupProtocol protocol) implements LoopClients {
    /** The group drops a member that has not polled for this long. A loop polls several times a second. */
    public static final Duration MAX_POLL_INTERVAL = Duration.ofMinutes(1);

    /** A killed process keeps its partitions for this long. */
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);
    /** Members learn of a rebalance from the answer to their next heartbeat. */
    private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(1);

    public static final List<FixedSetting> FIXED = List.of(
            new FixedSetting(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false, "only what is complete may be committed"),
            new FixedSetting(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest", "work without an offset must be read, not skipped"),
            new FixedSetting(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed", "an aborted record must not be worked on"),
            new FixedSetting(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false, "a topic made by a reader has the wrong settings"),
            new FixedSetting(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, (int) MAX_POLL_INTERVAL.toMillis(),
                    "a rebalance waits for records in flight, and that wait must be shorter"),
            new FixedSetting(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class, "keys are read as bytes"),
            new FixedSetting(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class, "values are read as bytes"),
            new FixedSetting(ConsumerConfig.GROUP_ID_CONFIG, "", "the service sets its group"),
            new FixedSetting(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "", "the service chooses it: the newer protocol spins in an outage"));

    public ConsumerSettings {
        if (group.isBlank()) {
            throw new IllegalArgumentException("A consumer needs a group");
        }
    }

    public Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1_000);
        // What a fetch brings comes on top of the loop's buffers, for each partition. A larger record is still fetched, alone.
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 256 << 10);
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 16 << 20);
        if (protocol == GroupProtocol.CLASSIC) {
            // The classic default takes every partition from every member at each rebalance.
            properties.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
            properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, (int) SESSION_TIMEOUT.toMillis());
            properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, (int) HEARTBEAT_INTERVAL.toMillis());
        }
        properties.putAll(connection.clientProperties());
        FIXED.forEach(fixed -> properties.put(fixed.name(), fixed.value()));
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, protocol.toString());
        return properties;
    }

    /** A new consumer; the caller closes it. */
    @Override
    public Consumer<byte[], byte[]> newConsumer() {
        return new KafkaConsumer<>(properties());
    }

    @Override
    public Admin newAdmin() {
        return connection.newAdmin();
    }

    @Override
    public BatchReader newBatchReader() {
        return new BatchReader(properties());
    }
}
