// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.bench.measure.Ground;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.retrytopic.RetryTopicHeaders;
import org.springframework.stereotype.Component;

/** Spring Kafka's retry topic on its own: each record fails once, and comes back when it may. */
public final class SpringTier {

    /** As long as ours waits. */
    public static final Duration DELAY = Duration.ofSeconds(3);
    private static final SpringApplication.Setup SETUP = new SpringApplication.Setup("spring-tier", 6, 500, 1);

    /** Told how long after its due time each record came back; negative if before it. From several threads at once. */
    public interface Lateness {
        void add(Duration late);
    }

    private SpringTier() {}

    /** Takes what comes to the plot's main topic, until closed. */
    public static AutoCloseable start(Ground.Plot plot, Lateness lateness) {
        return SpringApplication.start(new Arena(plot, new StubPsp(Duration.ZERO, 0)), SETUP, Listener.class, lateness);
    }

    @Component
    static class Listener {

        private final Lateness lateness;

        Listener(Lateness lateness) {
            this.lateness = lateness;
        }

        @RetryableTopic(attempts = "2", backOff = @BackOff(delay = 3_000), numPartitions = "12", concurrency = "6")
        @KafkaListener(topics = "${bench.topic}", groupId = "${bench.group}", concurrency = "${bench.concurrency}")
        void handle(ConsumerRecord<byte[], byte[]> record) {
            var due = record.headers().lastHeader(RetryTopicHeaders.DEFAULT_HEADER_BACKOFF_TIMESTAMP);
            if (due == null) {
                throw new IllegalStateException("every first delivery fails");
            }
            lateness.add(Duration.between(Instant.ofEpochMilli(new BigInteger(due.value()).longValue()), Instant.now()));
        }
    }
}
