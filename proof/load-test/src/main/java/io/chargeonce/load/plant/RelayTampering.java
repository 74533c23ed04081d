// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import io.chargeonce.database.OutboxRow;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The code of bugs between the outbox and Kafka. Called from methods they were written into, on any thread. */
public final class RelayTampering {

    private static final Map<Object, Long> LAST_IDS = Collections.synchronizedMap(new WeakHashMap<>());
    private static Optional<Producer<byte[], byte[]>> producer = Optional.empty();

    private RelayTampering() {}

    static synchronized void forget() {
        producer = Optional.empty();
    }

    public static List<?> afterTheLastId(Object frontier, List<?> rows) {
        List<?> later = rows.stream().filter(row -> id(row) > LAST_IDS.getOrDefault(frontier, 0L)).toList();
        later.forEach(row -> LAST_IDS.merge(frontier, id(row), Math::max));
        return later;
    }

    private static long id(Object row) {
        try {
            Method id = row.getClass().getDeclaredMethod("id");
            id.setAccessible(true);
            return (Long) id.invoke(row);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Bug! The planted one does not fit the code any more", e);
        }
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
