// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class KafkaMetersTest {

    private static final String TOPIC = "kafka-meters-test";
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final KafkaConnection kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of()).countedBy(meters);

    @Test
    void a_client_reports_how_it_does_for_as_long_as_it_lives() throws Exception {
        try (var producer = new ProducerSettings(kafka, "one").newProducer()) {
            createTopic();
            producer.send(new ProducerRecord<>(TOPIC, new byte[1])).get();
            assertThat(value("chargeonce.kafka.connections", "one")).isPositive();
            assertThat(value("chargeonce.kafka.request.milliseconds", "one")).isPositive();
            assertThat(value("chargeonce.kafka.record.errors", "one")).isZero();
            assertThat(value("chargeonce.kafka.buffer.available.bytes", "one")).isPositive();
        }
        assertThat(meters.getMeters()).isEmpty();
    }

    @Test
    void a_client_that_takes_the_place_of_another_of_its_name_has_the_meters() throws Exception {
        createTopic();
        var first = new ProducerSettings(kafka, "one").newProducer();
        first.send(new ProducerRecord<>(TOPIC, new byte[1])).get();
        try (var second = new ProducerSettings(kafka, "one").newProducer()) {
            assertThat(value("chargeonce.kafka.request.milliseconds", "one")).isNaN();
            first.close();
            second.send(new ProducerRecord<>(TOPIC, new byte[1])).get();
            assertThat(value("chargeonce.kafka.request.milliseconds", "one")).isPositive();
        }
        assertThat(meters.getMeters()).isEmpty();
    }

    @Test
    void a_consumers_meters_have_no_series_for_each_partition() {
        try (var consumer = new ConsumerSettings(kafka, "kafka-meters-test", GroupProtocol.CLASSIC).newConsumer()) {
            consumer.subscribe(List.of(TOPIC));
            consumer.poll(Duration.ZERO);
            assertThat(meters.getMeters()).extracting(meter -> meter.getId().getName()).doesNotHaveDuplicates()
                    .contains("chargeonce.kafka.connections", "chargeonce.kafka.rebalances", "chargeonce.kafka.lag.records",
                            "chargeonce.kafka.fetch.milliseconds");
        }
    }

    private void createTopic() throws Exception {
        try (var admin = kafka.newAdmin()) {
            if (!admin.listTopics().names().get().contains(TOPIC)) {
                admin.createTopics(List.of(new NewTopic(TOPIC, 2, (short) 1))).all().get();
            }
        }
    }

    private double value(String name, String client) {
        return meters.get(name).tag("client", client).gauge().value();
    }
}
