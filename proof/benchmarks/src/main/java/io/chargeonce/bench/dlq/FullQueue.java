// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.dlq;

import io.chargeonce.bench.measure.Ground;
import java.sql.SQLException;

/**
 * Fills a queue as if a bad night lay behind it: of a hundred dead letters 90 definitely failed, 3 turned out to be charged,
 * 3 are unresolved, and 4 were never readable. A tenth failed at another PSP. Written as the services leave the rows.
 */
public final class FullQueue {

    private static final String NIGHT = """
            CREATE TEMP TABLE night AS
            SELECT n, 'pay_' || left(translate(md5('p' || n), '0189', 'ghij'), 26) AS id,
                   left(translate(md5('k' || n), '0189', 'ghij'), 26) AS psp_key, CASE WHEN n % 10 = 5 THEN 'adyen' ELSE 'stripe' END AS \
            psp,
                   'merchant-' || n % 7 AS merchant, 100 + n % 5000 AS amount, (ARRAY['EUR', 'USD', 'JPY'])[1 + n % 3] AS currency,
                   CASE WHEN n % 100 < 4 THEN 'poison' WHEN n % 100 < 7 THEN 'charged' WHEN n % 100 < 10 THEN 'unresolved' ELSE 'failed' \
            END AS standing,
                   now() - (10 + n * 0.01) * interval '1 second' AS died_at
              FROM generate_series(1, :letters) AS n
            """;

    private static final String OPERATIONS = """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                   charge_within_s)
            SELECT id, id, 'charge', merchant, 'night-' || n, amount, currency, 'pm_card_visa', 72000 FROM night WHERE standing <> 'poison'
            """;

    private static final String STATES = """
            INSERT INTO operation_state (operation_id, state, step, sequence, counted_attempts, tier, psp, failure_cause, failure_message,
                                         charge_before, resolve_at, unresolved_since)
            SELECT id, CASE standing WHEN 'unresolved' THEN 'unresolved' ELSE 'dead' END, 5, 1, 4, 3, psp,
                   CASE standing WHEN 'unresolved' THEN 'gateway_timed_out' ELSE 'psp_unwell' END, 'the PSP answered 500', now() + \
            interval '20 hours',
                   CASE standing WHEN 'unresolved' THEN now() + interval '6 hours' END, CASE standing WHEN 'unresolved' THEN died_at END
              FROM night WHERE standing <> 'poison'
            """;

    private static final String ATTEMPTS = """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, failed_definite,
                                         request, request_sha256, sent_at, key_valid_until, psp_reference, cause, message, decided_at)
            SELECT psp_key, id, id, 'charge', 1, 1, psp,
                   CASE standing WHEN 'charged' THEN 'succeeded' WHEN 'unresolved' THEN 'unknown' ELSE 'failed_definite' END, standing = \
            'failed',
                   convert_to(repeat('x', 200), 'UTF8'), sha256(''), died_at, died_at + interval '23 hours',
                   CASE standing WHEN 'charged' THEN 'ref_' || id END, CASE standing WHEN 'charged' THEN NULL ELSE 'psp_unwell' END,
                   'the PSP answered 500', died_at
              FROM night WHERE standing <> 'poison'
            """;

    private static final String LETTERS = """
            INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, state, cause, message,
                                     generation, tier, charge_before, had_open_attempt, died_at, changed_at)
            SELECT id, id, id, merchant, amount, currency, psp, 'dead', CASE standing WHEN 'unresolved' THEN 'unresolved' ELSE \
            'psp_unwell' END,
                   'the PSP answered 500', 1, 3, now() + interval '20 hours', standing <> 'failed', died_at, died_at
              FROM night WHERE standing <> 'poison' ORDER BY died_at
            """;

    private static final String POISON = """
            INSERT INTO dead_letter (dead_letter_id, state, cause, message, generation, died_at, changed_at,
                                     source_topic, source_partition, source_offset, sealed_record)
            SELECT id, 'dead', 'undecodable', 'no JSON object with a type', 1, died_at, died_at, 'payments.requests', n % 12, n,
                   -- In the clear, as a vault writes it: no key, so many bytes, no headers.
                   decode('00ffffffff000000f0' || repeat('ff00fe7b', 60) || 'ffffffff', 'hex')
              FROM night WHERE standing = 'poison' ORDER BY died_at
            """;

    private FullQueue() {}

    public static void fill(Ground.Plot plot, int letters) throws SQLException {
        plot.execute("SET synchronous_commit = off; SET session_replication_role = replica",
                NIGHT.replace(":letters", "" + letters), OPERATIONS, STATES, ATTEMPTS, LETTERS, POISON,
                "RESET session_replication_role; SELECT list_what_was_missed('0', 10000000)");
        plot.settle();
    }
}
