// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.years;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.database.Sql;
import java.sql.SQLException;

/**
 * Payments that were settled long ago, written in bulk as the services leave their rows. Nearly all succeeded at once. One in ten has a
 * webhook's observation, one in fifty was a dead letter once and then merged or purged in a run. Those of the last twenty days have a
 * receipt and a webhook.
 */
final class Past {

    /** Payments of one transaction of the services under load: they share its number. */
    private static final int TOGETHER = 500;
    private static final int AT_ONCE = 200_000;

    private static final String PAYMENTS = """
            CREATE TEMP TABLE past AS
            SELECT n, 'pay_' || left(translate(md5('past' || n), '0189', 'ghij'), 26) AS id,
                   left(translate(md5('past-key' || n), '0189', 'ghij'), 26) AS psp_key, 'merchant-' || n % 7 AS merchant,
                   100 + n % 5000 AS amount, (ARRAY['EUR', 'USD', 'JPY'])[1 + n % 3] AS currency,
                   now() - (:oldest - (:oldest - :newest) * (n - :from) / :count::float8) * interval '1 day' AS at,
                   (:number + (n - :from) / :together)::text::xid8 AS xid,
                   CASE WHEN n % 500 = 0 THEN 'purged' WHEN n % 50 = 0 THEN 'merged' END AS letter,
                   'run_' || lpad(to_hex(n / 50000), 10, '0') AS run
              FROM generate_series(:first, :last) AS n
            """;

    private static final String KEYS = """
            INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path, resource_id,
                                         created_at)
            SELECT merchant, 'order-' || n, sha256(id::bytea), 1, '/v1/payments', id, at FROM past
            """;

    private static final String OPERATIONS = """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, customer,
                                   reference, accepted_at, accepted_xid, charge_within_s)
            SELECT id, id, 'charge', merchant, 'order-' || n, amount, currency, 'pm_card_visa', 'cus_' || n, 'order-' || n, at, xid, 86400
              FROM past
            """;

    private static final String STATES = """
            INSERT INTO operation_state (operation_id, state, step, generation, sequence, psp, psp_reference, charge_before, not_before,
                                         staged_at, settled_at, listed)
            SELECT id, CASE letter WHEN 'purged' THEN 'purged' ELSE 'succeeded' END, 2, CASE letter WHEN 'merged' THEN 2 ELSE 1 END, 1,
                   'stub', CASE WHEN letter IS DISTINCT FROM 'purged' THEN 'ref_' || psp_key END, at + interval '1 day', at, at,
                   at + interval '1 second', letter IS NOT NULL
              FROM past
            """;

    private static final String ATTEMPTS = """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, failed_definite,
                                         request, request_sha256, sent_at, claimed_xid, key_valid_until, psp_reference, decided_at,
                                         charged_at_once)
            SELECT psp_key, id, id, 'charge', 1, 1, 'stub', CASE letter WHEN 'purged' THEN 'failed_definite' ELSE 'succeeded' END,
                   letter IS NOT DISTINCT FROM 'purged',
                   convert_to('amount=' || amount || '&currency=' || currency || '&payment_method=pm_card_visa&confirm=true'
                              '&off_session=true&error_on_requires_action=true&metadata[payment_id]=' || id ||
                              '&metadata[psp_key]=' || psp_key, 'UTF8'),
                   sha256(id::bytea), at, xid, at + interval '23 hours',
                   CASE WHEN letter IS DISTINCT FROM 'purged' THEN 'ref_' || psp_key END, at + interval '1 second', letter IS NULL
              FROM past
            """;

    private static final String OBSERVATIONS = """
            INSERT INTO psp_observation (psp_key, observed_at, source, outcome, psp_reference)
            SELECT psp_key, at + interval '2 seconds', 'webhook', 'charged', 'ref_' || psp_key FROM past WHERE n % 10 = 1
            """;

    private static final String RECORDS = """
            INSERT INTO audit_record (at, session_role, merchant_id, actor, action, resource_type, resource_id, data)
            SELECT at + after * interval '1 second', role, merchant, actor, action, type, id, data::json
              FROM past CROSS JOIN LATERAL (VALUES
                   (0, 'chargeonce_ingest', 'merchant:' || merchant, 'payment.accepted', 'payment',
                    json_build_object('amount', amount, 'currency', currency, 'payment_method', 'pm_card_visa',
                                      'reference', 'order-' || n)::text),
                   (1, 'chargeonce_charge', 'charge-consumer', 'succeeded', 'operation', '{"attempts":1,"step":2,"cause":""}'),
                   (2, 'chargeonce_charge', 'dead-letter-queue', 'dead_letter.entered', 'dead_letter',
                    '{"revision":1,"why":"psp_unwell"}'),
                   (3, 'ann', 'ann', 'dlq.' || letter, 'dead_letter',
                    json_build_object('run', run, 'currency', currency, 'amount', amount)::text))
                AS record (after, role, actor, action, type, data)
             WHERE after < 2 OR letter IS NOT NULL ORDER BY at
            """;

    private static final String LETTERS = """
            INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, state, cause, message,
                                     generation, tier, charge_before, had_open_attempt, revision, died_at, changed_at)
            SELECT id, id, id, merchant, amount, currency, 'stub', letter, 'psp_unwell', 'the PSP answered 500', 1, 3,
                   at + interval '1 day', false, 2, at, at + interval '1 hour'
              FROM past WHERE letter IS NOT NULL
            """;

    private static final String RUNS = """
            INSERT INTO dlq_run (run_id, planned_by, planned_at, fingerprint, items, canary, abort_above_percent, even_capped, state,
                                 ended_at)
            SELECT run, 'ann', min(at), '0', count(*), 0, 100, false, 'finished', max(at) FROM past WHERE letter IS NOT NULL GROUP BY run
            ON CONFLICT DO NOTHING
            """;

    private static final String ITEMS = """
            INSERT INTO dlq_run_item (run_id, position, dead_letter_id, generation, died_at, standing, amount, currency, fate, moved_at,
                                      outcome)
            SELECT run, n + 1, id, 1, at, 'rechargeable', amount, currency, CASE letter WHEN 'purged' THEN 'purged' ELSE 'reentered' END,
                   at, CASE letter WHEN 'merged' THEN 'succeeded' END
              FROM past WHERE letter IS NOT NULL
            """;

    private static final String RECEIPTS = """
            INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind, state, attempts, fence, due_at, created_at,
                                 ended_at)
            SELECT 'rcp_' || md5(id), id, id, merchant, 'charge', 'sent', 1, 1, at, at, at + interval '3 seconds'
              FROM past WHERE at > now() - interval '20 days' AND letter IS NULL
            """;

    /** Of a merchant that sends no payments, so the services stage nothing for it. */
    private static final String ENDPOINT = """
            INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events)
            VALUES ('whe_' || repeat('0', 24), 'past', 'https://past.example', '{*}') ON CONFLICT DO NOTHING
            """;

    private static final String DELIVERIES = """
            INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, payment_id, body, state, attempts, due_at, created_at,
                                          ended_at)
            SELECT 'msg_' || md5(id), 'whe_' || repeat('0', 24), 'payment.succeeded', id, '{}', 'delivered', 1, at, at,
                   at + interval '3 seconds'
              FROM past WHERE at > now() - interval '20 days' AND letter IS NULL
            """;

    /** The scans of the services have come past all of it. */
    private static final String LOOKED_THROUGH = """
            INSERT INTO looked_through (what, before, open, server)
            SELECT what, pg_snapshot_xmax(pg_current_snapshot()), '{}', system_identifier
              FROM pg_control_system() CROSS JOIN unnest(ARRAY['acceptances', 'claims']) AS what
            ON CONFLICT (what) DO UPDATE SET before = excluded.before
            """;

    private Past() {}

    /** With the numbers of the newest transactions. */
    static void fill(Ground.Plot plot, int from, int count, double oldest, double newest) throws SQLException {
        fill(plot, numbers(plot, count), from, count, oldest, newest);
    }

    /**
     * @param number of the first one's transaction
     * @param from   the first one's number; no number is used twice
     * @param oldest how many days ago the first one was accepted
     * @param newest and the last one
     */
    static void fill(Ground.Plot plot, long number, int from, int count, double oldest, double newest) throws SQLException {
        for (int first = from; first < from + count; first += AT_ONCE) {
            plot.execute("SET synchronous_commit = off; SET session_replication_role = replica",
                    PAYMENTS.replace(":oldest", "" + oldest).replace(":newest", "" + newest).replace(":from", "" + from)
                            .replace(":count", "" + count).replace(":number", "" + number).replace(":together", "" + TOGETHER)
                            .replace(":first", "" + first).replace(":last", "" + (Math.min(first + AT_ONCE, from + count) - 1)),
                    KEYS, OPERATIONS, STATES, ATTEMPTS, OBSERVATIONS, RECORDS, LETTERS, RUNS, ITEMS, RECEIPTS, ENDPOINT,
                    DELIVERIES);
        }
        plot.execute(LOOKED_THROUGH);
    }

    private static final String LAST = "SELECT pg_current_xact_id()::text";
    private static final String USE_UP = "DO $$ BEGIN FOR i IN 1..%d LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$";

    /** Numbers of transactions that have ended, for so many payments. @return the first */
    static long numbers(Ground.Plot plot, int count) throws SQLException {
        try (var connection = plot.connect(); var statement = connection.createStatement()) {
            long last = Sql.one(connection, LAST, row -> Long.parseLong(row.getString(1)));
            statement.execute("SET synchronous_commit = off");
            statement.execute(USE_UP.formatted(count / TOGETHER + 1));
            return last + 1;
        }
    }
}
