// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.ingest;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The rows that accepting a payment writes, as the ingest service has them, for contestants that write them in another way. */
final class IngestRows {

    private static final String COMMAND = """
            {"amount":1299,"currency":"EUR","customer":"cus_%1$s","payment_method":"pm_card_visa","reference":"order-%1$s"}""";

    /** One payment's values. */
    record Payment(String id, String key, String command, byte[] record, String headers) {

        static Payment of(String key) {
            String id = PaymentId.derive("acme", new IdempotencyKey(key)).value();
            var request = new PaymentRequest(new Money(1299, "EUR"), "pm_card_visa", Optional.of("cus_" + key), Optional.of("order-" + key),
                    Optional.empty(), Optional.empty());
            var headers = PaymentHeaders.event(PaymentRecord.TYPE, PaymentRecord.VERSION, id + "/1", Instant.now())
                    .journey(1, 1, 0, Instant.now()).toMap();
            String command = COMMAND.formatted(key);
            return new Payment(id, key, command, PaymentJson.write(PaymentRecord.of(id, 1, "acme", key, request)),
                    new String(PaymentJson.write(headers)));
        }

        String answer() {
            return "{\"id\":\"" + id + "\",\"status\":\"accepted\"," + command.substring(1);
        }
    }

    private IngestRows() {}

    private static final String INSERT = """
            WITH row AS (
                SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::bytea[], ?::text[], ?::text[])
                    AS row (id, key, command, record, headers, topic)
            ), taken AS (
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version,
                       request_path, request_params, resource_id)
                SELECT 'acme', key, sha256(command::bytea), 1, '/v1/payments', command::json, id
                  FROM row
                ON CONFLICT (merchant_id, idempotency_key) DO NOTHING
                RETURNING resource_id
            ), charge AS (
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency,
                       payment_method, customer, reference, charge_within_s)
                SELECT id, id, 'charge', 'acme', key, 1299, 'EUR', 'pm_card_visa', 'cus_' || key, 'order-' || key, 86400
                  FROM row JOIN taken ON resource_id = id
            ), audit AS (
                INSERT INTO audit_record (merchant_id, actor, action, resource_type, resource_id, data, origin)
                SELECT 'acme', 'merchant:acme', 'payment.accepted', 'payment', id, command::json, '127.0.0.1'
                  FROM row JOIN taken ON resource_id = id
            )
            INSERT INTO outbox (shard, topic, record_key, value, headers)
            SELECT abs(hashtext(id)) % 8, topic, id, record, headers::json FROM row JOIN taken ON resource_id = id
            """;

    /** Returns how many were new. */
    static int insert(Connection connection, String topic, List<Payment> payments) throws SQLException {
        return Sql.update(connection, INSERT, Columns.of(payments)
                .with("text", Payment::id)
                .with("text", Payment::key)
                .with("text", Payment::command)
                .with("bytea", Payment::record)
                .with("text", Payment::headers)
                .with("text", payment -> topic));
    }
}
