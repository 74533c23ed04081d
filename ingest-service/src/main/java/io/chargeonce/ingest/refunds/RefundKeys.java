// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.refunds;

import io.chargeonce.database.Sql;
import io.chargeonce.ingest.accept.RequestFingerprint;
import io.chargeonce.ingest.reading.RefundJson;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.IdempotencyKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The idempotency keys of refunds. A merchant has one namespace of keys over all endpoints. No answer is stored with them: a repeat
 * gets the refund as it stands now.
 */
final class RefundKeys {

    private RefundKeys() {}

    private static final String FIND = """
            SELECT fingerprint_version, request_path, request_params, fingerprint
              FROM keys_taken(ARRAY[?], ARRAY[?])
            """;

    /** The refund or payment that has the key already. */
    static Optional<RequestFingerprint.Stored> find(Connection connection, String merchant, IdempotencyKey key) throws SQLException {
        return Sql.first(connection, FIND,
                row -> new RequestFingerprint.Stored(row.getInt(1), row.getString(2), row.getString(3), row.getBytes(4)), merchant,
                key.value());
    }

    private static final String INSERT = """
            INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version,
                   request_path, request_params, resource_id)
            VALUES (?, ?, ?, %d, ?, ?::json, ?)
            ON CONFLICT (merchant_id, idempotency_key) DO NOTHING
            """.formatted(RequestFingerprint.VERSION);

    /** @return false if another request has taken it */
    static boolean insert(Connection connection, Refunds.RefundRequest ask, IdempotencyKey key, RequestFingerprint command)
            throws SQLException {
        return Sql.update(connection, INSERT, ask.merchant(), key.value(), command.fingerprint(), RefundJson.path(ask.payment()),
                command.canonical(), ask.entityKey()) == 1;
    }
}
