// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The settings of a producer. Immutable. */
public record ProducerSettings(KafkaConnection connection, String clientId) {

    /** A larger record is refused here, before it is compressed. */
    public static final int LARGEST_REQUEST = 4 << 20;

    static final List<FixedSetting> FIXED = List.of(
            new FixedSetting(ProducerConfig.ACKS_CONFIG, "all", "an acknowledged record must survive the leader"),
            new FixedSetting(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true, "a repeated send must not double or reorder records"),
            new FixedSetting(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5, "with more, records of one key could be reordered"),
            new FixedSetting(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE, "only the delivery timeout may end a send"),
            new FixedSetting(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 30_000, "the caller must learn in time whether a record was taken"),
            new FixedSetting(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4",
                    "whether a record fits a topic's limit must not depend on the sender"),
            new FixedSetting(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class, "keys are sent as bytes"),
            new FixedSetting(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class, "values are sent as bytes"));

    public Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
        // Both must be well below the delivery timeout. Kafka's defaults leave no time for a second try.
        properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000);
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000);
        // A dead letter carries the largest record of the main topic, and more. The topic's own limit decides.
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, LARGEST_REQUEST);
        properties.putAll(connection.clientProperties());
        FIXED.forEach(fixed -> properties.put(fixed.name(), fixed.value()));
        return properties;
    }

    /** A new producer; the caller closes it. */
    public Producer<byte[], byte[]> newProducer() {
        return new KafkaProducer<>(properties());
    }
}
