// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.wire.PaymentRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/** The listener of the tutorials: a row, the PSP, the row again, the outcome; what throws goes to a retry topic. */
@Component
class SpringListener {

    private final Arena arena;
    private final PeerPayments payments;
    private final KafkaTemplate<byte[], byte[]> kafka;

    SpringListener(Arena arena, PeerPayments payments, KafkaTemplate<byte[], byte[]> kafka) {
        this.arena = arena;
        this.payments = payments;
        this.kafka = kafka;
    }

    @RetryableTopic(attempts = "4", backOff = @BackOff(delay = 5_000, multiplier = 12, maxDelay = 600_000), numPartitions = "12",
            concurrency = "1")
    @KafkaListener(topics = "${bench.topic}", groupId = "${bench.group}", concurrency = "${bench.concurrency}")
    void handle(ConsumerRecord<byte[], byte[]> record) {
        PaymentRecord request = OutcomeEvents.request(record.value());
        if (payments.begin(request)) {
            String reference = arena.psp().charge(request.paymentId(), request.paymentId());
            payments.settle(request, reference);
            kafka.send(OutcomeEvents.record(arena.outcomes(), request, reference));
        }
    }
}
