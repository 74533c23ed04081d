// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.dlq.QueueRows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EraseTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private static final String PERSON = "jane@example.com";

    @TempDir
    Path folder;

    @Test
    void what_is_personal_goes_from_a_finished_payment_and_the_moneys_trail_stays() {
        String payment = succeeded();
        String trail = trail(payment);
        Called dry = erase(payment);
        assertThat(dry.exit()).isZero();
        assertThat(dry.out()).contains("1 would be erased", "Nothing was changed", "at the PSP");
        assertThat(everythingOf(payment)).contains(PERSON, "Jane", "shoes");

        Called erased = erase(payment, "--yes");
        assertThat(erased.exit()).as(erased.err()).isZero();
        assertThat(erased.out()).contains("1 were erased", "It stays on Kafka's topics", "in backups");
        assertThat(everythingOf(payment)).doesNotContain(PERSON, "Jane", "shoes");
        assertThat(trail(payment)).isEqualTo(trail);
        assertThat(rows.text("SELECT concat_ws(' ', session_role, merchant_id, reason) FROM audit_record WHERE resource_id = '" + payment
                + "' AND action = 'personal_data.erased'")).isEqualTo("chargeonce_eraser acme request 4711");
    }

    @Test
    void the_stored_method_of_an_erased_payment_is_detached_without_tokens_and_without_its_customer() {
        String payment = succeeded();
        String method = "pmt_" + "e".repeat(26);
        sql("""
            INSERT INTO merchant (merchant_id) VALUES ('acme') ON CONFLICT DO NOTHING;
            SELECT store_payment_method('acme', '%1$s', 'Jane', sha256('x'), ARRAY['stripe'], ARRAY['cus_1'], ARRAY['pm_1']);
            SET session_replication_role = replica;
            UPDATE operation SET payment_method = '%1$s' WHERE operation_id = '%2$s';
            SET session_replication_role = origin""".formatted(method, payment));
        assertThat(erase(payment).out()).contains("1 would be erased");
        assertThat(rows.text("SELECT count(*) FROM payment_method_token")).isEqualTo("1");

        assertThat(erase(payment, "--yes").out()).contains("1 were erased");
        assertThat(rows.text("SELECT customer || ' ' || (detached_at IS NOT NULL) FROM payment_method")).isEqualTo("[erased] true");
        assertThat(rows.text("SELECT count(*) FROM payment_method_token")).isEqualTo("0");
        assertThat(erase(payment, "--yes", "--json").json().getFirst().path("result").asString()).isEqualTo("nothing_left");
    }

    @Test
    void a_stored_method_that_charged_nothing_is_erased_by_its_own_id() {
        String method = "pmt_" + "f".repeat(26);
        sql("""
            INSERT INTO merchant (merchant_id) VALUES ('acme') ON CONFLICT DO NOTHING;
            SELECT store_payment_method('acme', '%1$s', 'Jane', sha256('x'), ARRAY['stripe'], ARRAY['cus_1'], ARRAY['pm_1'])"""
                .formatted(method));
        assertThat(erase(method).out()).contains("1 would be erased");
        assertThat(erase(method, "--yes").out()).contains("1 were erased");
        assertThat(rows.text("SELECT customer || ' ' || (detached_at IS NOT NULL) FROM payment_method WHERE payment_method_id = '" + method
                + "'")).isEqualTo("[erased] true");
        assertThat(rows.text("SELECT count(*) FROM payment_method_token WHERE payment_method_id = '" + method + "'")).isEqualTo("0");
        assertThat(rows.text("SELECT resource_type FROM audit_record WHERE resource_id = '" + method
                + "' AND action = 'personal_data.erased'")).isEqualTo("payment_method");
        assertThat(erase(method, "--yes", "--json").json().getFirst().path("result").asString()).isEqualTo("nothing_left");
        assertThat(Called.of(() -> rows.openAs("chargeonce_eraser"), "erase", "globex", method, "--reason", "r").out())
                .as("another merchant's").contains("globex has no such payment");
    }

    @Test
    void what_a_psp_says_in_words_of_a_dispute_or_a_failed_capture_goes_even_if_nothing_else_is_left() {
        String payment = succeeded();
        erase(payment, "--yes");
        for (String words : List.of("""
            INSERT INTO dispute (psp, reference, payment_id, reason, stage, stage_rank, final, funds, funds_rank, refundable, answered, \
            revision) VALUES ('adyen', 'D1', '%s', 'Jane rang', 'lost', 81, true, 'taken', 81, false, true, 1)""", """
            INSERT INTO capture_failure (operation_id, psp, psp_reference, reason) VALUES ('%s', 'adyen', 'P1', 'Jane has moved')""", """
            INSERT INTO unmatched_notice (psp, notice_id, psp_key, gives_back, outcome, dispute)
            SELECT 'adyen', 'n9', psp_key, false, 'disputed', '{"reference": "D1", "reason": "Jane rang"}'
              FROM payment_attempt WHERE payment_id = '%s'""")) {
            sql(words.formatted(payment));
            assertThat(erase(payment).out()).as(words).contains("1 would be erased");
            assertThat(erase(payment, "--yes").out()).contains("1 were erased");
        }
        assertThat(
                rows.text("SELECT concat_ws(' ', (SELECT reason FROM dispute), (SELECT reason FROM capture_failure), (SELECT dispute ->> "
                        + "'reason' FROM unmatched_notice WHERE notice_id = 'n9'))"))
                .isEqualTo("[erased] [erased] [erased]");
        sql("UPDATE dispute SET reason = '[erased]'");
        for (String change : List.of("funds = 'returned'", "due_by = now()", "amount = 1, currency = 'EUR'", "reason = 'Jane rang'")) {
            assertThatThrownBy(() -> sql("UPDATE dispute SET " + change)).as("under its revision").hasMessageContaining("a dispute never");
        }
    }

    /** Who settled it by hand, what they found, and that a PSP told of it, is the money's trail; in which words is not. */
    @Test
    void the_words_of_people_and_of_notices_that_wait_go_and_what_they_decided_stays() {
        String payment = succeeded();
        sql("""
            SET session_replication_role = replica;
            INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, psp_reference, evidence, run, proposed_by, approved_by, \
            state, answer, answered_at)
            SELECT psp_key, operation_id, 1, 'charged', 'pi_1', '%2$s rang', 'run_1', 'ann', 'bob', 'settled', 'Jane paid', now()
              FROM payment_attempt WHERE payment_id = '%1$s';
            INSERT INTO unmatched_notice (psp, notice_id, psp_key, psp_reference, gives_back, outcome, detail)
            SELECT 'adyen', 'n1', psp_key, 'pi_1', false, 'declined', 'Jane has no money' FROM payment_attempt WHERE payment_id = '%1$s';
            INSERT INTO unmatched_notice (psp, notice_id, psp_key, gives_back, outcome, detail) VALUES ('adyen', 'n2', 'another', false, \
            'failed', 'x');
            SET session_replication_role = origin""".formatted(payment, PERSON));
        String decided = rows.text("SELECT (to_jsonb(f) - 'evidence' - 'answer')::text FROM hand_settlement AS f");
        sql("INSERT INTO four_eyes VALUES ('*', 0)");
        try {
            assertThat(erase(payment, "--yes").out()).contains("1 were erased");
        } finally {
            sql("TRUNCATE four_eyes, moved_alone");
        }
        assertThat(rows.text("SELECT evidence || answer FROM hand_settlement")).isEqualTo("[erased][erased]");
        assertThat(rows.text("SELECT (to_jsonb(f) - 'evidence' - 'answer')::text FROM hand_settlement AS f")).isEqualTo(decided);
        assertThat(rows.text(
                "SELECT string_agg(concat_ws(' ', notice_id, outcome, psp_reference, detail), ', ' ORDER BY notice_id) FROM "
                        + "unmatched_notice"))
                .isEqualTo("n1 declined pi_1 [erased], n2 failed x");
        assertThat(erase(payment, "--yes", "--json").json().getFirst().path("result").asString()).isEqualTo("nothing_left");

        sql("SET session_replication_role = replica; UPDATE hand_settlement SET evidence = 'Jane'; SET session_replication_role = origin");
        assertThat(erase(payment).out()).as("a finding's words alone are personal").contains("1 would be erased");
    }

    /** The setting by which the function erases can be made by anyone; it alone changes nothing. */
    @Test
    void who_says_to_be_erasing_changes_no_finding_of_another() {
        String id = rows.unresolvedAndAsked(true);
        sql("""
            SET session_replication_role = replica;
            INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, run, proposed_by, approved_by, state)
            SELECT psp_key, operation_id, 1, 'not_charged', 'e', 'run_1', 'carl', 'bob', 'settled' FROM payment_attempt WHERE payment_id \
            = '%s';
            SET session_replication_role = origin""".formatted(id));
        var queue = rows.open();
        for (String change : List.of("evidence = '[erased]'", "evidence = 'e'", "verdict = 'not_charged'", "step = 2")) {
            assertThatThrownBy(() -> queue.database().inTransaction(connection -> {
                try (var statement = connection.createStatement()) {
                    return statement.execute("SET LOCAL chargeonce.erasing = 'on'; UPDATE hand_settlement SET " + change);
                }
            })).as(change).isInstanceOf(io.chargeonce.database.DatabaseRefused.class);
        }
        sql("SET session_replication_role = replica; UPDATE hand_settlement SET state = 'waiting'; SET session_replication_role = origin");
        queue.database().inTransaction(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute("SET LOCAL chargeonce.erasing = 'on'; UPDATE hand_settlement SET evidence = '[erased]'");
            }
        });
        assertThat(rows.text("SELECT proposed_by FROM hand_settlement")).as("it is its own now").isEqualTo(QueueRows.OPERATOR);
    }

    @Test
    void erasing_twice_is_erasing_once() {
        String payment = succeeded();
        erase(payment, "--yes");
        String before = everythingOf(payment);
        Called again = erase(payment, "--yes", "--json");
        assertThat(again.exit()).isZero();
        assertThat(again.json().getFirst().path("result").asString()).isEqualTo("nothing_left");
        assertThat(everythingOf(payment)).isEqualTo(before);
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE action = 'personal_data.erased'")).isEqualTo("1");
    }

    @Test
    void an_unfinished_payment_is_left_whole_and_the_others_are_erased() throws Exception {
        String finished = succeeded();
        String dead = rows.dead();
        fill(dead);
        Path list = Files.writeString(folder.resolve("payments"), finished + "\n" + dead + "\n\npay_nobody\n");
        Called erased =
                Called.of(() -> rows.openAs("chargeonce_eraser"), "erase", "acme", "--from", list.toString(), "--reason", "r", "--yes");
        assertThat(erased.exit()).isEqualTo(1);
        assertThat(erased.out()).contains(dead + ": left whole, for it is not finished (dead)", "pay_nobody: left as it is",
                "1 were erased");
        assertThat(everythingOf(dead)).contains(PERSON);
        assertThat(everythingOf(finished)).doesNotContain(PERSON);
        assertThat(Called.of(() -> rows.openAs("chargeonce_eraser"), "erase", "globex", dead, "--reason", "r").out())
                .as("another merchant's").contains("globex has no such payment");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "INSERT INTO outbox (shard, topic, record_key, headers) VALUES (0, 'payments.outcomes', '%s', '{}')",
        "UPDATE payment_attempt SET state = 'unknown', failed_definite = false WHERE payment_id = '%s'",
        "UPDATE operation_state SET state = 'purged', settled_at = now(), resolve_at = now() WHERE operation_id = '%s'",
        "UPDATE dead_letter SET state = 'dead' WHERE operation_id = '%s'",
        "UPDATE operation_state SET state = 'unresolved', unresolved_since = now(), resolve_at = now() WHERE operation_id = 're_1' AND "
                + "'%s' <> ''",
        "INSERT INTO outbox (shard, topic, record_key, headers) SELECT 0, 'payments.outcomes', 're_1', '{}' WHERE '%s' <> ''"})
    void what_may_still_move_money_or_be_told_is_not_finished(String still) {
        String payment = succeeded();
        refund(payment);
        sql("SET session_replication_role = replica; " + still.formatted(payment) + "; SET session_replication_role = origin");
        assertThat(erase(payment, "--yes").out()).contains("left whole, for it is not finished");
        assertThat(everythingOf(payment)).contains(PERSON);
    }

    @Test
    void what_is_personal_goes_from_its_refunds_too() {
        String payment = succeeded();
        refund(payment);
        assertThat(erase(payment, "--yes").out()).contains("1 were erased");
        assertThat(rows.text(
                "SELECT string_agg(concat_ws(' ', o, a, d), ' ') FROM operation_now AS o JOIN payment_attempt AS a USING (operation_id) "
                        + "JOIN dead_letter AS d USING (operation_id) WHERE o.operation_id = 're_1'"))
                .contains("re_1").doesNotContain(PERSON, "Jane");
        refund(payment, "re_2");
        assertThat(erase(payment).out()).as("a refund's alone is personal").contains("1 would be erased");
    }

    private static void refund(String payment) {
        refund(payment, "re_1");
    }

    /** One that is over, and has everything about a person that a refund can hold. */
    private static void refund(String payment, String id) {
        sql("""
            SET session_replication_role = replica;
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, \
            payment_method, customer, charge_within_s)
            SELECT '%2$s', '%1$s', 'refund', '%2$s', merchant_id, idempotency_key, amount, currency, payment_method, 'Jane', 60 FROM \
            operation WHERE operation_id = '%1$s';
            INSERT INTO operation_state (operation_id, charge_before, state, failure_message) VALUES ('%2$s', now(), 'succeeded', '%3$s');
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, state, \
            request, request_sha256, sent_at, key_valid_until, message)
            SELECT '%2$s', '%2$s', '%1$s', 'refund', '%2$s', 1, 1, 'stripe', 'succeeded', 'Jane', sha256('x'), now(), now(), '%3$s';
            INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, state, cause, message, \
            generation)
            SELECT '%2$s', '%2$s', '%1$s', merchant_id, amount, currency, 'settled', 'gateway_timed_out', '%3$s', 1 FROM operation WHERE \
            operation_id = '%1$s';
            SET session_replication_role = origin
            """.formatted(payment, id, PERSON));
    }

    @Test
    void a_purge_that_can_be_undone_is_not_finished() {
        String payment = rows.dead();
        fill(payment);
        Called.of(rows::open, "purge", payment, "--reason", "r", "--yes");
        assertThat(erase(payment, "--yes").out()).contains("not finished (purged)");
        sql("UPDATE operation_state SET settled_at = now() WHERE operation_id = '" + payment + "'; TRUNCATE outbox");
        assertThat(erase(payment, "--yes").exit()).isZero();
        assertThat(Called.of(rows::open, "restore", payment, "--reason", "r", "--yes").exit()).isEqualTo(1);
        assertThat(everythingOf(payment)).doesNotContain(PERSON);
    }

    @Test
    void only_the_eraser_erases_and_a_reason_is_needed() {
        String payment = succeeded();
        for (String role : List.of("chargeonce_dlq_operator", "chargeonce_dlq_unmask", "chargeonce_ingest", "chargeonce_charge")) {
            Called refused = Called.of(() -> rows.openAs(role), "erase", "acme", payment, "--reason", "r", "--yes");
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("to erase chargeonce_eraser");
        }
        assertThat(Called.of(() -> rows.openAs("chargeonce_eraser"), "erase", "acme", payment, "--yes").err())
                .contains("--reason is missing");
        assertThat(Called.of(() -> rows.openAs("chargeonce_eraser"), "erase", "acme", payment, "--reason", "card 4111111111111111").err())
                .contains("can be a card number");
        assertThatThrownBy(() -> rows.openAs("chargeonce_eraser").database().withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute("SELECT erase_personal_data('acme', '{%s}', NULL, ' ', 'run_1', true)".formatted(payment));
            }
        })).as("the function itself asks for one").hasMessageContaining("give a reason");
        assertThat(everythingOf(payment)).contains(PERSON);
    }

    /** The function erases, and nothing else can be made of its way: not even its owner changes the money. */
    @Test
    void not_even_while_erasing_does_anything_of_the_money_change() {
        succeeded();
        for (String column : rows
                .text("SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = 'operation'::regclass AND attnum > 0 "
                        + "AND NOT attisdropped AND attname NOT IN ('customer', 'description', 'receipt_email')")
                .split(" ")) {
            assertThatThrownBy(() -> sql("BEGIN; SET LOCAL chargeonce.erasing = 'on'; UPDATE operation SET %1$s = %1$s".formatted(column)))
                    .as(column).hasRootCauseMessage("ERROR: operation: what was accepted never changes");
        }
        assertThatThrownBy(() -> sql("UPDATE operation SET customer = 'x'")).hasMessageContaining("only erase_personal_data");
        assertThatThrownBy(() -> sql("UPDATE payment_attempt SET request = 'x'")).hasMessageContaining("only erase_personal_data");
        assertThatThrownBy(() -> sql("UPDATE psp_observation SET detail = 'x'")).hasMessageContaining("only erase_personal_data");
    }

    /** With everything about a person that a payment can hold. */
    private String succeeded() {
        String payment = rows.charged();
        rows.settle(payment);
        fill(payment);
        sql("TRUNCATE outbox");
        return payment;
    }

    private static void fill(String payment) {
        sql("""
            SET session_replication_role = replica;
            UPDATE operation SET customer = 'Jane', description = 'shoes', receipt_email = '%2$s' WHERE operation_id = '%1$s';
            UPDATE operation_state SET failure_message = '%2$s' WHERE operation_id = '%1$s';
            UPDATE payment_attempt SET request = 'receipt_email=%2$s', message = 'Jane' WHERE payment_id = '%1$s';
            UPDATE psp_observation SET detail = '%2$s' WHERE psp_key IN (SELECT psp_key FROM payment_attempt WHERE payment_id = '%1$s');
            UPDATE dead_letter SET message = '%2$s' WHERE dead_letter_id = '%1$s';
            INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path, resource_id)
            SELECT merchant_id, idempotency_key, sha256('x'), 1, '/v1/payments', operation_id
              FROM operation WHERE operation_id = '%1$s';
            SET session_replication_role = origin
            """.formatted(payment, PERSON));
    }

    private static String everythingOf(String payment) {
        return rows.text("""
            SELECT concat_ws(' ', (SELECT o::text FROM operation_now AS o WHERE operation_id = '%1$s'),
                             (SELECT string_agg(key::text, ' ') FROM idempotency_key AS key WHERE resource_id = '%1$s'),
                             (SELECT string_agg(encode(request, 'escape') || concat_ws(' ', a::text), ' ') FROM payment_attempt AS a \
            WHERE payment_id = '%1$s'),
                             (SELECT string_agg(p::text, ' ') FROM psp_observation AS p JOIN payment_attempt USING (psp_key) WHERE \
            payment_id = '%1$s'),
                             (SELECT string_agg(d::text, ' ') FROM dead_letter AS d WHERE dead_letter_id = '%1$s'))
            """.formatted(payment));
    }

    private static String trail(String payment) {
        return rows.text("""
            SELECT concat_ws(' ', amount, currency, merchant_id, idempotency_key, payment_method, reference, state, step, psp, \
            psp_reference,
                             (SELECT string_agg(concat_ws('/', psp_key, state, encode(request_sha256, 'hex'), psp_reference), ' ')
                                FROM payment_attempt WHERE payment_id = '%1$s'),
                             (SELECT encode(fingerprint, 'hex') FROM idempotency_key WHERE resource_id = '%1$s'))
              FROM operation_now WHERE operation_id = '%1$s'
            """.formatted(payment));
    }

    private static void sql(String sql) {
        rows.owner().withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute(sql);
                return sql;
            } catch (SQLException e) {
                connection.createStatement().execute("ROLLBACK");
                throw e;
            }
        });
    }

    private static Called erase(String payment, String... more) {
        var arguments = new ArrayList<>(List.of("erase", "acme", payment, "--reason", "request 4711"));
        arguments.addAll(List.of(more));
        return Called.of(() -> rows.openAs("chargeonce_eraser"), arguments.toArray(String[]::new));
    }
}
