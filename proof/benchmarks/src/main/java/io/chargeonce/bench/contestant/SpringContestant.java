// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.wire.PaymentRecord;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/** Spring Kafka with {@code @RetryableTopic} and JdbcTemplate, in three settings. */
public record SpringContestant(SpringApplication.Setup setup, String about, Class<?> listener) implements Contestant {

    /** Half as many listener threads as partitions. */
    public static final SpringContestant TYPICAL = new SpringContestant(new SpringApplication.Setup("spring", 6, 500, 10),
            "Spring Kafka, @RetryableTopic, JdbcTemplate, 6 threads, one table, two commits a payment", Listener.class);
    /** More threads would have nothing to do. */
    static final SpringContestant TUNED = new SpringContestant(new SpringApplication.Setup("spring-tuned", 12, 500, 16),
            "the same with a thread for each of the 12 partitions", Listener.class);
    public static final SpringContestant ASYNC = new SpringContestant(new SpringApplication.Setup("spring-async", 6, 2_000, 32),
            "the same with a listener that returns futures, on virtual threads, 32 connections", AsyncListener.class);

    @Override
    public String name() {
        return setup.name();
    }

    @Override
    public AutoCloseable start(Arena arena) {
        return SpringApplication.start(arena, setup, listener);
    }

    /** As in the tutorials: a row, the PSP, the row again, the outcome; what throws goes to a retry topic. */
    abstract static class Charging {

        private final Arena arena;
        private final PeerPayments payments;
        private final KafkaTemplate<byte[], byte[]> kafka;

        Charging(Arena arena, PeerPayments payments, KafkaTemplate<byte[], byte[]> kafka) {
            this.arena = arena;
            this.payments = payments;
            this.kafka = kafka;
        }

        void charge(PaymentRecord request) {
            if (payments.begin(request)) {
                String reference = arena.psp().charge(request.paymentId(), request.paymentId());
                payments.settle(request, reference);
                kafka.send(OutcomeEvents.record(arena.outcomes(), request, reference));
            }
        }
    }

    @Component
    static class Listener extends Charging {

        Listener(Arena arena, PeerPayments payments, KafkaTemplate<byte[], byte[]> kafka) {
            super(arena, payments, kafka);
        }

        @RetryableTopic(attempts = "4", backOff = @BackOff(delay = 5_000, multiplier = 12, maxDelay = 600_000), numPartitions = "12",
                concurrency = "1")
        @KafkaListener(topics = "${bench.topic}", groupId = "${bench.group}", concurrency = "${bench.concurrency}")
        void handle(ConsumerRecord<byte[], byte[]> record) {
            charge(OutcomeEvents.request(record.value()));
        }
    }

    /** Returns at once: each record on a virtual thread, acknowledged in any order. */
    @Component
    static class AsyncListener extends Charging implements DisposableBean {

        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

        AsyncListener(Arena arena, PeerPayments payments, KafkaTemplate<byte[], byte[]> kafka) {
            super(arena, payments, kafka);
        }

        @RetryableTopic(attempts = "4", backOff = @BackOff(delay = 5_000, multiplier = 12, maxDelay = 600_000), numPartitions = "12",
                concurrency = "1")
        @KafkaListener(topics = "${bench.topic}", groupId = "${bench.group}", concurrency = "${bench.concurrency}")
        CompletableFuture<Void> handle(ConsumerRecord<byte[], byte[]> record) {
            return CompletableFuture.runAsync(() -> charge(OutcomeEvents.request(record.value())), threads);
        }

        @Override
        public void destroy() {
            threads.close();
        }
    }
}
