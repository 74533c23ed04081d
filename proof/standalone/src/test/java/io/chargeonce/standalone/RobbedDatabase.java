// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.sandbox.TestStack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A database with one payment in each state, at which thieves try the logins of the services. */
final class RobbedDatabase implements AutoCloseable {

    /** Of a CHECK: a payment's attempts have one name, or the index of the open ones could be got round. */
    private static final String ANOTHER_NAME = "23514";
    /** Of an outcome that is no JSON. */
    private static final String NO_OUTCOME = "22P02";
    /** Of a row of settings that has no value, or of a second one. */
    private static final List<String> NOT_THE_ONE_ROW = List.of("23502", "23505");
    /** Another person has to approve. */
    private static final String FOUR_EYES = "X4EYE";
    /** Not allowed, not possible for any role, or a time that is too short. */
    private static final List<String> REFUSED = List.of("42501", "23001", "22023", ANOTHER_NAME, NO_OUTCOME, NOT_THE_ONE_ROW.getFirst(),
            NOT_THE_ONE_ROW.getLast(), FOUR_EYES);
    private final String url;
    private final Connection owner;

    RobbedDatabase() throws SQLException {
        url = TestStack.newDatabase(empty -> {
            Migrations.apply(empty, "postgres", "");
            Roles.apply(empty, "postgres", "", Optional.empty());
        });
        execute("postgres", ROWS);
        owner = login("postgres");
    }

    @Override
    public void close() throws SQLException {
        owner.close();
    }

    /** One payment in each state that matters, all of them older than anything that could be forgotten. */
    private static final String ROWS = """
            INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex');
            INSERT INTO merchant_token (token_sha256, merchant_id, revoked_at)
            VALUES (sha256('lives'), 'acme', NULL), (sha256('revoked'), 'acme', now());
            INSERT INTO merchant_token (token_sha256, merchant_id, expires_at, scopes, addresses)
            VALUES (sha256('narrow'), 'acme', now(), '{read}', '{192.0.2.0/24}');
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            accepted_at,
                                   charge_within_s)
            SELECT 'pay_' || state, 'pay_' || state, 'charge', 'acme', state, 1000, 'EUR', 'pm_card_visa', now() - interval '500 days', 0
              FROM unnest(ARRAY['accepted', 'processing', 'unresolved', 'succeeded', 'declined', 'dead', 'purged']) AS state;
            SET session_replication_role = replica;
            UPDATE operation_state
               SET state = idempotency_key, step = 2, sequence = 1, psp = 'stripe',
                   psp_reference = CASE WHEN idempotency_key IN ('succeeded', 'declined') THEN 'pi_' || idempotency_key END,
                   settled_at = CASE WHEN idempotency_key IN ('succeeded', 'declined', 'purged') THEN now() - interval '500 days' END,
                   resolve_at = CASE WHEN idempotency_key IN ('processing', 'unresolved') THEN now() END,
                   lease_token = CASE WHEN idempotency_key = 'processing' THEN gen_random_uuid() END
              FROM operation WHERE operation.operation_id = operation_state.operation_id;
            RESET session_replication_role;
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, \
            payment_method, charge_within_s)
            VALUES ('refund', 'pay_succeeded', 'refund', 'line-1', 'acme', 'refund', 400, 'EUR', 'pm_card_visa', 0),
                   ('waiting', 'pay_dead', 'refund', 'line-1', 'acme', 'waiting', 400, 'EUR', 'pm_card_visa', 0);
            UPDATE operation_state SET state = 'dead' WHERE operation_id IN ('refund', 'waiting');
            UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_succeeded' WHERE operation_id = 'refund';
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            SELECT 'pay_' || name, 'pay_' || name, 'charge', 'acme', name, 1000, 'EUR', 'pm_card_visa', 86400
              FROM unnest(ARRAY['scheduled', 'parked', 'presented']) AS name;
            UPDATE operation_state SET state = CASE operation_id WHEN 'pay_parked' THEN 'parked' ELSE 'scheduled' END, step = 2, tier = 1,
                   sequence = 1, psp = 'stripe', not_before = now() + interval '1 hour',
                   represent_at = CASE operation_id WHEN 'pay_presented' THEN now() + interval '3 days' END
             WHERE operation_id IN ('pay_scheduled', 'pay_parked', 'pay_presented');
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, failed_definite, \
            request,
                                         request_sha256, sent_at, key_valid_until, psp_reference, decided_at, charged_at_once)
            SELECT 'key_' || operation_id, operation_id, operation_id, 'charge', 1, 1, 'stripe',
                   CASE state WHEN 'succeeded' THEN 'succeeded' WHEN 'unresolved' THEN 'unknown' WHEN 'processing' THEN 'in_flight'
                              ELSE 'failed_definite' END, state NOT IN ('succeeded', 'unresolved', 'processing'), 'x', sha256('x'), \
            now(), now(), psp_reference, now(),
                   state = 'succeeded'
              FROM operation_now WHERE kind = 'charge' AND state <> 'accepted';
            INSERT INTO psp_observation (psp_key, source, outcome) VALUES ('key_pay_declined', 'call', 'declined');
            INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path,
                                         resource_id, created_at)
            SELECT 'acme', idempotency_key, sha256('x'), 1, '/v1/payments', operation_id, now() - interval '10 days'
              FROM operation_now WHERE kind = 'charge';
            INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, state, cause, message, \
            generation)
            SELECT operation_id, operation_id, payment_id, merchant_id, amount, currency, psp, 'dead', 'psp_unwell', '500', 1
              FROM operation_now WHERE state IN ('dead', 'unresolved');
            INSERT INTO dead_letter (dead_letter_id, state, cause, message, generation, source_topic, sealed_record, changed_at)
            VALUES ('poison', 'purged', 'undecodable', '', 1, 'payments.requests', '\\x01', now() - interval '20 days');
            INSERT INTO dlq_run (run_id, planned_by, planned_at, fingerprint, items, canary, abort_above_percent, even_capped, state, \
            ended_at)
            VALUES ('run_0000000001', 'ann', now() - interval '20 days', 'f', 1, 0, 10, false, 'finished', now() - interval '20 days');
            INSERT INTO dlq_run_item (run_id, position, dead_letter_id, generation, died_at, standing) VALUES ('run_0000000001', 1, \
            'pay_dead', 1, now(), 'x');
            INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, proposed_by, run, approved_by, state)
            VALUES ('key_pay_unresolved', 'pay_unresolved', 2, 'not_charged', 'e', 'ann', 'r', 'ann', 'waiting'),
                   ('key_pay_declined', 'pay_declined', 2, 'not_charged', 'e', 'ann', 'r2', 'ann', 'settled');
            INSERT INTO capture_failure (operation_id, psp, psp_reference, reason) VALUES ('pay_succeeded', 'stripe', 'pi_succeeded', 'r');
            INSERT INTO tier_visit (operation_id, step, generation, tier, state, staged_at, due_at) VALUES ('pay_dead', 1, 1, 1, \
            'scheduled', now(), now());
            INSERT INTO retry_budget VALUES (sha256('pm'), 1000, 'EUR', current_date, 3);
            INSERT INTO relay_shard VALUES (0, 7);
            INSERT INTO psp_notice (psp, notice_id) VALUES ('stripe', 'evt_1');
            INSERT INTO unmatched_notice (psp, notice_id, psp_key) VALUES ('stripe', 'evt_2', 'key');
            INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_succeeded', 'x', '{}');
            INSERT INTO settlement_line (psp, line_id, psp_key, moved, amount, currency, psp_reference, booked_at,
                                         source_sha256, line_number)
            VALUES ('stripe', 'txn_1', 'key_pay_succeeded', 'captured', 1000, 'EUR', 'pi_succeeded', now(), sha256(''), 1);
            INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events)
            VALUES ('whe_000000000000000000000001', 'acme', 'https://hooks.example/', '{*}');
            INSERT INTO webhook_delivery (webhook_id, endpoint_id, event_type, body, state, attempts, ended_at)
            SELECT 'msg_' || state, 'whe_000000000000000000000001', 'payment.succeeded', '{}', state, 1, now()
              FROM unnest(ARRAY['delivered', 'dead']) AS state;
            INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind, state, attempts, ended_at)
            SELECT 'rcp_' || md5(state), 'pay_' || state, 'pay_' || state, 'acme', 'charge', state, 1, now()
              FROM unnest(ARRAY['sent', 'dead', 'erased']) AS state;
            SELECT record_reconciliation('00000000-0000-0000-0000-000000000001', 'stripe', now(), now(), 1, sha256(''), '{missing}',
                                         '{EUR}', '{1}', '{1000}', '{0}');
            INSERT INTO bank (bank, next_cutoff, answer_within_s, fence) VALUES ('bank', now(), 3600, 7);
            INSERT INTO bank_mandate (mandate_id, merchant_id, bank, signed_on, sealed_debtor)
            VALUES ('mandate_1', 'acme', 'bank', '2026-01-31', '\\x01'), ('mandate_2', 'globex', 'bank', '2026-01-31', '\\x02');
            UPDATE bank_mandate SET revoked_at = now() WHERE mandate_id = 'mandate_2';
            INSERT INTO bank_batch (bank, kind, currency, message_id, file_name, due_on, items, total, answer_due, state, sha256, size)
            VALUES ('bank', 'debit', 'EUR', 'CO-1', 'pain.008-CO-1.xml', '2026-12-01', 1, 1000, now(), 'sent', sha256('x'), 1);
            INSERT INTO bank_batch_item (psp_key, bank, kind, amount, currency, mandate_id, payment_id, remittance, answer_due, batch_id)
            VALUES ('key_pay_succeeded', 'bank', 'debit', 1000, 'EUR', 'mandate_1', 'pay_succeeded', 'r', now(), 1),
                   ('key_pay_unresolved', 'bank', 'debit', 1000, 'EUR', 'mandate_1', 'pay_unresolved', 'r', now(), NULL);
            INSERT INTO bank_batch_item (psp_key, bank, kind, amount, currency, mandate_id, payment_id, remittance, answer_due, fenced)
            VALUES ('key_pay_dead', 'bank', 'debit', 1000, 'EUR', 'mandate_1', 'pay_dead', 'fenced', now(), true);
            INSERT INTO bank_file_part (file, part, sealed) VALUES ('out/CO-1', 0, '\\x01');
            INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size, message, message_id)
            VALUES (1, 'bank', 'camt', sha256('camt'), 1, 'camt.054', 'm-1');
            INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, state, taken_at)
            VALUES (1, 'bank', 'booked', 'key_pay_succeeded', 1000, 'EUR', true, 'taken', now()),
                   (1, 'bank', 'booked', 'key_of_none', 1000, 'EUR', true, 'unmatched', now()),
                   (1, 'bank', 'booked', 'key_pay_unresolved', 1000, 'EUR', true, 'new', NULL);
            """;

    /** The theft is refused, and no row has changed. */
    void refused(String role, String theft) throws SQLException {
        List<String> before = rows();
        assertThatThrownBy(() -> execute(role, theft)).as("%s: %s", role, theft)
                .isInstanceOf(SQLException.class).extracting(e -> ((SQLException) e).getSQLState()).isIn(REFUSED);
        assertThat(rows()).as("after %s: %s", role, theft).isEqualTo(before);
    }

    void execute(String role, String sql) throws SQLException {
        try (Connection connection = login(role); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    Connection login(String role) throws SQLException {
        return DriverManager.getConnection(url.replace("user=postgres", "user=" + role) + "&currentSchema=chargeonce");
    }

    List<String> tables() throws SQLException {
        return Texts.of(owner,
                "SELECT tablename FROM pg_tables WHERE schemaname = 'chargeonce' AND tablename NOT LIKE 'flyway%' ORDER BY 1");
    }

    /** Everything that is stored, in one statement. */
    List<String> rows() throws SQLException {
        return Texts.of(owner, tables().stream().map("SELECT '%1$s ' || row::text AS row FROM %1$s AS row"::formatted)
                .collect(Collectors.joining(" UNION ALL ")) + " ORDER BY row");
    }
}
