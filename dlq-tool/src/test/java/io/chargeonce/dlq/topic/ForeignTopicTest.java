// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.story.Import;
import io.chargeonce.wire.PaymentJson;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Headers as the versions of Spring Kafka write them. */
class ForeignTopicTest {

    private final ConsumerRecord<byte[], byte[]> record =
            new ConsumerRecord<>("orders-dlt", 2, 17, "key".getBytes(StandardCharsets.UTF_8), new byte[] {1});

    @Test
    void the_recoverers_headers() {
        origin("kafka_dlt-", "orders", 7, 4711);
        text("kafka_dlt-exception-fqcn", "org.springframework.kafka.listener.ListenerExecutionFailedException");
        text("kafka_dlt-exception-cause-fqcn", "java.net.SocketTimeoutException");
        text("kafka_dlt-exception-message", "Listener failed; Read timed out");
        assertTaken("SocketTimeoutException", "Listener failed; Read timed out", "orders", 7, 4711);
    }

    @Test
    void before_2_8_there_was_no_cause() {
        origin("kafka_dlt-", "orders", 0, 0);
        text("kafka_dlt-exception-fqcn", "com.example.Orders$Rejected");
        text("kafka_dlt-exception-message", "no such order");
        assertTaken("Orders$Rejected", "no such order", "orders", 0, 0);
    }

    @Test
    void the_retry_topics_headers_lead_back_to_the_first_topic() {
        origin("kafka_", "orders", 7, 4711);
        text("kafka_exception-fqcn", "x.Y");
        text("kafka_exception-message", "retried in vain");
        record.headers().add("retry_topic-attempts", ByteBuffer.allocate(4).putInt(4).array())
                .add("retry_topic-original-timestamp", BigInteger.valueOf(1_790_000_000_000L).toByteArray());
        assertTaken("Y", "retried in vain", "orders", 7, 4711);
        assertThat(new String(ForeignTopic.imported(record).source().headers().orElseThrow(), StandardCharsets.UTF_8))
                .contains("{\"name\":\"retry_topic-attempts\",\"value\":\"4\"}", "\"1790000000000\"", "\"4711\"")
                .satisfies(PaymentJson.MAPPER::readTree);
    }

    @Test
    void of_several_hops_the_first_says_where_and_the_last_says_why() {
        origin("kafka_dlt-", "orders", 7, 4711);
        text("kafka_dlt-exception-fqcn", "x.First");
        text("kafka_dlt-exception-message", "at first");
        origin("kafka_dlt-", "orders-retry", 1, 3);
        text("kafka_dlt-exception-fqcn", "x.Last");
        text("kafka_dlt-exception-message", "in the end");
        assertTaken("Last", "in the end", "orders", 7, 4711);
    }

    @Test
    void a_key_that_could_not_be_read_is_a_cause() {
        text("kafka_dlt-key-exception-fqcn", "org.springframework.kafka.support.serializer.DeserializationException");
        text("kafka_dlt-key-exception-message", "failed to deserialize");
        assertTaken("DeserializationException", "failed to deserialize", "orders-dlt", 2, 17);
    }

    @Test
    void what_cannot_be_springs_is_not_believed() {
        record.headers().add("kafka_dlt-original-offset", new byte[] {1}).add("kafka_dlt-original-topic", null)
                .add("kafka_dlt-original-partition", ByteBuffer.allocate(4).putInt(-1).array())
                .add("kafka_dlt-exception-fqcn", new byte[0]);
        assertTaken("foreign", "found on orders-dlt", "orders-dlt", 2, 17);
    }

    private void origin(String prefix, String topic, int partition, long offset) {
        text(prefix + "original-topic", topic);
        record.headers().add(prefix + "original-partition", ByteBuffer.allocate(4).putInt(partition).array())
                .add(prefix + "original-offset", ByteBuffer.allocate(8).putLong(offset).array());
    }

    private void text(String name, String value) {
        record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    private void assertTaken(String cause, String message, String topic, int partition, long offset) {
        Import.Imported taken = ForeignTopic.imported(record);
        assertThat(taken.cause()).isEqualTo(cause);
        assertThat(taken.message()).isEqualTo(message);
        assertThat(taken.source().topic()).isEqualTo(topic);
        assertThat(taken.source().partition()).isEqualTo(partition);
        assertThat(taken.source().offset()).isEqualTo(offset);
    }
}
