// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.wire.PaymentRecord;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * The pipeline's own rows for a payment that succeeds at once, written with as few statements as will do: no check of the
 * step, no lease that anybody looks at, no retry. What is left is the price of the tables.
 */
final class PipelineRows {

    /** A payment between claim and settling. */
    record Claimed(PaymentRecord request, PspKey key) {
        static Claimed of(PaymentRecord request) {
            return new Claimed(request, PspKey.derive(new PaymentId(request.paymentId()), "charge", "", StubGateway.NAME, 1));
        }

        byte[] bytes() {
            return StubGateway.render(request.amount(), request.currency(), request.paymentMethod(), request.paymentId(), key);
        }
    }

    record Settled(Claimed claimed, String reference) {}

    /** Nothing here repeats what had to wait for a lock, as when many transactions make one table longer. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private PipelineRows() {}

    private static final String CLAIM_OPERATIONS = """
            UPDATE operation_state SET state = 'processing', sequence = 1, psp = 'stub', lease_token = gen_random_uuid(),
                   resolve_at = now() + interval '3 minutes'
             WHERE operation_id = ANY (?) AND state = 'accepted'
            """;

    private static final String INSERT_ATTEMPTS = """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state,
                                         request, request_sha256, sent_at, key_valid_until)
            SELECT psp_key, id, id, 'charge', 1, 1, 'stub', 'in_flight', request, sha256, now(), now() + interval '23 hours'
              FROM unnest(?::text[], ?::text[], ?::bytea[], ?::bytea[]) AS row (psp_key, id, request, sha256)
            ON CONFLICT (psp_key) DO NOTHING
            """;

    static void claim(Connection connection, List<Claimed> batch) throws SQLException {
        Database.waitForLocks(connection, PATIENCE);
        Sql.update(connection, CLAIM_OPERATIONS, Columns.of(batch).with("text", claimed -> claimed.request.operationId()));
        Sql.update(connection, INSERT_ATTEMPTS, Columns.of(batch)
                .with("text", claimed -> claimed.key.value())
                .with("text", claimed -> claimed.request.operationId())
                .with("bytea", Claimed::bytes)
                .with("bytea", claimed -> sha256(claimed.bytes())));
    }

    private static final String SETTLE = """
            WITH row AS (SELECT * FROM unnest(?::text[], ?::text[], ?::text[]) AS row (id, psp_key, reference)
            ), attempt AS (
                UPDATE payment_attempt SET state = 'succeeded', psp_reference = row.reference, decided_at = now(), charged_at_once = true
                  FROM row WHERE payment_attempt.psp_key = row.psp_key
            ), audit AS (
                INSERT INTO audit_record (actor, action, merchant_id, resource_type, resource_id, data)
                SELECT 'charge-consumer', 'succeeded', 'acme', 'operation', id, '{"attempts":1,"step":2,"cause":""}' FROM row
            )
            UPDATE operation_state SET state = 'succeeded', step = step + 1, psp_reference = row.reference, resolve_at = NULL,
                   settled_at = now()
              FROM row WHERE operation_id = row.id
            """;

    static void settle(Connection connection, List<Settled> batch) throws SQLException {
        Database.waitForLocks(connection, PATIENCE);
        Sql.update(connection, SETTLE, Columns.of(batch)
                .with("text", settled -> settled.claimed.request.operationId())
                .with("text", settled -> settled.claimed.key.value())
                .with("text", Settled::reference));
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
