// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.OutboxRelay;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.OperationState;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The main topic on a real broker, delivered more than once. */
class ReplayTest {

    private static final int PAYMENTS = 50;

    private final EngineFixture books = new EngineFixture();
    private final FakePsp psp = new FakePsp();
    private final KafkaConnection kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
    private final Producer<byte[], byte[]> producer = new ProducerSettings(kafka, "test").newProducer();
    private final OutboxRelay relay =
            new OutboxRelay(books.charging, Staging::request, new ProducerSettings(kafka, "test")::newProducer, "/chargeonce",
                    new SimpleMeterRegistry());
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private List<String> payments;

    @BeforeEach
    void chargeEverythingOnce() {
        try (var admin = Admin.create(kafka.clientProperties())) {
            new TopicPlan(books.topics, 3, Optional.of((short) 1)).create(admin);
        }
        relay.start();
        payments = IntStream.range(0, PAYMENTS).mapToObj(i -> books.accept("order-" + i)).toList();
        try (var loop = startLoop("first")) {
            Waiting.until(() -> payments.stream().allMatch(id -> books.state(id) == OperationState.SUCCEEDED));
        }
        assertThat(psp.captures).hasSize(PAYMENTS);
    }

    @AfterEach
    void close() throws Exception {
        relay.close();
        producer.close();
        books.close();
    }

    @Test
    void a_partition_replayed_from_its_beginning_changes_nothing() {
        // A group that has committed nothing reads everything again.
        try (var loop = startLoop("second")) {
            Waiting.until(() -> handled() >= PAYMENTS);
        }
        assertNothingChanged();
    }

    @Test
    void every_record_published_three_times_more_in_any_order_with_forged_headers_changes_nothing() {
        var copies = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (String id : payments) {
            byte[] value = io.chargeonce.wire.PaymentJson.write(io.chargeonce.wire.PaymentRecord.of(id, 1, "acme",
                    books.operation(id).accepted().idempotencyKey(), books.operation(id).accepted().request()));
            for (int copy = 0; copy < 3; copy++) {
                var record = new ProducerRecord<>(books.topics.requests(), id.getBytes(StandardCharsets.UTF_8), value);
                record.headers().add("chargeonce-step", "99".getBytes(StandardCharsets.UTF_8)).add("chargeonce-attempt", null);
                copies.add(record);
            }
        }
        Collections.shuffle(copies, new Random(1));
        copies.forEach(producer::send);
        try (var loop = startLoop("first")) {
            Waiting.until(() -> handled() >= 3 * PAYMENTS);
        }
        assertNothingChanged();
    }

    private void assertNothingChanged() {
        assertThat(psp.calls).hasSize(PAYMENTS);
        assertThat(books.count("FROM operation_now WHERE state = 'succeeded' AND step = 2")).isEqualTo(PAYMENTS);
        assertThat(books.count("FROM payment_attempt")).isEqualTo(PAYMENTS);
        assertThat(books.count("FROM dead_letter")).isZero();
    }

    /** By the loop that runs now. */
    private double handled() {
        return meters.find("chargeonce.loop.handled").tag("outcome", "done").counters().stream().mapToDouble(c -> c.count()).sum();
    }

    private RecordLoop startLoop(String group) {
        String topic = books.topics.requests();
        var consumer = new ConsumerSettings(kafka, books.topics.prefix() + group, GroupProtocol.CONSUMER);
        return new RecordLoop(LoopSettings.of(topic, Set.of(topic), 100).withWaits(Duration.ofSeconds(1), Duration.ofSeconds(2)),
                consumer, DueTimes.immediately(), books.process(psp).handler, InstantSource.system(), meters).start();
    }
}
