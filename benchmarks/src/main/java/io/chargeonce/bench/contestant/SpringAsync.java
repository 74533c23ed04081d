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

/** The same with a listener that returns futures, on virtual threads. */
public final class SpringAsync implements Contestant {

    private static final SpringApplication.Setup SETUP = new SpringApplication.Setup("spring-async", 6, 2_000, 32);

    @Override
    public String name() {
        return SETUP.name();
    }

    @Override
    public String about() {
        return "the same with a listener that returns futures, on virtual threads, 32 connections";
    }

    @Override
    public AutoCloseable start(Arena arena) {
        return SpringApplication.start(arena, SETUP, SpringAsyncListener.class);
    }

    /** The same, returning at once: each record on a virtual thread, acknowledged in any order. */
    @Component
    private static class SpringAsyncListener implements DisposableBean {

        private final Arena arena;
        private final PeerPayments payments;
        private final KafkaTemplate<byte[], byte[]> kafka;
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

        SpringAsyncListener(Arena arena, PeerPayments payments, KafkaTemplate<byte[], byte[]> kafka) {
            this.arena = arena;
            this.payments = payments;
            this.kafka = kafka;
        }

        @RetryableTopic(attempts = "4", backOff = @BackOff(delay = 5_000, multiplier = 12, maxDelay = 600_000), numPartitions = "12",
                concurrency = "1")
        @KafkaListener(topics = "${bench.topic}", groupId = "${bench.group}", concurrency = "${bench.concurrency}")
        CompletableFuture<Void> handle(ConsumerRecord<byte[], byte[]> record) {
            return CompletableFuture.runAsync(() -> charge(OutcomeEvents.request(record.value())), threads);
        }

        private void charge(PaymentRecord request) {
            if (payments.begin(request)) {
                String reference = arena.psp().charge(request.paymentId(), request.paymentId());
                payments.settle(request, reference);
                kafka.send(OutcomeEvents.record(arena.outcomes(), request, reference));
            }
        }

        @Override
        public void destroy() {
            threads.close();
        }
    }
}
