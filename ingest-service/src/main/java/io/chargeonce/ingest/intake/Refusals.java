// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.intake;

import io.chargeonce.database.Database;
import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.http.Answer;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.databind.util.RawValue;

/**
 * Tells producers on a topic which of their records were refused and why. It gives the record's place and never its content, which may be
 * a card number. A record that is read twice is refused twice under one event id. Any thread.
 */
final class Refusals {

    private static final String TYPE = "payment.refused";
    private static final int VERSION = 1;

    private final Database database;
    private final String topic;
    private final Runnable staged;
    private final InstantSource clock;

    /** @param staged called after each commit, so that a relay in this process publishes at once */
    Refusals(Database database, String topic, Runnable staged, InstantSource clock) {
        this.database = database;
        this.topic = topic;
        this.staged = staged;
        this.clock = clock;
    }

    void stage(ConsumerRecord<byte[], byte[]> record, Answer refusal) {
        // With the record's time: a topic that is deleted and made again has other records at the same offsets.
        String id = "%s-%d-%d-%d".formatted(record.topic(), record.partition(), record.offset(), record.timestamp());
        var value = new LinkedHashMap<String, Object>();
        value.put("type", TYPE);
        value.put("version", VERSION);
        value.put("merchant", IntakeTopics.merchantOf(record.topic()));
        key(record).ifPresent(key -> value.put("idempotency_key", key));
        value.put("source", Map.of("topic", record.topic(), "partition", record.partition(), "offset", record.offset()));
        value.put("problem", new RawValue(new String(refusal.body(), StandardCharsets.UTF_8)));
        var row = new OutboxRow(topic, key(record).orElse(id), Optional.of(PaymentJson.write(value)),
                PaymentHeaders.event(TYPE, VERSION, id, clock.instant()).toMap());
        database.inTransaction(connection -> {
            Outbox.stage(connection, List.of(row));
            return row;
        });
        staged.run();
    }

    /** Only a valid key that is not a card number. Other bytes are not shown. */
    private static Optional<String> key(ConsumerRecord<byte[], byte[]> record) {
        return Optional.ofNullable(record.key()).map(key -> new String(key, StandardCharsets.UTF_8))
                .flatMap(IdempotencyKey::parse).map(IdempotencyKey::value).filter(key -> !CardNumbers.isIn(key));
    }
}
