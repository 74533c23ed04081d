// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.chargeonce.wire.PaymentRecord;
import org.springframework.jdbc.core.JdbcTemplate;

/** The one table that a service of this kind usually has, in the usual way: a statement and a commit a row. Any thread. */
final class PeerPayments implements AutoCloseable {

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS peer_payment (
                payment_id      text PRIMARY KEY,
                merchant        text NOT NULL,
                idempotency_key text NOT NULL,
                amount          bigint NOT NULL,
                currency        text NOT NULL,
                payment_method  text NOT NULL,
                customer        text,
                reference       text,
                status          text NOT NULL,
                psp_reference   text,
                created_at      timestamptz NOT NULL DEFAULT now(),
                updated_at      timestamptz NOT NULL DEFAULT now()
            ) WITH (fillfactor = 50)
            """;

    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;

    PeerPayments(Arena arena, int connections) {
        var config = new HikariConfig();
        config.setJdbcUrl(arena.plot().jdbcUrl());
        config.setMaximumPoolSize(connections);
        this.pool = new HikariDataSource(config);
        this.jdbc = new JdbcTemplate(pool);
        jdbc.execute(CREATE);
    }

    private static final String BEGIN = """
            INSERT INTO peer_payment (payment_id, merchant, idempotency_key, amount, currency, payment_method, customer, reference, status)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'processing')
            ON CONFLICT (payment_id) DO NOTHING
            """;
    private static final String STATUS = "SELECT status FROM peer_payment WHERE payment_id = ?";

    /** False if the payment had been settled before: the record is a repeat. */
    boolean begin(PaymentRecord request) {
        int fresh = jdbc.update(BEGIN, request.paymentId(), request.merchant(), request.idempotencyKey(), request.amount(),
                request.currency(), request.paymentMethod(), request.customer().orElse(null), request.reference().orElse(null));
        return fresh == 1 || !"succeeded".equals(jdbc.queryForObject(STATUS, String.class, request.paymentId()));
    }

    private static final String SETTLE =
            "UPDATE peer_payment SET status = 'succeeded', psp_reference = ?, updated_at = now() WHERE payment_id = ?";

    void settle(PaymentRecord request, String reference) {
        jdbc.update(SETTLE, reference, request.paymentId());
    }

    @Override
    public void close() {
        pool.close();
    }
}
