// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds payments and refunds by what others call them: the idempotency key, the merchant's reference or customer, the PSP's reference or
 * the key of an attempt. Names with an index are looked up first; only if none fits, every payment is looked at.
 */
public final class PaymentSearch {

    /** The most that are found. */
    public static final int MOST = 20;

    /**
     * @param listed  whether it is or was a dead letter
     * @param matched what of it has the name: {@code payment_id}, {@code idempotency_key}, {@code reference}, {@code customer} or
     *                {@code psp_reference}
     */
    public record Found(String id, String kind, String merchant, Money money, String state, Instant acceptedAt, boolean listed,
            String matched) {}

    private PaymentSearch() {}

    /** The newest first. */
    public static List<Found> find(DeadLetterQueue queue, String name) {
        return queue.database().inTransaction(connection -> {
            List<Found> found = quickly(connection, name);
            return found.isEmpty() ? everywhere(connection, name) : found;
        });
    }

    private static final String MERCHANTS = "SELECT merchant_id FROM merchant";

    private static final String FOUND = """
            SELECT operation_id, kind, merchant_id, amount, currency, state, accepted_at,
                   EXISTS (SELECT FROM dead_letter AS letter WHERE letter.dead_letter_id = found.operation_id),
                   payment_id, idempotency_key, reference, customer
              FROM operation_now AS found WHERE operation_id = ANY (ARRAY(%s)) ORDER BY accepted_at DESC, operation_id LIMIT
            """ + MOST;

    private static final String QUICKLY = FOUND.formatted("""
            SELECT unnest(?::text[])
             UNION SELECT operation_id FROM operation WHERE merchant_id = ANY (?) AND reference = ?
             UNION SELECT operation_id FROM payment_attempt WHERE psp_key = ?
            """);

    private static List<Found> quickly(Connection connection, String name) throws SQLException {
        List<String> merchants = Sql.all(connection, MERCHANTS, row -> row.getString(1));
        return Sql.all(connection, QUICKLY, row -> found(row, name), ids(merchants, name), merchants, name, name);
    }

    /** A name may be an id itself; else a payment's id follows from its merchant and its key. */
    private static List<String> ids(List<String> merchants, String name) {
        try {
            var key = new IdempotencyKey(name);
            return Stream.concat(Stream.of(name), merchants.stream().map(merchant -> PaymentId.derive(merchant, key).value())).toList();
        } catch (IllegalArgumentException noKey) {
            return List.of(name);
        }
    }

    /** A search through millions of payments takes longer than a statement usually may. */
    private static final String PATIENCE = "SET LOCAL statement_timeout = '10min'";

    private static final String EVERYWHERE = FOUND.formatted("""
            SELECT operation_id FROM operation WHERE ? IN (idempotency_key, reference, customer)
             UNION SELECT operation_id FROM payment_attempt WHERE psp_reference = ?
             UNION SELECT operation_id FROM operation_state WHERE psp_reference = ?
            """);

    private static List<Found> everywhere(Connection connection, String name) throws SQLException {
        Sql.call(connection, PATIENCE);
        return Sql.all(connection, EVERYWHERE, row -> found(row, name), name, name, name);
    }

    private static Found found(ResultSet row, String name) throws SQLException {
        return new Found(row.getString(1), row.getString(2), row.getString(3), new Money(row.getLong(4), row.getString(5)),
                row.getString(6), Sql.instant(row, 7), row.getBoolean(8), matched(row, name));
    }

    private static String matched(ResultSet row, String name) throws SQLException {
        if (name.equals(row.getString(1)) || name.equals(row.getString(9))) {
            return "payment_id";
        }
        return name.equals(row.getString(10)) ? "idempotency_key"
                : name.equals(row.getString(11)) ? "reference" : name.equals(row.getString(12)) ? "customer" : "psp_reference";
    }
}
