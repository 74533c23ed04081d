package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.sandbox.TestStack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a thief would try who has come by the login of one service: each is refused, and no row has changed. */
class TheftTest {

    /** Of a CHECK: a payment's attempts have one name, or the index of the open ones could be got round. */
    private static final String ANOTHER_NAME = "23514";
    /** Of an outcome that is no JSON. */
    private static final String NO_OUTCOME = "22P02";
    /** Not allowed, not possible for any role, or a time that is too short. */
    private static final List<String> REFUSED = List.of("42501", "23001", "22023", ANOTHER_NAME, NO_OUTCOME);
    private static String url;
    private static Connection owner;

    @BeforeAll
    static void fill() throws SQLException {
        url = TestStack.newDatabase();
        Migrations.apply(url, "postgres", "");
        Roles.apply(url, "postgres", "", Optional.empty());
        execute("postgres", ROWS);
        owner = login("postgres");
    }

    @AfterAll
    static void close() throws SQLException {
        owner.close();
    }

    /** One payment in each state that matters, all of them older than anything that could be forgotten. */
    private static final String ROWS = """
            INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex');
            INSERT INTO merchant_token (token_sha256, merchant_id, revoked_at)
            VALUES (sha256('lives'), 'acme', NULL), (sha256('revoked'), 'acme', now());
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, accepted_at,
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
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, payment_method, charge_within_s)
            VALUES ('refund', 'pay_succeeded', 'refund', 'line-1', 'acme', 'refund', 400, 'EUR', 'pm_card_visa', 0),
                   ('waiting', 'pay_dead', 'refund', 'line-1', 'acme', 'waiting', 400, 'EUR', 'pm_card_visa', 0);
            UPDATE operation_state SET state = 'dead' WHERE operation_id IN ('refund', 'waiting');
            UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_succeeded' WHERE operation_id = 'refund';
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, failed_definite, request,
                                         request_sha256, sent_at, key_valid_until, psp_reference)
            SELECT 'key_' || operation_id, operation_id, operation_id, 'charge', 1, 1, 'stripe',
                   CASE state WHEN 'succeeded' THEN 'succeeded' WHEN 'unresolved' THEN 'unknown' WHEN 'processing' THEN 'in_flight'
                              ELSE 'failed_definite' END, state NOT IN ('succeeded', 'unresolved', 'processing'), 'x', sha256('x'), now(), now(), psp_reference
              FROM operation_now WHERE kind = 'charge' AND state <> 'accepted';
            INSERT INTO psp_observation (psp_key, source, outcome) VALUES ('key_pay_declined', 'call', 'declined');
            INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_method, request_path,
                                         request_params, recovery_point, response_status, response_headers, response_body, resource_id, created_at)
            SELECT 'acme', idempotency_key, sha256('x'), 1, 'POST', '/v1/payments', '{}', 'accepted', 202,
                   CASE WHEN state = 'declined' THEN '{}'::json END, CASE WHEN state = 'declined' THEN '{}'::bytea END, operation_id,
                   now() - interval '10 days'
              FROM operation_now WHERE kind = 'charge';
            INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, state, cause, message, generation)
            SELECT operation_id, operation_id, payment_id, merchant_id, amount, currency, 'dead', 'psp_unwell', '500', 1
              FROM operation_now WHERE state IN ('dead', 'unresolved');
            INSERT INTO dead_letter (dead_letter_id, state, cause, message, generation, source_topic, changed_at)
            VALUES ('poison', 'purged', 'undecodable', '', 1, 'payments.requests', now() - interval '20 days');
            INSERT INTO dlq_run (run_id, planned_by, planned_at, fingerprint, items, canary, abort_above_percent, even_capped, state, ended_at)
            VALUES ('run_0000000001', 'ann', now() - interval '20 days', 'f', 1, 0, 10, false, 'finished', now() - interval '20 days');
            INSERT INTO dlq_run_item (run_id, position, dead_letter_id, generation, died_at, standing) VALUES ('run_0000000001', 1, 'pay_dead', 1, now(), 'x');
            INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, proposed_by, run, approved_by, state)
            VALUES ('key_pay_unresolved', 'pay_unresolved', 2, 'not_charged', 'e', 'ann', 'r', 'ann', 'waiting'),
                   ('key_pay_declined', 'pay_declined', 2, 'not_charged', 'e', 'ann', 'r', 'ann', 'settled');
            INSERT INTO capture_failure (operation_id, psp, psp_reference, reason) VALUES ('pay_succeeded', 'stripe', 'pi_succeeded', 'r');
            INSERT INTO tier_visit (operation_id, step, generation, tier, state, staged_at, due_at) VALUES ('pay_dead', 1, 1, 1, 'scheduled', now(), now());
            INSERT INTO retry_budget VALUES (sha256('pm'), 1000, 'EUR', current_date, 3);
            INSERT INTO psp_notice (psp, notice_id) VALUES ('stripe', 'evt_1');
            INSERT INTO unmatched_notice (psp, notice_id, psp_key) VALUES ('stripe', 'evt_2', 'key');
            INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_succeeded', 'x', '{}');
            """;

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
            "TRUNCATE operation, capture_failure",
            "UPDATE operation_state SET operation_id = 'another' WHERE operation_id = 'pay_accepted'",
            "DELETE FROM operation_state WHERE operation_id = 'pay_succeeded'",
            "TRUNCATE operation_state",
            "UPDATE operation_state SET state = 'accepted', settled_at = NULL WHERE operation_id = 'pay_succeeded'",
            "UPDATE operation_state SET state = 'accepted', settled_at = NULL WHERE operation_id = 'pay_declined'",
            "UPDATE operation_state SET state = 'dead', settled_at = NULL WHERE operation_id = 'pay_succeeded'",
            "UPDATE payment_attempt SET psp_key = 'another'",
            "UPDATE payment_attempt SET operation_id = 'pay_dead', payment_id = 'pay_dead'",
            "UPDATE payment_attempt SET operation_ref = 'another'",
            "UPDATE payment_attempt SET request = 'y'",
            "UPDATE payment_attempt SET state = 'unknown', failed_definite = false WHERE failed_definite",
            "UPDATE payment_attempt SET failed_definite = true WHERE operation_id = 'pay_succeeded'",
            "UPDATE payment_attempt SET failed_definite = true WHERE operation_id = 'pay_unresolved'",
            "UPDATE payment_attempt SET state = 'failed_definite', failed_definite = true WHERE operation_id = 'pay_succeeded'",
            "UPDATE payment_attempt SET state = 'unknown' WHERE operation_id = 'pay_succeeded'",
            "DELETE FROM payment_attempt",
            "TRUNCATE payment_attempt",
            """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, state, request,
                                         request_sha256, sent_at, key_valid_until)
            VALUES ('second', 'pay_succeeded', 'pay_succeeded', 'charge', 'again', 1, 2, 'stripe', 'in_flight', 'x', sha256('x'), now(), now())""",
            """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, request, request_sha256,
                                         sent_at, key_valid_until)
            VALUES ('second', 'pay_succeeded', 'pay_other', 'charge', 1, 2, 'stripe', 'in_flight', 'x', sha256('x'), now(), now())""",
            "UPDATE psp_observation SET outcome = 'charged'",
            "DELETE FROM psp_observation",
            "UPDATE merchant_token SET merchant_id = 'globex'",
            "UPDATE merchant_token SET revoked_at = NULL WHERE revoked_at IS NOT NULL",
            "UPDATE hand_settlement SET state = 'waiting' WHERE state = 'settled'",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'refund', 'acme', 'r1', 100, 'EUR', 'pm', 60);
            UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_of_globex' WHERE operation_id = 'r1'""",
            "INSERT INTO operation_state (operation_id, charge_before) VALUES ('r1', now())",
            "UPDATE operation_state SET state = 'processing', lease_token = gen_random_uuid(), resolve_at = now() WHERE operation_id = 'pay_dead'",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'refund', 'acme', 'r1', 601, 'EUR', 'pm', 60)""",
            """
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, payment_method, charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'refund', '1', 'acme', 'r1', 300, 'EUR', 'pm', 60), ('r2', 'pay_succeeded', 'refund', '2', 'acme', 'r2', 301, 'EUR', 'pm', 60)""",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'refund', 'globex', 'r1', 100, 'EUR', 'pm', 60)""",
            "UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_of_globex' WHERE operation_id = 'refund'",
            "UPDATE operation_state SET capture_psp = 'stripe', capture_reference = 'pi_succeeded' WHERE operation_id = 'waiting'",
            "SELECT forget_settled_payments(interval '-1200 months 36014 days', 1000)",
            "SELECT forget_settled_payments(interval '1 hour', 1000)",
            "SELECT forget_settled_payments(interval '-400 days', 1000)",
            "SELECT forget_settled_payments(interval '14 days -1 microsecond', 1000)",
            "SELECT forget_settled_payments(interval '1 month -18 days', 1000)",
            "SELECT forget_settled_payments(NULL, 1000)",
            "SELECT forget_settled_payments('-infinity', 1000)",
            "SELECT forget_dead_letter_runs(interval '-1200 months 36014 days', 1000)",
            "SELECT forget_dead_letter_runs(interval '-1200 months 36031 days', 1000)",
            "SELECT forget_dead_letter_runs(NULL, 1000)",
            "SELECT forget_dead_letter_runs('-infinity', 1000)",
            "SELECT reap_answers(interval '-1200 months 36001 days', 1000)",
            "SELECT reap_answers(interval '23 hours', 1000)",
            "SELECT reap_answers(NULL, 1000)");

    /** The owner can mend what is broken, and by no slip of the hand what must never change. */
    @ParameterizedTest
    @FieldSource("BY_EVERYONE")
    void not_even_the_owner_changes_what_was_accepted_or_known(String theft) throws SQLException {
        refused("postgres", theft);
    }

    @ParameterizedTest
    @FieldSource("BY_EVERYONE")
    void no_service_changes_what_was_accepted_or_known(String theft) throws SQLException {
        for (String role : Roles.ALL) {
            refused(role, theft);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "UPDATE operation_state SET state = 'succeeded', step = step + 1, psp_reference = 'pi_of_globex', settled_at = now() WHERE operation_id = 'pay_dead'",
            "UPDATE operation_state SET state = 'succeeded', step = step + 1, resolve_at = NULL, psp_reference = 'pi_x' WHERE operation_id = 'pay_unresolved'",
            "UPDATE operation_state SET state = 'succeeded', step = step + 1, resolve_at = NULL, psp_reference = 'pi_x' WHERE operation_id = 'pay_processing'",
            "UPDATE operation_state SET state = 'declined', step = step + 1 WHERE operation_id = 'pay_dead'",
            "UPDATE operation_state SET state = 'succeeded', step = step + 1, psp_reference = 'pi_declined' WHERE operation_id = 'pay_declined'",
            "UPDATE operation_state SET state = 'accepted', step = 1, generation = 2 WHERE operation_id = 'pay_dead'",
            "UPDATE operation_state SET state = 'accepted', step = step + 1 WHERE operation_id = 'pay_dead'",
            "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, sequence = 0 WHERE operation_id = 'pay_dead'",
            "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, psp = 'adyen' WHERE operation_id = 'pay_dead'",
            "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, resolve_at = NULL WHERE operation_id = 'pay_unresolved'",
            "UPDATE operation_state SET state = 'dead', settled_at = NULL, step = step + 1 WHERE operation_id = 'pay_purged'",
            "UPDATE operation_state SET resolve_at = 'infinity' WHERE operation_id = 'pay_unresolved'",
            "UPDATE operation_state SET resolve_at = now() + interval '1 hour', lease_token = gen_random_uuid() WHERE operation_id = 'pay_unresolved'",
            "UPDATE operation_state SET lease_token = gen_random_uuid() WHERE operation_id = 'pay_unresolved'",
            "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = 2, not_before = 'infinity' WHERE operation_id = 'pay_dead'",
            "UPDATE operation_state SET state = 'purged', resolve_at = NULL, step = step + 1 WHERE operation_id = 'pay_unresolved'",
            "UPDATE operation_state SET psp_reference = 'pi_of_globex' WHERE operation_id = 'pay_succeeded'",
            "UPDATE operation_state SET psp_reference = 'pi_of_globex' WHERE operation_id = 'pay_dead'",
            "UPDATE operation_state SET lease_token = gen_random_uuid() WHERE operation_id = 'pay_processing'",
            "UPDATE operation_state SET charge_before = now() + interval '10 years' WHERE operation_id = 'pay_accepted'",
            "UPDATE operation_state SET capture_psp = NULL, capture_reference = NULL WHERE operation_id = 'refund'",
            "INSERT INTO operation SELECT * FROM operation", "INSERT INTO operation_state SELECT * FROM operation_state",
            "UPDATE operation_state SET listed = true", "DELETE FROM waiting", "SELECT list_late_acceptances('0', 1)",
            "INSERT INTO payment_attempt SELECT * FROM payment_attempt",
            "UPDATE payment_attempt SET state = 'failed_definite', failed_definite = true WHERE operation_id = 'pay_unresolved'",
            "UPDATE dead_letter SET amount = 1",
            "UPDATE dead_letter SET operation_id = 'pay_succeeded' WHERE dead_letter_id = 'pay_dead'",
            "DELETE FROM dead_letter",
            "UPDATE hand_settlement SET state = 'settled', answered_at = now() WHERE state = 'waiting'",
            "UPDATE hand_settlement SET answer = 'the PSP says so' WHERE state = 'waiting'",
            "UPDATE hand_settlement SET operation_id = 'pay_dead'",
            "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_dead', 'succeeded', '{}')",
            """
            INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_succeeded', convert_to(
                '{"status":"succeeded","merchant":"acme","amount":999900,"currency":"EUR","psp_reference":"pi_succeeded"}', 'UTF8'), '{}')""",
            "UPDATE outbox SET value = 'y'", "DELETE FROM outbox",
            "UPDATE dlq_run SET planned_by = 'bob'", "DELETE FROM dlq_run_item",
            "INSERT INTO tier_visit SELECT * FROM tier_visit", "SELECT FROM merchant_token", "SELECT FROM idempotency_key"})
    void the_operator_moves_what_is_listed_and_makes_up_no_money(String theft) throws SQLException {
        refused("chargeonce_dlq_operator", theft);
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "UPDATE operation_state SET state = 'succeeded' WHERE operation_id = 'pay_accepted'",
            "UPDATE operation_state SET failure_message = 'x'",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, charge_within_s)
            VALUES ('pay_x', 'pay_x', 'charge', 'acme', 'x', 1, 'EUR', 'pm', 60);
            UPDATE operation_state SET state = 'succeeded' WHERE operation_id = 'pay_x'""",
            "INSERT INTO operation_state (operation_id, charge_before) VALUES ('pay_x', now())",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, accepted_xid, charge_within_s)
            VALUES ('pay_x', 'pay_x', 'charge', 'acme', 'x', 1, 'EUR', 'pm', '1', 60)""",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, charge_within_s)
            VALUES ('r1', 'pay_succeeded', 'reversal', 'acme', 'r1', 100, 'EUR', 'pm', 60)""",
            """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, charge_within_s)
            VALUES ('r1', 'pay_of_nobody', 'refund', 'acme', 'r1', 100, 'EUR', 'pm', 60)""",
            """
            INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_method, request_path, request_params,
                                         recovery_point, response_status, resource_id, created_at)
            VALUES ('acme', 'k', sha256('x'), 1, 'POST', '/', '{}', 'accepted', 202, 'pay_x', now() - interval '1 year')""",
            "UPDATE idempotency_key SET response_headers = NULL, response_body = NULL",
            "UPDATE idempotency_key SET created_at = now()", "UPDATE idempotency_key SET resource_id = 'pay_dead'", "DELETE FROM idempotency_key",
            "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_dead', 'succeeded', '{}')",
            "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_succeeded', 'succeeded', '{}')",
            "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'other.requests.outcomes', 'pay_dead', 'succeeded', '{}')",
            "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.dlq', 'pay_dead', NULL, '{}')",
            "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.retry-1', 'pay_dead', 'x', '{}')",
            "UPDATE outbox SET value = 'y'", "UPDATE outbox SET topic = 'payments.requests'", "UPDATE outbox SET record_key = 'y'",
            "UPDATE duplicate_guard SET merchant_id = 'globex'", "SELECT FROM payment_attempt", "SELECT request FROM payment_attempt",
            "SELECT created_at FROM merchant_token", "INSERT INTO merchant_token (token_sha256, merchant_id) VALUES (sha256('mine'), 'acme')",
            "UPDATE merchant_token SET revoked_at = now()", "UPDATE merchant SET duplicate_window_ms = 0", "SELECT FROM hand_settlement",
            "SELECT cutoff('1 day', '0')", "SELECT FROM audit_record", "SELECT FROM dead_letter"})
    void ingest_accepts_and_decides_nothing(String theft) throws SQLException {
        refused("chargeonce_ingest", theft);
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "SELECT FROM merchant_token", "SELECT FROM idempotency_key", "SELECT requests_per_second FROM merchant",
            "UPDATE merchant SET represent_declines = true",
            "INSERT INTO dlq_run SELECT * FROM dlq_run", "UPDATE dlq_run SET state = 'running'", "UPDATE dlq_run_item SET fate = 'settled'",
            "UPDATE dead_letter SET amount = 1", "UPDATE dead_letter SET edited_value = 'x'", "DELETE FROM dead_letter",
            "UPDATE payment_attempt SET sent_at = now()", "UPDATE payment_attempt SET key_valid_until = now()", "UPDATE payment_attempt SET psp = 'adyen'",
            "INSERT INTO psp_observation (psp_key, observed_at, source, outcome) VALUES ('k', now() - interval '1 day', 'call', 'charged')",
            "UPDATE operation SET customer = 'c'", "UPDATE operation SET reference = 'r'", "UPDATE operation_state SET listed = false",
            "DELETE FROM waiting", "UPDATE waiting SET due_at = 'infinity'", "INSERT INTO looked_through VALUES ('claims', '4000000000000')",
            "SELECT look_from('claims', '0', '4000000000000')",
            "UPDATE outbox SET value = 'y'", "UPDATE outbox SET topic = 'payments.requests'",
            "UPDATE hand_settlement SET evidence = 'y'", "UPDATE hand_settlement SET approved_by = 'y'",
            "INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, proposed_by, run) VALUES ('k', 'o', 1, 'not_charged', 'e', 'p', 'r')",
            "INSERT INTO tier_visit SELECT * FROM tier_visit", "UPDATE tier_visit SET tier = 2", "DELETE FROM retry_budget",
            "UPDATE retry_budget SET day = day - 31", "UPDATE psp_notice SET notice_id = 'y'", "UPDATE unmatched_notice SET amount = 1, currency = 'EUR'",
            "DELETE FROM capture_failure", "UPDATE capture_failure SET operation_id = 'pay_dead'", "SELECT lock_payment('pay_dead')",
            "SELECT take_back_keys('{acme}', '{dead}')", "SELECT forget_settled_payments('400 days', 1)", "SELECT reap_answers('2 days', 1)",
            "INSERT INTO audit_record (session_role, actor, action, resource_type, resource_id) VALUES ('chargeonce_dlq_operator', 'alice', 'dlq.purged', 'operation', 'pay_dead')",
            "SELECT append_audit('{acme}', '{alice}', '{dlq.purged}', '{operation}', '{pay_dead}', '{NULL}', '{NULL}', '{NULL}')",
            "UPDATE audit_seal SET records = 1", "DELETE FROM audit_seal", "DELETE FROM audit_record"})
    void charge_and_retry_change_only_how_far_a_payment_has_come(String theft) throws SQLException {
        refused("chargeonce_charge", theft);
        refused("chargeonce_retry", theft);
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "UPDATE merchant_token SET token_sha256 = sha256('mine')", "DELETE FROM merchant_token", "UPDATE merchant_token SET created_at = now()",
            "INSERT INTO merchant_token (token_sha256, merchant_id, created_at) VALUES (sha256('mine'), 'acme', now() - interval '1 year')",
            "UPDATE merchant SET merchant_id = 'x' WHERE merchant_id = 'globex'", "DELETE FROM merchant", "SELECT FROM operation", "SELECT FROM outbox",
            "SELECT FROM audit_record"})
    void the_merchant_admin_makes_and_revokes_tokens_and_moves_none(String theft) throws SQLException {
        refused("chargeonce_merchant_admin", theft);
    }

    @Test
    void the_reader_of_the_queue_writes_nothing() throws SQLException {
        for (String table : tables()) {
            refused("chargeonce_dlq_reader", "INSERT INTO %s DEFAULT VALUES".formatted(table));
            refused("chargeonce_dlq_reader", "DELETE FROM " + table);
            refused("chargeonce_dlq_reader", "TRUNCATE " + table + " CASCADE");
            refused("chargeonce_dlq_reader", "SELECT FROM " + table + " FOR UPDATE");
        }
    }

    /** Each key is as old as its payment, whatever was done to it a moment ago. */
    @ParameterizedTest
    @ValueSource(strings = {
            "SELECT take_back_keys('{acme,acme,acme}', '{succeeded,declined,dead}')",
            "SELECT reap_answers('2 days', 1000); SELECT take_back_keys('{acme,acme,acme}', '{succeeded,declined,dead}'); ROLLBACK TO before",
            "SELECT forget_settled_payments('400 days', 1000)", "SELECT forget_settled_payments('14 days', NULL)",
            "SELECT forget_settled_payments('infinity', 1000)", "SELECT forget_dead_letter_runs('14 days', 1000)",
            "SELECT reap_answers('2 days', NULL)", "SELECT reap_answers('11 days', 1000)"})
    void ingest_frees_no_key_and_forgets_nothing_before_its_time(String theft) throws SQLException {
        List<String> before = rows();
        try (Connection connection = login("chargeonce_ingest"); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SAVEPOINT before");
            for (String each : theft.split("; ")) {
                statement.execute(each);
                assertThat(keys(connection)).as("after %s", each).isEqualTo(7);
            }
            connection.commit();
        }
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void what_a_transaction_has_put_in_itself_it_takes_back_unless_a_payment_was_accepted_with_it() throws SQLException {
        String key = """
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_method, request_path,
                                             request_params, recovery_point, response_status, resource_id)
                VALUES ('acme', 'mine', sha256('x'), 1, 'POST', '/v1/payments', '{}', 'accepted', 202, '%s')
                """;
        try (Connection connection = login("chargeonce_ingest"); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String resource : List.of("pay_x", "pay_accepted")) {
                statement.execute(key.formatted(resource));
                statement.execute("SELECT take_back_keys('{acme}', '{mine}')");
                assertThat(keys(connection)).as(resource).isEqualTo(resource.equals("pay_x") ? 7 : 8);
            }
            connection.rollback();
        }
    }

    /** Who reads the payment without a lock may find that the PSP has corrected it before the refund is saved. */
    @Test
    void a_refund_may_name_the_capture_that_a_person_found_and_the_psp_has_corrected_since() throws SQLException {
        try (Connection connection = login("postgres"); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("""
                    INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, psp_reference, evidence, proposed_by, run, approved_by, state)
                    VALUES ('key_pay_succeeded', 'pay_succeeded', 2, 'charged', 'pi_by_hand', 'e', 'ann', 'r', 'ann', 'settled')""");
            statement.execute("SET ROLE chargeonce_charge");
            assertThat(statement.executeUpdate("UPDATE operation_state SET capture_reference = 'pi_by_hand' WHERE operation_id = 'refund'")).isOne();
            connection.rollback();
        }
    }

    private static int keys(Connection connection) throws SQLException {
        try (var statement = connection.createStatement(); var row = statement.executeQuery("SELECT count(*) FROM idempotency_key")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void refused(String role, String theft) throws SQLException {
        List<String> before = rows();
        assertThatThrownBy(() -> execute(role, theft)).as("%s: %s", role, theft)
                .isInstanceOf(SQLException.class).extracting(e -> ((SQLException) e).getSQLState()).isIn(REFUSED);
        assertThat(rows()).as("after %s: %s", role, theft).isEqualTo(before);
    }

    private static void execute(String role, String sql) throws SQLException {
        try (Connection connection = login(role); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Connection login(String role) throws SQLException {
        return DriverManager.getConnection(url.replace("user=postgres", "user=" + role) + "&currentSchema=chargeonce");
    }

    private static List<String> tables() throws SQLException {
        return texts("SELECT tablename FROM pg_tables WHERE schemaname = 'chargeonce' AND tablename NOT LIKE 'flyway%' ORDER BY 1");
    }

    /** Everything that is stored, in one statement. */
    private static List<String> rows() throws SQLException {
        return texts(tables().stream().map("SELECT '%1$s ' || row::text AS row FROM %1$s AS row"::formatted)
                .collect(Collectors.joining(" UNION ALL ")) + " ORDER BY row");
    }

    private static List<String> texts(String sql) throws SQLException {
        var texts = new ArrayList<String>();
        try (var statement = owner.createStatement(); var row = statement.executeQuery(sql)) {
            while (row.next()) {
                texts.add(row.getString(1));
            }
        }
        return texts;
    }
}
