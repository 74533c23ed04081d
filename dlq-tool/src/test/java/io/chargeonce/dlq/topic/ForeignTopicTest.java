// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.raw.HeaderBytes;
import io.chargeonce.dlq.story.Import;
import io.chargeonce.wire.PaymentJson;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers as the versions of Spring Kafka, Kafka Connect, Kafka Streams and Karafka write them. */
class ForeignTopicTest {

    private static final ForeignHeaders.Named NAMED = new ForeignHeaders.Named(Optional.empty(), Optional.empty(), List.of());

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

    /** The bytes of a record are kept encrypted, and these words are not. */
    @Test
    void words_that_quote_a_card_number_are_kept_without_it() {
        text("kafka_dlt-exception-fqcn", "x.Y");
        text("kafka_dlt-exception-message", "no order in {\"card\":\"4111111111111111\"}");
        assertThat(ForeignTopic.imported(record, NAMED).message()).isEqualTo("no order in {\"card\":\"****************\"}");
        var named = new ForeignHeaders.Named(Optional.empty(), Optional.of("why"), List.of());
        text("why", "refused 4111111111111111");
        assertThat(ForeignTopic.imported(record, named).cause()).isEqualTo("refused ****************");
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
        assertThat(new String(ForeignTopic.imported(record, NAMED).source().headers().orElseThrow(), StandardCharsets.UTF_8))
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

    @Test
    void kafka_connects_headers() {
        text("__connect.errors.topic", "orders");
        text("__connect.errors.partition", "7");
        text("__connect.errors.offset", "4711");
        text("__connect.errors.stage", "VALUE_CONVERTER");
        text("__connect.errors.exception.class.name", "org.apache.kafka.connect.errors.DataException");
        text("__connect.errors.exception.message", "not JSON");
        assertTaken("DataException", "not JSON", "orders", 7, 4711);
        assertGoesBack("orders", "chargeonce-merges=1");
    }

    @Test
    void kafka_streams_headers_whose_exception_has_its_message_behind_it() {
        text("__streams.errors.exception", "org.apache.kafka.common.errors.SerializationException: no Avro: magic byte 3.4");
        text("__streams.errors.message", "no Avro: magic byte 3.4");
        text("__streams.errors.stacktrace", "at …");
        text("__streams.errors.topic", "orders");
        text("__streams.errors.partition", "7");
        text("__streams.errors.offset", "4711");
        assertTaken("SerializationException", "no Avro: magic byte 3.4", "orders", 7, 4711);
        assertGoesBack("orders", "chargeonce-merges=1");
    }

    @Test
    void karafkas_headers_which_count_only_together() {
        text("source_topic", "orders");
        text("source_partition", "7");
        assertTaken("foreign", "found on orders-dlt", "orders-dlt", 2, 17);
        assertGoesBack("", "source_topic=orders", "source_partition=7", "chargeonce-merges=1");

        text("source_offset", "4711");
        text("source_consumer_group", "orders-app");
        text("source_attempts", "3");
        text("tenant", "acme");
        assertTaken("foreign", "found on orders-dlt", "orders", 7, 4711);
        assertGoesBack("orders", "tenant=acme", "chargeonce-merges=1");
    }

    @Test
    void headers_under_other_names_are_named_by_the_caller() {
        text("dead-letter-topic", "orders");
        text("dead-letter-cause", "com.example.NoStock");
        text("dead-letter-partition", "7");
        text("tenant", "acme");
        var named = new ForeignHeaders.Named(Optional.of("dead-letter-topic"), Optional.of("dead-letter-cause"), List.of("dead-letter-*"));
        Import.Imported taken = ForeignTopic.imported(record, named);
        assertThat(taken.cause()).isEqualTo("NoStock");
        assertThat(taken.source().topic()).isEqualTo("orders");
        assertThat(taken.source().offset()).isEqualTo(17);
        assertThat(taken.wayBack().orElseThrow().topic()).isEqualTo("orders");
        assertThat(back(taken)).containsExactly("tenant=acme", "chargeonce-merges=1");
    }

    @Test
    void what_the_application_wrote_goes_back_in_its_order_and_nothing_of_the_failures() {
        text("tenant", "acme");
        origin("kafka_", "orders", 7, 4711);
        text("trace", "1");
        record.headers().add("empty", null).add("retry_topic-attempts", ByteBuffer.allocate(4).putInt(4).array())
                .add("retry_topic-backoff-timestamp", BigInteger.valueOf(1_790_000_000_000L).toByteArray())
                .add("retry_topic-original-timestamp", BigInteger.valueOf(1_790_000_000_000L).toByteArray())
                .add("kafka_deliveryAttempt", ByteBuffer.allocate(4).putInt(3).array());
        text("trace", "2");
        text("kafka_exception-stacktrace", "at …");
        text("springDeserializerExceptionValue", "bytes");
        text("__TypeId__", "com.example.Order");
        assertGoesBack("orders", "tenant=acme", "trace=1", "empty", "trace=2", "__TypeId__=com.example.Order", "chargeonce-merges=1");
    }

    @Test
    void what_comes_again_counts_on() {
        origin("kafka_dlt-", "orders", 7, 4711);
        text("chargeonce-merges", "2");
        text("chargeonce-dead-letter", "psn_1");
        assertGoesBack("orders", "chargeonce-merges=3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"payments.requests", "payments.outcomes", "live.retry-2", "payments.intake.acme", "payments.dlq", "orders-dlt",
        "chargeonce-console-payments-facts-repartition", "__consumer_offsets", "..", "or ders", "ör"})
    void no_record_goes_to_a_pipelines_topic_to_kafkas_own_or_to_where_it_was(String topic) {
        text("kafka_dlt-original-topic", topic);
        assertGoesBack("", "chargeonce-merges=1");
    }

    @Test
    void text_that_postgres_cannot_store_is_not_believed() {
        text("kafka_dlt-original-topic", "or\0ders");
        text("kafka_dlt-exception-fqcn", "x.\0Y");
        assertTaken("foreign", "found on orders-dlt", "orders-dlt", 2, 17);
    }

    private void assertGoesBack(String topic, String... headers) {
        Import.Imported taken = ForeignTopic.imported(record, NAMED);
        assertThat(taken.wayBack().orElseThrow().topic()).isEqualTo(topic);
        assertThat(back(taken)).containsExactly(headers);
    }

    private static List<String> back(Import.Imported taken) {
        return HeaderBytes.read(taken.wayBack().orElseThrow().headers()).stream()
                .map(header -> header.key() + (header.value() == null ? "" : "=" + new String(header.value(), StandardCharsets.UTF_8)))
                .toList();
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
        Import.Imported taken = ForeignTopic.imported(record, NAMED);
        assertThat(taken.cause()).isEqualTo(cause);
        assertThat(taken.message()).isEqualTo(message);
        assertThat(taken.source().topic()).isEqualTo(topic);
        assertThat(taken.source().partition()).isEqualTo(partition);
        assertThat(taken.source().offset()).isEqualTo(offset);
    }
}
