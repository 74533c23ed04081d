// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.ingest;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The rows that accepting a payment writes, as the ingest service has them, for contestants that write them in another way. */
final class IngestRows {

    private static final String COMMAND = """
            {"amount":1299,"currency":"EUR","customer":"cus_%1$s","payment_method":"pm_card_visa","reference":"order-%1$s"}""";

    /** One payment's values. */
    record Payment(String id, String key, String command) {

        static Payment of(String key) {
            return new Payment(PaymentId.derive("acme", new IdempotencyKey(key)).value(), key, COMMAND.formatted(key));
        }

        String answer() {
            return "{\"id\":\"" + id + "\",\"status\":\"accepted\"," + command.substring(1);
        }
    }

    private IngestRows() {}

    private static final String INSERT = """
            WITH row AS (
                SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[]) AS row (id, key, command, topic)
            ), taken AS (
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version,
                       request_path, resource_id)
                SELECT 'acme', key, sha256(command::bytea), 1, '/v1/payments', id
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
            INSERT INTO outbox (shard, topic, record_key)
            SELECT abs(hashtext(id)) % 8, topic, id FROM row JOIN taken ON resource_id = id
            """;

    /** Returns how many were new. */
    static int insert(Connection connection, String topic, List<Payment> payments) throws SQLException {
        return Sql.update(connection, INSERT, Columns.of(payments)
                .with("text", Payment::id)
                .with("text", Payment::key)
                .with("text", Payment::command)
                .with("text", payment -> topic));
    }
}
