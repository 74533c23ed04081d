// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Roles;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a thief with the login of one service would try. Each statement is refused, and no row has changed. */
class TheftTest {

    private static RobbedDatabase database;

    @BeforeAll
    static void fill() throws SQLException {
        database = new RobbedDatabase();
    }

    @AfterAll
    static void close() throws SQLException {
        database.close();
    }

    static final List<String> BY_EVERYONE = List.of(
            "UPDATE operation SET amount = 999900",
            "UPDATE operation SET amount = amount WHERE operation_id = 'pay_dead'",
            "UPDATE operation SET merchant_id = 'globex'",
            "UPDATE operation SET currency = 'JPY'",
            "UPDATE operation SET payment_method = 'pm_another'",
            "UPDATE operation SET operation_ref = 'again'",
            "UPDATE operation SET idempotency_key = 'another'",
            "UPDATE operation SET payment_id = 'pay_dead'",
            "UPDATE operation SET kind = 'reversal'",
            "UPDATE operation SET accepted_at = now() - interval '10 years'",
            "DELETE FROM operation WHERE operation_id = 'pay_succeeded'",
            "DELETE FROM operation WHERE false",
            "SET chargeonce.forgetting = 'on'; UPDATE operation SET amount = 1",
            "TRUNCATE operation, capture_failure, dispute",
            "UPDATE operation_state SET operation_id = 'another' WHERE operation_id = 'pay_accepted'",
            "DELETE FROM operation_state WHERE operation_id = 'pay_succeeded'",
            "TRUNCATE operation_state",
            "UPDATE operation_state SET state = 'accepted', settled_at = NULL WHERE operation_id = 'pay_succeeded'",
            "UPDATE operation_state SET state = 'accepted', settled_at = NULL WHERE operation_id = 'pay_declined'",
            "UPDATE operation_state SET state = 'dead', settled_at = NULL WHERE operation_id = 'pay_succeeded'",
            "UPDATE operation_state SET psp_reference = 'pi_of_globex' WHERE operation_id = 'pay_succeeded'",
            "UPDATE operation_state SET psp = 'adyen' WHERE operation_id = 'pay_succeeded'",
            "UPDATE operation_state SET charge_before = now() + interval '10 years' WHERE operation_id = 'pay_accepted'",
            "UPDATE operation_state SET settled_at = now() + interval '1 day' WHERE operation_id = 'pay_succeeded'",
            "UPDATE operation_state SET state = 'canceled' WHERE operation_id = 'pay_dead'",
            "UPDATE operation_state SET state = 'canceled', cancel_requested_at = now() WHERE operation_id = 'pay_succeeded'",
            "UPDATE payment_attempt SET psp_key = 'another'",
            "UPDATE payment_attempt SET operation_id = 'pay_dead', payment_id = 'pay_dead'",
            "UPDATE payment_attempt SET operation_ref = 'another'",
            "UPDATE payment_attempt SET request = 'y'",
            "UPDATE payment_method SET merchant_id = 'globex'",
            "UPDATE payment_method_token SET token = 'pm_mine'",
            "UPDATE payment_attempt SET state = 'unknown', failed_definite = false WHERE failed_definite",
            "UPDATE payment_attempt SET failed_definite = true WHERE operation_id = 'pay_succeeded'",
            "UPDATE payment_attempt SET failed_definite = true WHERE operation_id = 'pay_unresolved'",
            "UPDATE payment_attempt SET state = 'failed_definite', failed_definite = true WHERE operation_id = 'pay_succeeded'",
            "UPDATE payment_attempt SET state = 'unknown' WHERE operation_id = 'pay_succeeded'",
            "DELETE FROM payment_attempt",
            "TRUNCATE payment_attempt",
            """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, state, \
            request,
                                         request_sha256, sent_at, key_valid_until)
            VALUES ('second', 'pay_succeeded', 'pay_succeeded', 'charge', 'again', 1, 2, 'stripe', 'in_flight', 'x', sha256('x'), now(), \
            now())""",
            """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, request, \
            request_sha256,
                                         sent_at, key_valid_until)
            VALUES ('second', 'pay_succeeded', 'pay_other', 'charge', 1, 2, 'stripe', 'in_flight', 'x', sha256('x'), now(), now())""",
            "UPDATE payment_attempt SET psp_reference = 'pi_of_globex' WHERE psp_key = 'key_pay_succeeded'",
            "UPDATE payment_attempt SET decided_at = now() - interval '1 day' WHERE psp_key = 'key_pay_succeeded'",
            "UPDATE payment_attempt SET charged_at_once = false WHERE psp_key = 'key_pay_succeeded'",
            """
            UPDATE payment_attempt SET state = 'succeeded', psp_reference = 'pi_none', decided_at = now(), charged_at_once = true
             WHERE psp_key = 'key_pay_unresolved'""",
            "UPDATE psp_observation SET outcome = 'charged'",
            "UPDATE operation SET customer = 'globex'",
            "SET chargeonce.erasing = 'on'; UPDATE operation SET amount = 1, customer = 'globex'",
            "SET chargeonce.erasing = 'on'; UPDATE payment_attempt SET request_sha256 = sha256('x')",
            "UPDATE payment_attempt SET request = 'x'",
            "UPDATE psp_observation SET detail = 'x'",
            "SELECT erase_personal_data('acme', '{pay_succeeded}', 'alice', '', 'r', true)",
            "DELETE FROM psp_observation",
            "UPDATE merchant_token SET merchant_id = 'globex'",
            "UPDATE merchant_token SET revoked_at = NULL WHERE revoked_at IS NOT NULL",
            "UPDATE merchant_token SET expires_at = now() + interval '10 years' WHERE expires_at IS NOT NULL",
            "UPDATE merchant_token SET expires_at = NULL WHERE expires_at IS NOT NULL",
            "UPDATE merchant_token SET scopes = '{pay,refund,read}'", "UPDATE merchant_token SET addresses = NULL",
            "UPDATE hand_settlement SET state = 'waiting' WHERE state = 'settled'",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'refund', 'acme', 'r1', 100, 'EUR', 'pm', 60);
            UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_of_globex' WHERE operation_id = 'r1'""",
            "INSERT INTO operation_state (operation_id, charge_before) VALUES ('r1', now())",
            "UPDATE operation_state SET state = 'processing', lease_token = gen_random_uuid(), resolve_at = now() WHERE operation_id = "
                    + "'pay_dead'",
            "UPDATE operation_state SET state = 'succeeded', step = step + 1, psp = 'stripe', psp_reference = 'pi_of_globex', settled_at "
                    + "= now() WHERE operation_id = 'pay_dead'",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'refund', 'acme', 'r1', 601, 'EUR', 'pm', 60)""",
            """
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, \
            payment_method, charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'refund', '1', 'acme', 'r1', 300, 'EUR', 'pm', 60), ('r2', 'pay_succeeded', 'refund', '2', \
            'acme', 'r2', 301, 'EUR', 'pm', 60)""",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'refund', 'globex', 'r1', 100, 'EUR', 'pm', 60)""",
            "UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_of_globex' WHERE operation_id = 'refund'",
            "UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_succeeded' WHERE operation_id = 'waiting'",
            "UPDATE settlement_line SET amount = 1", "UPDATE settlement_line SET psp_key = 'key_pay_dead'",
            "UPDATE settlement_line SET moved = 'given_back'", "UPDATE settlement_line SET psp = 'adyen'",
            "UPDATE settlement_line SET recorded_by = 'bob'", "DELETE FROM settlement_line", "TRUNCATE settlement_line",
            "UPDATE agreed SET retention_days = 44", "UPDATE agreed SET retention_days = -400", "UPDATE agreed SET retention_days = NULL",
            "INSERT INTO agreed (only_row) VALUES (false)", "INSERT INTO agreed DEFAULT VALUES",
            "SELECT forget_audit_records(interval '-1200 months 36089 days', 1, 2)",
            "SELECT forget_audit_records(interval '89 days', 1, 2)",
            "SELECT forget_audit_records(NULL, 1, 2)",
            "SELECT forget_audit_records('-infinity', 1, 2)");

    /** The owner can repair the database, but cannot change by accident what must never change. */
    @ParameterizedTest
    @FieldSource("BY_EVERYONE")
    void not_even_the_owner_changes_what_was_accepted_or_known(String theft) throws SQLException {
        database.refused("postgres", theft);
    }

    @ParameterizedTest
    @FieldSource("BY_EVERYONE")
    void no_service_changes_what_was_accepted_or_known(String theft) throws SQLException {
        for (String role : Roles.ALL) {
            database.refused(role, theft);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, swept = 30 WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, swept = 32767 WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, tier = 3 WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, counted_attempts = 9 WHERE operation_id = "
                + "'pay_dead'",
        "UPDATE operation_state SET resolve_tries = 1000000000 WHERE operation_id = 'pay_unresolved'",
        "UPDATE operation_state SET state = 'succeeded', step = step + 1, psp_reference = 'pi_of_globex', settled_at = now() WHERE "
                + "operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'succeeded', step = step + 1, resolve_at = NULL, psp_reference = 'pi_x' WHERE operation_id = "
                + "'pay_unresolved'",
        "UPDATE operation_state SET state = 'succeeded', step = step + 1, resolve_at = NULL, psp_reference = 'pi_x' WHERE operation_id = "
                + "'pay_processing'",
        "UPDATE operation_state SET state = 'declined', step = step + 1 WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'succeeded', step = step + 1, psp_reference = 'pi_declined' WHERE operation_id = "
                + "'pay_declined'",
        "UPDATE operation_state SET state = 'accepted', step = 1, generation = 2 WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'accepted', step = step + 1 WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, sequence = 0 WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, psp = 'adyen' WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, resolve_at = NULL WHERE operation_id = "
                + "'pay_unresolved'",
        "UPDATE operation_state SET state = 'dead', settled_at = NULL, step = step + 1 WHERE operation_id = 'pay_purged'",
        "UPDATE operation_state SET resolve_at = 'infinity' WHERE operation_id = 'pay_unresolved'",
        "UPDATE operation_state SET resolve_at = now() + interval '1 hour', lease_token = gen_random_uuid() WHERE operation_id = "
                + "'pay_unresolved'",
        "UPDATE operation_state SET lease_token = gen_random_uuid() WHERE operation_id = 'pay_unresolved'",
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, not_before = 'infinity' WHERE operation_id = "
                + "'pay_dead'",
        "UPDATE operation_state SET state = 'purged', resolve_at = NULL, step = step + 1 WHERE operation_id = 'pay_unresolved'",
        "UPDATE operation_state SET psp_reference = 'pi_of_globex' WHERE operation_id = 'pay_succeeded'",
        "UPDATE operation_state SET psp_reference = 'pi_of_globex' WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET lease_token = gen_random_uuid() WHERE operation_id = 'pay_processing'",
        "UPDATE operation_state SET charge_before = now() + interval '10 years' WHERE operation_id = 'pay_accepted'",
        "UPDATE operation_state SET capture_psp = NULL, capture_reference = NULL WHERE operation_id = 'refund'",
        "UPDATE operation_state SET not_before = now() + interval '1 day' WHERE operation_id = 'pay_scheduled'",
        "UPDATE operation_state SET staged_at = now() + interval '1 day' WHERE operation_id = 'pay_parked'",
        "UPDATE operation_state SET not_before = now(), step = step + 1 WHERE operation_id = 'pay_scheduled'",
        "UPDATE operation_state SET not_before = now(), tier = 0 WHERE operation_id = 'pay_scheduled'",
        "UPDATE operation_state SET not_before = now(), counted_attempts = 0, swept = 0, failure_cause = 'x' WHERE operation_id = "
                + "'pay_parked'",
        "UPDATE operation_state SET not_before = now(), charge_before = charge_before - interval '1 hour' WHERE operation_id = "
                + "'pay_scheduled'",
        "UPDATE operation_state SET not_before = now(), refused_by = 'stripe' WHERE operation_id = 'pay_scheduled'",
        "UPDATE operation_state SET state = 'parked', step = step + 1 WHERE operation_id = 'pay_scheduled'",
        "UPDATE operation_state SET state = 'dead', step = step + 1, sequence = 0 WHERE operation_id = 'pay_scheduled'",
        "UPDATE operation_state SET state = 'dead', step = step + 1, psp = 'adyen' WHERE operation_id = 'pay_parked'",
        "UPDATE operation_state SET state = 'declined', step = step + 1, settled_at = now() WHERE operation_id = 'pay_scheduled'",
        "UPDATE operation_state SET state = 'processing', lease_token = gen_random_uuid(), resolve_at = now() WHERE operation_id = "
                + "'pay_parked'",
        "UPDATE operation_state SET not_before = now() WHERE operation_id = 'pay_presented'",
        "UPDATE operation_state SET represent_at = NULL, not_before = now() WHERE operation_id = 'pay_presented'",
        "UPDATE operation_state SET state = 'dead', step = step + 1, represent_at = NULL, sequence = 0 WHERE operation_id = "
                + "'pay_presented'",
        "UPDATE operation_state SET state = 'dead', step = step + 1 WHERE operation_id = 'pay_accepted'",
        "INSERT INTO operation SELECT * FROM operation", "INSERT INTO operation_state SELECT * FROM operation_state",
        "UPDATE operation_state SET listed = true", "DELETE FROM waiting", "SELECT list_late('acceptances', '0', 1)",
        "INSERT INTO payment_attempt SELECT * FROM payment_attempt",
        "UPDATE payment_attempt SET state = 'failed_definite', failed_definite = true WHERE operation_id = 'pay_unresolved'",
        "UPDATE dead_letter SET amount = 1",
        "UPDATE dead_letter SET operation_id = 'pay_succeeded' WHERE dead_letter_id = 'pay_dead'",
        "DELETE FROM dead_letter",
        // Money that nobody was ever asked for, and a payment that has not died.
        """
            INSERT INTO dead_letter (dead_letter_id, merchant_id, amount, currency, state, cause, message, generation, source_topic,
                source_partition, source_offset, sealed_record)
            VALUES ('forged', 'acme', 999999, 'EUR', 'dead', 'undecodable', 'm', 1, 'payments.requests', 0, 1, 'x')""",
        """
            INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, state, cause, message, \
            generation) VALUES ('pay_succeeded', 'pay_succeeded', 'pay_succeeded', 'acme', 1000, 'EUR', 'dead', 'psp_unwell', 'm', 1)""",
        // What has left the queue before it was in it is counted by no four eyes.
        """
            INSERT INTO dead_letter (dead_letter_id, state, cause, message, generation, source_topic, source_partition, source_offset,
                sealed_record, target_topic)
            VALUES ('forged', 'merged', 'foreign', 'm', 1, 'orders', 0, 1, 'x', 'orders')""",
        "UPDATE hand_settlement SET state = 'settled', answered_at = now() WHERE state = 'waiting'",
        "UPDATE hand_settlement SET answer = 'the PSP says so' WHERE state = 'waiting'",
        "UPDATE hand_settlement SET operation_id = 'pay_dead'",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_dead', 'succeeded', '{}')",
        """
            INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_succeeded', convert_to(
                '{"status":"succeeded","payment_id":"pay_succeeded","operation":"charge","revision":2,
                  "idempotency_key":"succeeded","merchant":"acme","amount":999900,"currency":"EUR","psp_reference":"pi_succeeded"}', \
            'UTF8'), '{}')""",
        """
            INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_succeeded', convert_to(
                '{"status":"succeeded","payment_id":"pay_of_globex","operation":"charge","revision":2,
                  "idempotency_key":"succeeded","merchant":"acme","amount":1000,"currency":"EUR","psp_reference":"pi_succeeded"}', \
            'UTF8'), '{}')""",
        // Not even what is true.
        """
            INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_succeeded', convert_to(
                '{"status":"succeeded","payment_id":"pay_succeeded","operation":"charge","revision":2,
                  "idempotency_key":"succeeded","merchant":"acme","amount":1000,"currency":"EUR","psp_reference":"pi_succeeded"}', \
            'UTF8'), '{}')""",
        """
            INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.receipts', 'pay_succeeded', convert_to(
                '{"operation_id":"pay_succeeded","payment_id":"pay_succeeded","kind":"charge","merchant":"acme","amount":1000,
                  "currency":"EUR"}', 'UTF8'), '{}')""",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.intake.acme', 'k', 'x', '{}')",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.intake-refused', 'k', 'x', '{}')",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.audit-seals', '1', 'x', '{}')",
        """
            INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, psp_reference, evidence, run)
            VALUES ('key_pay_dead', 'pay_processing', 2, 'charged', 'pi_x', 'e', 'r4')""",
        "UPDATE hand_settlement SET proposed_by = 'bob'", "UPDATE hand_settlement SET approved_by = 'bob'",
        "UPDATE hand_settlement SET proposed_at = now()",
        """
            INSERT INTO dlq_run (run_id, planned_by, fingerprint, items, canary, abort_above_percent, even_capped, state)
            VALUES ('run_000000000a', 'bob', 'f', 1, 0, 10, false, 'planned')""",
        "INSERT INTO hold (kind, name, action, reason, held_by, since) VALUES ('merchant', 'acme', 'pause', 'r', 'bob', now())",
        "UPDATE hold SET held_by = 'bob'", "DELETE FROM hold", "TRUNCATE hold",
        "SELECT put_hold('merchant', 'nobody', 'pause', 'r', NULL, 'run', NULL)",
        "SELECT put_hold('merchant', 'acme', 'force', 'r', now() + interval '1 hour', 'run', NULL)",
        "SELECT put_hold('merchant', 'acme', 'pause', ' ', NULL, 'run', NULL)",
        "SELECT put_hold('merchant', 'acme', 'pause', 'r', now() - interval '1 hour', 'run', NULL)",
        "SELECT put_hold('everything', 'acme', 'pause', 'r', NULL, 'run', NULL)",
        "INSERT INTO person (login, role) VALUES ('mallory', 'chargeonce_dlq_operator')",
        "SELECT add_person('mallory', 'chargeonce_dlq_operator')",
        "SELECT append_audit('{acme}', '{bob}', '{dlq.purged}', '{operation}', '{pay_dead}', NULL, NULL, NULL)",
        "UPDATE outbox SET value = 'y'", "DELETE FROM outbox",
        "UPDATE dlq_run SET planned_by = 'bob'", "DELETE FROM dlq_run_item",
        "INSERT INTO tier_visit SELECT * FROM tier_visit", "SELECT FROM merchant_token", "SELECT FROM idempotency_key"})
    void the_operator_moves_what_is_listed_and_makes_up_no_money(String theft) throws SQLException {
        database.refused("chargeonce_dlq_operator", theft);
    }

    /** A line is a reason for charge to look, and nothing else: BookedMoneyTest has what charge makes of a forged one. */
    @ParameterizedTest
    @ValueSource(strings = {
        "INSERT INTO psp_observation (psp_key, source, outcome, psp_reference) "
                + "VALUES ('key_pay_unresolved', 'settlement', 'charged', 'pi')",
        "UPDATE payment_attempt SET state = 'succeeded' WHERE psp_key = 'key_pay_unresolved'",
        "UPDATE operation_state SET state = 'succeeded' WHERE operation_id = 'pay_unresolved'",
        "UPDATE settlement_line SET due_at = now()", "UPDATE settlement_line SET answer = 'paid', answered_at = now()",
        "UPDATE settlement_line SET mark = sha256('guessed')",
        """
            INSERT INTO settlement_line (psp, line_id, psp_key, moved, amount, currency, booked_at, source_sha256, line_number, recorded_by)
            VALUES ('stripe', 'txn_2', 'key_pay_unresolved', 'captured', 1000, 'EUR', now(), sha256(''), 1, 'bob')""",
        "INSERT INTO reconciliation (run, psp, covers_from, covers_to, read_lines, ended_by) "
                + "VALUES (gen_random_uuid(), 'stripe', now(), now(), 0, 'bob')",
        "DELETE FROM reconciliation", "UPDATE reconciliation_finding SET items = 0", "DELETE FROM reconciliation_finding",
        "SELECT customer FROM operation", "SELECT request FROM payment_attempt", "SELECT FROM operation_state",
        "SELECT FROM merchant_token",
        "SELECT FROM dead_letter", "SELECT FROM outbox", "SELECT FROM psp_observation"})
    void the_reconciler_adds_lines_and_settles_nothing(String theft) throws SQLException {
        database.refused("chargeonce_reconciler", theft);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "UPDATE operation_state SET state = 'succeeded' WHERE operation_id = 'pay_accepted'",
        "UPDATE operation_state SET failure_message = 'x'",
        """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            VALUES ('pay_x', 'pay_x', 'charge', 'acme', 'x', 1, 'EUR', 'pm', 60);
            UPDATE operation_state SET state = 'succeeded' WHERE operation_id = 'pay_x'""",
        "INSERT INTO operation_state (operation_id, charge_before) VALUES ('pay_x', now())",
        """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            accepted_xid, charge_within_s)
            VALUES ('pay_x', 'pay_x', 'charge', 'acme', 'x', 1, 'EUR', 'pm', '1', 60)""",
        """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'reversal', 'acme', 'r1', 100, 'EUR', 'pm', 60)""",
        """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            VALUES ('r1', 'pay_of_nobody', 'refund', 'acme', 'r1', 100, 'EUR', 'pm', 60)""",
        """
            INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path, request_params,
                                         resource_id, created_at)
            VALUES ('acme', 'k', sha256('x'), 1, '/', '{}', 'pay_x', now() - interval '1 year')""",
        "UPDATE idempotency_key SET fingerprint = sha256('y')",
        "UPDATE idempotency_key SET created_at = now()", "UPDATE idempotency_key SET resource_id = 'pay_dead'",
        "DELETE FROM idempotency_key",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_dead', 'succeeded', '{}')",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_succeeded', 'succeeded', '{}')",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'other.requests.outcomes', 'pay_dead', 'succeeded', "
                + "'{}')",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.dlq', 'pay_dead', NULL, '{}')",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.retry-1', 'pay_dead', 'x', '{}')",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.requests', 'pay_dead', 'x', '{}')",
        "INSERT INTO outbox (shard, topic, record_key, staged_xid) SELECT 0, 'payments.requests', 'pay_dead', '1'",
        "UPDATE outbox SET value = 'y'", "UPDATE outbox SET topic = 'payments.requests'", "UPDATE outbox SET record_key = 'y'",
        "UPDATE duplicate_guard SET merchant_id = 'globex'", "SELECT FROM payment_attempt", "SELECT request FROM payment_attempt",
        "INSERT INTO token_use SELECT token_sha256, now() FROM merchant_token", "SELECT FROM token_use",
        "SELECT created_at FROM merchant_token", "INSERT INTO merchant_token (token_sha256, merchant_id) VALUES (sha256('mine'), 'acme')",
        "UPDATE merchant_token SET revoked_at = now()", "UPDATE merchant SET duplicate_window_ms = 0", "SELECT FROM hand_settlement",
        "SELECT FROM payment_method_token", "SELECT FROM payment_method", "SELECT tokens_of('{pay_accepted}')",
        "INSERT INTO payment_method_token VALUES ('pmt_x', 'stripe', 'cus_x', 'pm_x')", "DELETE FROM payment_method",
        "SELECT erase_payment_methods('{pay_dead}')",
        "SELECT cutoff('1 day', '0')", "SELECT FROM audit_record", "SELECT FROM dead_letter"})
    void ingest_accepts_and_decides_nothing(String theft) throws SQLException {
        database.refused("chargeonce_ingest", theft);
    }

    @ParameterizedTest
    @ValueSource(strings = {"chargeonce_dlq_reader", "chargeonce_dlq_operator", "chargeonce_dlq_unmask"})
    void people_read_no_token_and_nothing_of_what_was_sent(String role) throws SQLException {
        database.refused(role, "SELECT request FROM payment_attempt");
        database.refused(role, "SELECT FROM payment_method_token");
        database.refused(role, "SELECT FROM payment_method");
        database.refused(role, "SELECT tokens_of('{pay_accepted}')");
    }

    /** Other systems' records wait there in clear text for their way back. */
    @ParameterizedTest
    @ValueSource(strings = {"chargeonce_dlq_reader", "chargeonce_dlq_operator", "chargeonce_dlq_unmask"})
    void people_read_nothing_of_what_waits_for_kafka_but_its_size(String role) throws SQLException {
        for (String columns : List.of("value", "headers", "raw_key", "raw_headers", "*")) {
            database.refused(role, "SELECT %s FROM outbox".formatted(columns));
            database.refused(role, "SELECT %s FROM outbox_to_relay".formatted(columns));
        }
        database.execute(role, "SELECT outbox_id, topic, record_key, staged_at, refusal, bytes FROM outbox JOIN "
                + "(SELECT outbox_id, bytes FROM outbox_to_relay) AS its USING (outbox_id)");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "SELECT FROM merchant_token", "SELECT FROM idempotency_key", "SELECT requests_per_second FROM merchant",
        "SELECT FROM payment_method_token", "SELECT FROM payment_method", "UPDATE payment_method_token SET token = 'pm_mine'",
        "SELECT detach_payment_method('acme', 'pmt_x')", "UPDATE merchant SET represent_declines = true",
        "INSERT INTO dlq_run SELECT * FROM dlq_run", "UPDATE dlq_run SET state = 'running'", "UPDATE dlq_run_item SET fate = 'asked'",
        "UPDATE dead_letter SET amount = 1", "UPDATE dead_letter SET sealed_edit = 'x'", "DELETE FROM dead_letter",
        "UPDATE payment_attempt SET sent_at = now()", "UPDATE payment_attempt SET key_valid_until = now()",
        "UPDATE payment_attempt SET psp = 'adyen'",
        "INSERT INTO psp_observation (psp_key, observed_at, source, outcome) VALUES ('k', now() - interval '1 day', 'call', 'charged')",
        "UPDATE operation SET customer = 'c'", "UPDATE operation SET reference = 'r'", "UPDATE operation_state SET listed = false",
        "DELETE FROM waiting", "UPDATE waiting SET due_at = 'infinity'",
        "INSERT INTO looked_through VALUES ('claims', '4000000000000', '{}', 1)", "SELECT list_late('claims', '0', 0)",
        "UPDATE looked_through SET before = '4000000000000'", "DELETE FROM looked_through",
        "UPDATE outbox SET value = 'y'", "UPDATE outbox SET topic = 'payments.requests'",
        "UPDATE hand_settlement SET evidence = 'y'", "UPDATE hand_settlement SET approved_by = 'y'",
        "INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, proposed_by, run) VALUES ('k', 'o', 1, "
                + "'not_charged', 'e', 'p', 'r')",
        "INSERT INTO tier_visit SELECT * FROM tier_visit", "UPDATE tier_visit SET tier = 2", "DELETE FROM retry_budget",
        "UPDATE retry_budget SET day = day - 31", "UPDATE psp_notice SET notice_id = 'y'",
        "UPDATE unmatched_notice SET amount = 1, currency = 'EUR'",
        """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
            charge_within_s)
            VALUES ('pay_x', 'pay_x', 'charge', 'acme', 'x', 1000, 'EUR', 'pm', 60)""",
        """
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, \
            payment_method,
                                   charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'refund', 'x', 'acme', 'r1', 100, 'EUR', 'pm', 60)""",
        """
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, \
            payment_method,
                                   charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'reversal', 'x', 'acme', 'r1', 999900, 'EUR', 'pm', 60)""",
        """
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, \
            payment_method,
                                   charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'reversal', 'x', 'acme', 'r1', 100, 'EUR', 'pm', 60);
            UPDATE operation_state SET capture_psp = 'adyen', capture_reference = 'pi_x' WHERE operation_id = 'r1'""",
        """
            INSERT INTO audit_seal (seal, from_id, to_id, records, rows_sha256, previous, mark, sealed_at)
            SELECT 1, 1, 1000000, 0, sha256(''), NULL, sha256(''), now()""",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.intake.acme', 'k', 'x', '{}')",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.intake-refused', 'k', 'x', '{}')",
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = generation + 1 WHERE operation_id = 'pay_dead'",
        "UPDATE operation_state SET state = 'purged', resolve_at = NULL, step = step + 1 WHERE operation_id = 'pay_unresolved'",
        "UPDATE operation_state SET state = 'purged', step = step + 1 WHERE operation_id = 'pay_dead'",
        "DELETE FROM capture_failure", "UPDATE capture_failure SET operation_id = 'pay_dead'", "SELECT lock_payment('pay_dead')",
        "SELECT cancel_charge('pay_dead')", "SELECT cancel_payment('acme', 'pay_dead')",
        "SELECT take_back_keys('{acme}', '{dead}')", "SELECT forget_settled_payments(1)", "UPDATE agreed SET retention_days = 45",
        "INSERT INTO audit_record (session_role, actor, action, resource_type, resource_id) VALUES ('chargeonce_dlq_operator', 'alice', "
                + "'dlq.purged', 'operation', 'pay_dead')",
        "SELECT append_audit('{acme}', '{alice}', '{dlq.purged}', '{operation}', '{pay_dead}', '{NULL}', '{NULL}', '{NULL}')",
        "UPDATE audit_seal SET records = 1", "DELETE FROM audit_seal", "DELETE FROM audit_record"})
    void charge_and_retry_change_only_how_far_a_payment_has_come(String theft) throws SQLException {
        database.refused("chargeonce_charge", theft);
        database.refused("chargeonce_retry", theft);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "UPDATE merchant_token SET token_sha256 = sha256('mine')", "DELETE FROM merchant_token",
        "UPDATE merchant_token SET created_at = now()",
        "INSERT INTO merchant_token (token_sha256, merchant_id, created_at) VALUES (sha256('mine'), 'acme', now() - interval '1 year')",
        "UPDATE merchant SET merchant_id = 'x' WHERE merchant_id = 'globex'", "DELETE FROM merchant", "SELECT FROM operation",
        "SELECT FROM outbox",
        "SELECT FROM audit_record"})
    void the_merchant_admin_makes_and_revokes_tokens_and_moves_none(String theft) throws SQLException {
        database.refused("chargeonce_merchant_admin", theft);
    }

    /** Each is a table of its own, to which no role has a right, nor through a right to the whole log. */
    @Test
    void no_role_comes_at_a_record_through_the_table_that_it_stands_in() throws SQLException {
        List<String> parts = database.tables().stream().filter(table -> table.startsWith("audit_record_to_")).toList();
        assertThat(parts).hasSize(2);
        for (String part : parts) {
            for (String theft : List.of("SELECT FROM %s", "DELETE FROM %s", "UPDATE %s SET actor = 'another'", "TRUNCATE %s",
                    "INSERT INTO %s SELECT * FROM audit_record", "INSERT INTO %s DEFAULT VALUES", "DROP TABLE %s",
                    "ALTER TABLE audit_record DETACH PARTITION %s", "ALTER TABLE %s NO INHERIT audit_record", "BEGIN; LOCK TABLE %s",
                    "CREATE TRIGGER mine BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
                    "CREATE RULE mine AS ON INSERT TO %s DO INSTEAD NOTHING", "CREATE INDEX mine ON %s (audit_id)")) {
                for (String role : Roles.ALL) {
                    database.refused(role, theft.formatted(part));
                }
            }
        }
        for (String role : Roles.ALL) {
            database.refused(role, "CREATE TABLE mine PARTITION OF audit_record FOR VALUES FROM (900000000) TO (MAXVALUE)");
            database.refused(role, "SELECT audit_tables()");
            if (!role.equals("chargeonce_charge")) {
                database.refused(role, "SELECT make_audit_room()");
                database.refused(role, "SELECT forget_audit_records('400 days', 1, 2)");
            }
        }
    }

    @Test
    void the_reader_of_the_queue_writes_nothing() throws SQLException {
        for (String table : database.tables()) {
            database.refused("chargeonce_dlq_reader", "INSERT INTO %s DEFAULT VALUES".formatted(table));
            database.refused("chargeonce_dlq_reader", "DELETE FROM " + table);
            database.refused("chargeonce_dlq_reader", "TRUNCATE " + table + " CASCADE");
            database.refused("chargeonce_dlq_reader", "SELECT FROM " + table + " FOR UPDATE");
        }
    }
}
