// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.finding.Invariant;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A check takes time as there are rows, and not as their square: by a scan for each delivery it would take hours here. */
@Tag("proof")
class ManyPaymentsTest {

    private static final String MANY = """
            INSERT INTO merchant (merchant_id) VALUES ('acme');
            INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events, created_at)
            VALUES ('whe_000000000000000000000001', 'acme', 'https://hooks.example/', '{*}', now() - interval '1 day');
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                   accepted_at, charge_within_s)
            SELECT 'pay_' || n, 'pay_' || n, 'charge', 'acme', n::text, 1299, 'EUR', 'pm_card_visa', now(), 86400
              FROM generate_series(1, 300000) AS n;
            INSERT INTO operation_state (operation_id, state, step, sequence, psp, psp_reference, charge_before, settled_at)
            SELECT 'pay_' || n, 'succeeded', 2, 1, 'stripe', 'pi_' || n, now() + interval '1 day', now() - interval '1 hour'
              FROM generate_series(1, 300000) AS n;
            INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, payment_id, body, state, ended_at)
            SELECT 'msg_' || n, 'whe_000000000000000000000001', 'payment.succeeded', 'pay_' || n, '{"data":{"id":"pay_' || n
                   || '","kind":"charge","status":"succeeded","amount":1299,"currency":"EUR"}}', 'delivered', now()
              FROM generate_series(2, 340000) AS n;
            ANALYZE
            """;

    private final World world = new World();

    @AfterEach
    void close() throws SQLException {
        world.close();
    }

    /** The last 40,000 deliveries are about payments that the books have forgotten, and the first payment has none. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void books_of_300_000_payments_and_their_webhooks_are_compared_row_by_row() {
        world.sql(MANY);
        CheckVerdict verdict = world.check();
        assertThat(verdict.count("accepted")).isEqualTo(300_000);
        assertThat(verdict.found()).containsEntry(Invariant.WEBHOOKS_AGREE, 1L);
    }
}
