// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Migrations;
import io.chargeonce.sandbox.TestStack;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code deploy/reconcile.sql} finds each way in which a PSP's list of captures and refunds and our rows can differ. */
class ReconcileTest {

    @Test
    void each_difference_between_what_moved_there_and_our_rows_has_a_name() throws Exception {
        String url = TestStack.newDatabase();
        Migrations.apply(url, "postgres", "");
        try (Connection connection = DriverManager.getConnection(url, "postgres", ""); Statement statement = connection.createStatement()) {
            for (String row : List.of("fine succeeded stripe", "twice succeeded stripe", "dead dead stripe", "elsewhere succeeded adyen",
                    "cheaper succeeded stripe", "missing succeeded stripe", "others succeeded adyen", "declined declined stripe")) {
                insert(statement, (row + " 1299 EUR").split(" "));
            }
            insert(statement, "krona succeeded stripe 500 ISK".split(" "));
            attempt(statement, "by-key-key", "fine");
            for (String row : List.of("back", "back-by-key", "back-missing", "back-declined")) {
                giveBack(statement, row);
            }
            attempt(statement, "key-of-refund", "back-by-key");
            assertThat(findings(statement)).containsExactly("captured 2 times 1 1299 EUR twice",
                    "captured there, and at adyen 1 1299 EUR elsewhere",
                    "captured there, dead here 1 1299 EUR dead", "captured there, not known here 2 2598 EUR lost-1 lost-2",
                    "captured: agrees 1 1299 EUR ", "captured: agrees 1 500 ISK ", "captured: another amount there 1 1200 EUR cheaper",
                    "refunded there, declined here 1 100 EUR back-declined", "refunded there, not known here 1 100 EUR back-lost",
                    "refunded: agrees 2 200 EUR ",
                    "succeeded here, not captured there 1 1299 EUR missing", "succeeded here, not refunded there 1 100 EUR back-missing");
        }
    }

    private static void insert(Statement statement, String[] row) throws SQLException {
        statement.execute("""
                INSERT INTO chargeonce.operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, \
                payment_method,
                                                  charge_within_s)
                VALUES ('%1$s', '%1$s', 'charge', 'acme', '%1$s', %4$s, '%5$s', 'pm_card_visa', 0);
                UPDATE chargeonce.operation_state SET state = '%2$s', step = 2, psp = '%3$s', settled_at = now() WHERE operation_id = '%1$s'
                """.formatted((Object[]) row));
    }

    /** Of a euro, for the payment "fine". */
    private static void giveBack(Statement statement, String id) throws SQLException {
        statement.execute("""
                INSERT INTO chargeonce.operation (operation_id, payment_id, kind, merchant_id, operation_ref, idempotency_key, amount,
                                                  currency, payment_method, charge_within_s)
                VALUES ('%1$s', 'fine', 'refund', 'acme', '%1$s', '%1$s', 100, 'EUR', 'pm_card_visa', 0);
                UPDATE chargeonce.operation_state SET state = '%2$s', step = 2, psp = 'stripe', settled_at = now()
                 WHERE operation_id = '%1$s'
                """.formatted(id, id.equals("back-declined") ? "declined" : "succeeded"));
    }

    private static void attempt(Statement statement, String key, String operation) throws SQLException {
        statement.execute("""
                INSERT INTO chargeonce.payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state,
                                                        request, request_sha256, sent_at, key_valid_until)
                SELECT '%s', operation_id, payment_id, kind, 1, 1, 'stripe', 'succeeded', '', sha256(''), now(), now()
                  FROM chargeonce.operation WHERE operation_id = '%s'
                """.formatted(key, operation));
    }

    /** As psql would run it, but for where the movements come from. */
    private static List<String> findings(Statement statement) throws IOException, SQLException {
        String[] parts = Files.readString(Repository.root().resolve("deploy/reconcile.sql")).split("(?m)^\\\\.*$");
        assertThat(parts).hasSize(3);
        statement.execute(parts[1]);
        statement.execute("""
                INSERT INTO moved
                SELECT 'capture', id, CASE id WHEN 'cheaper' THEN 12.00 ELSE 12.99 END, 'eur'
                  FROM unnest(ARRAY['by-key-key', 'twice', 'twice', 'dead', 'elsewhere', 'cheaper', 'lost-1', 'lost-2']) AS id
                 UNION ALL SELECT 'capture', 'krona', 500, 'isk'
                 UNION ALL
                SELECT 'refund', id, 1, 'eur' FROM unnest(ARRAY['back', 'key-of-refund', 'back-declined', 'back-lost']) AS id
                """);
        var findings = new ArrayList<String>();
        try (var result = statement.executeQuery(parts[2].replace(":'psp'", "'stripe'").replace(":'since'", "'2020-01-01'"))) {
            while (result.next()) {
                findings.add("%s %d %d %s %s".formatted(result.getString(1), result.getLong(2), result.getLong(3), result.getString(4),
                        result.getString(5)));
            }
        }
        return findings;
    }
}
