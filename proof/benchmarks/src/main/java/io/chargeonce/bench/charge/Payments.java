// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.database.Sql;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The payments of one run: accepted in the database as the ingest service leaves them, and published. Immutable. */
final class Payments {

    static final String MERCHANT = "acme";
    private static final Money PRICE = new Money(1299, "EUR");
    private static final String CARD = "pm_card_visa";
    private static final int ROWS_PER_STATEMENT = 5_000;

    private final List<String> ids = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();

    Payments(int count) {
        for (int i = 0; i < count; i++) {
            String id = PaymentId.derive(MERCHANT, new IdempotencyKey(key(i))).value();
            numbers.put(id, ids.size());
            ids.add(id);
        }
    }

    int count() {
        return ids.size();
    }

    List<String> ids() {
        return ids;
    }

    /** Which of them it is, from 0; empty if it is none. */
    Optional<Integer> number(String id) {
        return Optional.ofNullable(numbers.get(id));
    }

    static String key(int number) {
        return "checkout-2026-%09d".formatted(number);
    }

    static int numberOf(String key) {
        return Integer.parseInt(key.substring(key.lastIndexOf('-') + 1));
    }

    private static final String ACCEPT = """
            WITH row AS (SELECT * FROM unnest(?::text[], ?::text[]) AS row (id, key)
            ), taken AS (
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version,
                       request_path, resource_id)
                SELECT ?, key, sha256(key::bytea), 1, '/v1/payments', id FROM row
            )
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency,
                                   payment_method, customer, reference, charge_within_s)
            SELECT id, id, 'charge', ?, key, ?, ?, ?, 'cus_' || key, 'order-' || key, 86400 FROM row
            """;

    void accept(Ground.Plot plot) throws SQLException {
        try (var connection = plot.connect()) {
            for (int from = 0; from < ids.size(); from += ROWS_PER_STATEMENT) {
                int to = Math.min(ids.size(), from + ROWS_PER_STATEMENT);
                var keys = new ArrayList<String>();
                for (int i = from; i < to; i++) {
                    keys.add(key(i));
                }
                Sql.update(connection, ACCEPT, ids.subList(from, to), keys, MERCHANT, MERCHANT, PRICE.minorUnits(), PRICE.currency(), CARD);
            }
        }
    }

    static Producer<byte[], byte[]> newProducer(Ground.Plot plot) {
        return new ProducerSettings(new KafkaConnection(plot.kafka(), Map.of("linger.ms", "5")), "bench-load").newProducer();
    }

    /** All at once: the backlog that a contestant finds. */
    void publish(Ground.Plot plot) {
        try (var producer = newProducer(plot)) {
            for (int i = 0; i < ids.size(); i++) {
                producer.send(record(plot.topics().requests(), i));
            }
            producer.flush();
        }
    }

    /** The record as the ingest service stages it; about 330 bytes. */
    ProducerRecord<byte[], byte[]> record(String topic, int number) {
        String id = ids.get(number);
        var request = new PaymentRequest(PRICE, CARD, Optional.of("cus_" + key(number)), Optional.of("order-" + key(number)),
                Optional.empty(), Optional.empty());
        var value = PaymentJson.write(PaymentRecord.of(id, 1, MERCHANT, key(number), request));
        var record = new ProducerRecord<>(topic, id.getBytes(StandardCharsets.US_ASCII), value);
        Instant now = Instant.now();
        PaymentHeaders.event(PaymentRecord.TYPE, PaymentRecord.VERSION, id + "/1", now).journey(1, 1, 0, now)
                .from(PipelineSettings.EVENT_SOURCE.fallback()).toMap()
                .forEach((name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
        return record;
    }
}
