// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.utils.Time;
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
            await().untilAsserted(() -> assertThat(value("chargeonce.kafka.request.seconds", "one")).isBetween(0.0, 60.0));
            assertThat(meters.get("chargeonce.kafka.record.errors").tag("client", "one").functionCounter().count()).isZero();
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
            assertThat(value("chargeonce.kafka.request.seconds", "one")).isNaN();
            first.close();
            second.send(new ProducerRecord<>(TOPIC, new byte[1])).get();
            await().untilAsserted(() -> assertThat(value("chargeonce.kafka.request.seconds", "one")).isBetween(0.0, 60.0));
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
                            "chargeonce.kafka.fetch.seconds");
        }
    }

    @Test
    void latencies_are_in_seconds() {
        var name = new MetricName("request-latency-avg", "producer-metrics", "", Map.of("client-id", "one"));
        try (var reporter = new KafkaMeters()) {
            reporter.configure(Map.of(KafkaMeters.REGISTRY, meters));
            reporter.init(List.of(new KafkaMetric(new Object(), name, (Gauge<Double>) (config, now) -> 1500.0, new MetricConfig(),
                    Time.SYSTEM)));
            assertThat(value("chargeonce.kafka.request.seconds", "one")).isEqualTo(1.5);
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
