// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.endpoints.Caller;
import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.notifications.receipt.ReceiptBook;
import io.chargeonce.sandbox.TestStack;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The newest messages are read by an index and not sorted out of all, of which there are a month's or more. */
class NewestFirstTest {

    private static final int ALL = 20_000;
    private static String url;

    @BeforeAll
    static void fill() throws SQLException {
        url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            statement.execute("""
                    SET search_path = chargeonce; SET session_replication_role = replica;
                    INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events)
                    VALUES ('whe_%1$s', 'acme', 'https://a.example', '{*}');
                    INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, payment_id, body, state, created_at, ended_at)
                    SELECT 'msg_' || n, 'whe_%1$s', 'payment.succeeded', 'pay_' || n, '{}', 'delivered', now() - n * interval '1 minute',
                           now()
                      FROM generate_series(1, %2$d) AS n;
                    INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind, state, created_at, ended_at)
                    SELECT 'rcp_' || md5(n::text), 'pay_' || n, 'pay_' || n, 'acme', 'charge',
                           CASE n %% 1000 WHEN 0 THEN 'dead' ELSE 'sent' END, now() - n * interval '1 minute', now()
                      FROM generate_series(1, %2$d) AS n;
                    ANALYZE webhook_delivery, receipt
                    """.formatted("0".repeat(24), ALL));
        }
    }

    @Test
    void receipts_are_read_by_their_index() throws SQLException {
        Optional<String> any = Optional.empty();
        assertThat(readBy("receipt_newest", database -> new ReceiptBook(database, "t")
                .list(new ReceiptBook.Filter(any, any, any, any), 2).getLast().payment())).isEqualTo("pay_2");
        assertThat(readBy("receipt_dead", database -> new ReceiptBook(database, "t")
                .list(new ReceiptBook.Filter(any, Optional.of("dead"), any, any), 2).getLast().payment())).isEqualTo("pay_2000");
    }

    @Test
    void deliveries_of_all_endpoints_are_read_by_the_index_of_each() throws SQLException {
        Optional<String> any = Optional.empty();
        assertThat(readBy("webhook_delivery_of_endpoint", database -> new DeliveryBook(database, new Caller.Person("t"))
                .list(new DeliveryBook.Filter(any, any, any, any, Optional.empty()), 2).getLast().webhook())).isEqualTo("msg_2");
    }

    /** Postgres counts what a session has read when that has ended. */
    private static String readBy(String index, Function<Database, String> list) throws SQLException {
        long before = scans(index);
        String read;
        try (var database = Database.openForCommand(url, "postgres", "")) {
            read = list.apply(database);
        }
        Awaitility.await(index).until(() -> scans(index) > before);
        return read;
    }

    private static long scans(String index) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement();
             var row = statement.executeQuery("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = '" + index + "'")) {
            row.next();
            return row.getLong(1);
        }
    }
}
