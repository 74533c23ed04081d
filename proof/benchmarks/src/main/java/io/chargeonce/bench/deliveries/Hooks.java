// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.deliveries;

import io.chargeonce.bench.measure.Ground;
import java.sql.SQLException;

/** Merchants with one endpoint each, and payments of theirs that have succeeded, as the service that charges leaves them. */
final class Hooks {

    private static final String MERCHANTS = """
            INSERT INTO merchant (merchant_id) SELECT 'shop-' || n FROM generate_series(0, %d - 1) AS n
            """;
    private static final String ENDPOINTS = """
            INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events, created_at)
            SELECT 'whe_' || lpad(n::text, 24, '0'), 'shop-' || n, 'http://localhost:%d/' || n, '{*}', now() - interval '1 day'
              FROM generate_series(0, %d - 1) AS n
            """;
    /** Unsealed, as in a trial. */
    private static final String SECRETS = """
            INSERT INTO webhook_secret (endpoint_id, sealed_secret)
            SELECT endpoint_id, '\\x00'::bytea || convert_to('whsec_' || encode(sha256(endpoint_id::bytea), 'base64'), 'UTF8')
              FROM webhook_endpoint
            """;
    private static final String OPERATIONS = """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                   charge_within_s)
            SELECT id, id, 'charge', 'shop-' || n %% %d, 'order-' || n, 1299, 'EUR', 'pm_card_visa', 72000
              FROM (SELECT n, 'pay_' || lpad(n::text, 26, '0') AS id FROM generate_series(0, %d - 1) AS n) AS sold
            """;
    private static final String STATES = """
            INSERT INTO operation_state (operation_id, state, step, sequence, psp, psp_reference, charge_before, settled_at)
            SELECT operation_id, 'succeeded', 2, 1, 'stripe', 'pi_' || operation_id, now() + interval '1 day', now() FROM operation
            """;

    private Hooks() {}

    /** Payment n is of merchant n modulo the number of merchants, whose endpoint has that number as its path. */
    static void prepare(Ground.Plot plot, int merchants, int port, int payments) throws SQLException {
        try (var connection = plot.connect(); var statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = off; SET session_replication_role = replica");
            statement.execute(MERCHANTS.formatted(merchants));
            statement.execute(ENDPOINTS.formatted(port, merchants));
            statement.execute(SECRETS);
            statement.execute(OPERATIONS.formatted(merchants, payments));
            statement.execute(STATES);
        }
        plot.settle();
    }

    static String payment(int number) {
        return "pay_" + "%026d".formatted(number);
    }
}
