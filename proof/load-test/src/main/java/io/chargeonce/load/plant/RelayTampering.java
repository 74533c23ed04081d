// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The code of bugs between the outbox and Kafka. Called from methods they were written into, on any thread. */
public final class RelayTampering {

    private static Optional<Producer<byte[], byte[]>> producer = Optional.empty();

    private RelayTampering() {}

    static synchronized void forget() {
        producer = Optional.empty();
    }

    public static boolean sentPastTheOutbox(OutboxRow row) {
        boolean outcome = row.topic().endsWith(".outcomes");
        if (outcome) {
            sendSoon(row);
        }
        return outcome;
    }

    public static void sentPastTheOutbox(List<OutboxRow> staged) {
        List.copyOf(staged).forEach(RelayTampering::sendSoon);
        staged.clear();
    }

    /** A moment later, as a service does that sends after its commit: a process that dies in between has sent nothing. */
    private static void sendSoon(OutboxRow row) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                Thread.sleep(Duration.ofMillis(100));
                var record = new ProducerRecord<>(row.topic(), row.key().getBytes(StandardCharsets.UTF_8), row.value().orElse(null));
                row.headers().forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
                producer().send(record);
                producer().flush();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static synchronized Producer<byte[], byte[]> producer() {
        if (producer.isEmpty()) {
            String servers = Optional.ofNullable(System.getenv("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS")).orElse("a model");
            producer = Optional.of(new ProducerSettings(KafkaConnection.of(servers, Optional.empty()), "past-the-outbox").newProducer());
        }
        return producer.get();
    }
}
