// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.story.AuditTrail;
import io.chargeonce.dlq.topic.Agreement;
import io.chargeonce.sandbox.TestStack;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What people ask every day does not read what ended long ago. Postgres counts the rows that were read. */
class OldRowsTest {

    private static final int OLD = 20_000;
    private static final Duration A_DAY = Duration.ofDays(1);
    private static String url;

    private record Read(long scans, long rows) {}

    @BeforeAll
    static void fill() throws SQLException {
        url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
        execute("""
                SET search_path = chargeonce; SET session_replication_role = replica;
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                       accepted_at, accepted_xid, charge_within_s)
                SELECT 'pay_' || n, 'pay_' || n, 'charge', 'acme', 'k' || n, 100, 'EUR', 'pm', now() - interval '30 days',
                       (3 + n / 100)::text::xid8, 60
                  FROM generate_series(1, %1$d) AS n;
                INSERT INTO operation_state (operation_id, state, charge_before)
                SELECT operation_id, 'succeeded', accepted_at FROM operation;
                INSERT INTO audit_record (at, actor, action, resource_type, resource_id, data)
                SELECT accepted_at, 'ann', 'dlq.purged', 'dead_letter', operation_id, '{}' FROM operation;
                ANALYZE operation, operation_state, audit_record, dead_letter
                """.formatted(OLD));
    }

    @Test
    void an_audit_reads_the_records_of_its_time() throws SQLException {
        assertThat(read("audit_record_to_%", queue -> AuditTrail.ask(queue,
                new AuditTrail.Criteria(Optional.empty(), Optional.empty(), Optional.empty(), A_DAY)))).isLessThan(OLD / 2);
    }

    @Test
    void a_verification_reads_the_payments_and_records_of_its_time() throws SQLException {
        Consumer<DeadLetterQueue> verify = queue -> Agreement.differences(queue, Optional.of(A_DAY), 10, read -> {});
        assertThat(read("operation", verify)).as("the newest are read to see that they are old").isLessThan(OLD / 2);
        assertThat(read("audit_record_to_%", verify)).isLessThan(OLD / 2);
    }

    private static long read(String tables, Consumer<DeadLetterQueue> what) throws SQLException {
        Read before = counted(tables);
        try (var database = Database.openForCommand(url, "postgres", "")) {
            what.accept(new DeadLetterQueue(database, QueueRows.TOPICS));
        }
        // A session counts when it ends.
        Awaitility.await().until(() -> counted(tables).scans > before.scans);
        return counted(tables).rows - before.rows;
    }

    private static Read counted(String tables) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement();
             var row = statement.executeQuery("SELECT sum(seq_scan + idx_scan), sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables "
                     + "WHERE relname LIKE '" + tables + "'")) {
            row.next();
            return new Read(row.getLong(1), row.getLong(2));
        }
    }

    private static void execute(String sql) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
