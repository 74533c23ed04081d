// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.loop.BufferLimit;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Payments that wait for one PSP must not fill the buffers that payments for another one need. */
class LimitedPspTest {

    private static final int MORE_THAN_ONE_POLL = 1_200;

    private final KafkaConnection kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());

    @Test
    void payments_for_a_psp_that_asks_to_be_left_alone_keep_no_payment_from_another_psp() throws Exception {
        var busy = new FakePsp("busy");
        var free = new FakePsp("free");
        busy.otherwise = (psp, charge) -> new Outcome.Failed(FailureCause.RATE_LIMITED, "429", Optional.of(Duration.ofMinutes(5)));
        try (var books = new EngineFixture(Duration.ofHours(1)); var admin = Admin.create(kafka.clientProperties());
             var producer = new ProducerSettings(kafka, "test").newProducer()) {
            String topic = books.topics.requests();
            new TopicPlan(books.topics, 1, Optional.of((short) 1)).create(admin);
            var process =
                    books.process(new SteadyClock(), Duration.ofSeconds(10), Routes.parse("method=pm_free -> free; -> busy"), busy, free);
            IntStream.range(0, MORE_THAN_ONE_POLL).forEach(i -> books.accept("order-" + i));
            String last = books.accept("order-last", "pm_free");
            books.takeWork().stream().sorted((one, other) -> Long.compare(one.offset(), other.offset()))
                    .forEach(record -> producer.send(new ProducerRecord<>(topic, record.key(), record.value())));
            producer.flush();
            try (var loop = new RecordLoop(LoopSettings.of(topic, Set.of(topic), 100).withBuffer(new BufferLimit(100, 4 << 20, 10_000)),
                    new ConsumerSettings(kafka, books.topics.groupOfTier(0), GroupProtocol.CONSUMER), DueTimes.immediately(),
                    process.handler, new SteadyClock(), new SimpleMeterRegistry()).start()) {
                Waiting.until(() -> books.state(last) == OperationState.SUCCEEDED);
            }
            assertThat(books.count("FROM operation_now WHERE counted_attempts > 0")).isZero();
        }
    }
}
