// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.database.Roles;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a thief would try at debits by bank files. Each statement is refused, and no row has changed. */
class BankTheftTest {

    private static RobbedDatabase database;

    @BeforeAll
    static void fill() throws SQLException {
        database = new RobbedDatabase();
    }

    @AfterAll
    static void close() throws SQLException {
        database.close();
    }

    static final List<String> BY_EVERYONE = List.of("UPDATE bank_batch SET total = 1", "UPDATE bank_batch SET message_id = 'CO-2'",
            "UPDATE bank_batch SET sha256 = sha256('y')", "DELETE FROM bank_batch", "UPDATE bank_batch_item SET amount = 1",
            "UPDATE bank_batch_item SET mandate_id = 'mandate_2'", "UPDATE bank_batch_item SET psp_key = 'another'",
            "UPDATE bank_batch_item SET batch_id = NULL WHERE batch_id IS NOT NULL",
            "UPDATE bank_batch_item SET batch_id = 1 WHERE psp_key = 'key_pay_dead'",
            "UPDATE bank_batch_item SET fenced = false WHERE fenced", "DELETE FROM bank_batch_item",
            "UPDATE bank_file_part SET sealed = ''", "DELETE FROM bank_file_part", "UPDATE bank_mandate SET sealed_debtor = ''",
            "UPDATE bank_file_in SET sha256 = sha256('y')", "UPDATE bank_file_in SET quarantined = 'x'", "DELETE FROM bank_file_in",
            "UPDATE bank_line SET mark = sha256('x')", "UPDATE bank_line SET amount = 1", "UPDATE bank_line SET kind = 'returned'",
            "UPDATE bank_line SET psp_key = 'key_pay_dead'",
            "UPDATE bank_line SET state = 'new' WHERE state = 'taken'", "DELETE FROM bank_line",
            "UPDATE bank_mandate SET merchant_id = 'globex'", "UPDATE bank_mandate SET bank = 'bank-uk'", "DELETE FROM bank_mandate");

    @ParameterizedTest
    @FieldSource("BY_EVERYONE")
    void neither_a_service_nor_the_owner_changes_what_was_sealed_or_said(String theft) throws SQLException {
        database.refused("postgres", theft);
        for (String role : Roles.ALL) {
            database.refused(role, theft);
        }
    }

    /** What a bank says reaches it first, so it may lie about that. Charge believes it only about an item that was in a file. */
    @ParameterizedTest
    @ValueSource(strings = {
        """
            INSERT INTO bank_batch_item (psp_key, bank, kind, amount, currency, mandate_id, payment_id, remittance, answer_due)
            VALUES ('key_pay_accepted', 'bank', 'debit', 1000, 'EUR', 'mandate_1', 'pay_accepted', 'r', now())""",
        "SELECT collect_for_bank('key_pay_unresolved')", "SELECT fence_for_bank('key_pay_unresolved')",
        "SELECT seal_bank_batch('bank', 6, 'debit', 'EUR', now(), '2026-12-01', 'CO', now(), 10)",
        "UPDATE bank_batch_item SET remittance = 'x'", "UPDATE bank_batch_item SET kind = 'credit'", "UPDATE bank_batch SET resends = 1",
        """
            INSERT INTO bank_batch (bank, kind, currency, message_id, file_name, due_on, items, total, answer_due)
            VALUES ('bank', 'debit', 'EUR', 'CO-2', 'pain.008-CO-2.xml', '2026-12-01', 1, 1000, now())""",
        "UPDATE bank_batch SET state = 'rejected'", "UPDATE bank_batch SET state = 'accepted', answer_due = NULL",
        "UPDATE bank_batch SET sent_at = now(), answered_at = now()", "UPDATE bank_batch_item SET batch_id = 1 WHERE batch_id IS NULL",
        "UPDATE bank_batch_item SET answer_due = 'infinity'", "UPDATE bank_batch_item SET fenced = true, note = 'x'",
        "SELECT nextval('bank_message')", "SELECT set_aside_for_bank('bank', 6, '{key_pay_unresolved}', '{x}')",
        "SELECT rendered_bank_batch(1, 6, sha256('y'), 1)", "SELECT move_bank_batch(1, 6, 'renaming')",
        "UPDATE bank_file_in SET decided = 'closed'", "SELECT decide_unmatched('line', 2, 'closed', NULL, 'r')",
        "SELECT decide_unmatched('file', 1, 'closed', NULL, 'r')", "SELECT resend_bank_batch(1, NULL, 'r')",
        "SELECT must_be_submitter('bank', 7)", "SELECT answer_bank_batch(1, 'sent', NULL, 'r')",
        "SELECT answer_bank_batch(1, 'accepted', 'infinity', NULL)", "SELECT answer_bank_batch(1, 'accepted', '9999-12-31', NULL)",
        "UPDATE bank_batch SET due_on = '2027-12-01'", "DELETE FROM bank_file_part",
        "INSERT INTO bank_line (file_id, bank, kind, psp_key, state) VALUES (1, 'bank', 'rejected', 'key_pay_unresolved', 'taken')",
        "UPDATE bank_line SET state = 'taken'", "UPDATE bank_line SET state = 'closed' WHERE state = 'unmatched'",
        "UPDATE bank SET bank = 'bank-uk'", "DELETE FROM bank",
        "INSERT INTO bank_mandate (mandate_id, merchant_id, bank, signed_on, sealed_debtor) "
                + "VALUES ('mandate_3', 'globex', 'bank', '2026-01-31', '\\x03')",
        "UPDATE bank_mandate SET sealed_debtor = '\\x03'", "UPDATE bank_mandate SET revoked_at = NULL",
        "SELECT debits_by('acme', 'mandate_1')", "SELECT returned_of('acme', 'pay_succeeded')", "SELECT FROM operation",
        "SELECT FROM operation_state", "SELECT FROM operation_now", "SELECT FROM payment_attempt",
        "UPDATE payment_attempt SET state = 'succeeded' WHERE psp_key = 'key_pay_unresolved'",
        "UPDATE operation_state SET state = 'succeeded' WHERE operation_id = 'pay_unresolved'",
        "INSERT INTO psp_observation (psp_key, source, outcome, psp_reference) VALUES ('key_pay_unresolved', 'bank', 'charged', 'pi')",
        "SELECT FROM merchant_token", "SELECT FROM idempotency_key", "SELECT FROM outbox", "SELECT FROM dead_letter",
        "SELECT FROM psp_observation", "SELECT FROM audit_record", "SELECT FROM settlement_line",
        "SELECT append_audit('{acme}', '{alice}', '{dlq.purged}', '{operation}', '{pay_dead}', '{NULL}', '{NULL}', '{NULL}')",
        "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.outcomes', 'pay_dead', 'succeeded', '{}')"})
    void the_service_that_talks_to_banks_invents_no_debit_and_settles_none(String theft) throws SQLException {
        database.refused("chargeonce_bank_files", theft);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "SELECT FROM bank_mandate", "SELECT sealed_debtor FROM bank_mandate", "SELECT FROM bank_file_part", "SELECT FROM bank_file_in",
        "SELECT answer_bank_batch(1, 'rejected', NULL, 'r')", "SELECT decide_unmatched('line', 2, 'closed', NULL, 'r')",
        "UPDATE bank_batch_item SET batch_id = 1 WHERE psp_key = 'key_pay_unresolved'", "UPDATE bank_batch SET state = 'rendered'",
        "INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit) "
                + "VALUES (1, 'bank', 'booked', 'key_pay_unresolved', 1000, 'EUR', true)",
        """
            INSERT INTO bank_batch_item (psp_key, bank, kind, amount, currency, mandate_id, payment_id, remittance, answer_due)
            VALUES ('key_pay_accepted', 'bank', 'debit', 999900, 'EUR', 'mandate_1', 'pay_accepted', 'r', now())""",
        "SELECT seal_bank_batch('bank', 7, 'debit', 'EUR', now(), '2026-12-01', 'CO', now(), 10)", "UPDATE bank SET fence = 8"})
    void charge_and_retry_see_no_account_and_write_no_file_and_no_word_of_a_bank(String theft) throws SQLException {
        database.refused("chargeonce_charge", theft);
        database.refused("chargeonce_retry", theft);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "SELECT FROM bank_mandate", "SELECT FROM bank_file_part", "SELECT collect_for_bank('key_pay_unresolved')",
        "SELECT fence_for_bank('key_pay_unresolved')", "UPDATE bank_batch_item SET batch_id = 1 WHERE psp_key = 'key_pay_unresolved'",
        "INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit) "
                + "VALUES (1, 'bank', 'booked', 'key_pay_unresolved', 1000, 'EUR', true)",
        "UPDATE bank_batch SET sent_at = now()", "UPDATE bank SET fence = 8", "UPDATE bank_batch SET state = 'rendered', resends = 1",
        "UPDATE bank_batch SET answer_due = NULL", "UPDATE bank_batch SET try_at = 'infinity'",
        "UPDATE bank_line SET state = 'closed' WHERE state = 'unmatched'", "UPDATE bank_line SET note = 'x'",
        "UPDATE bank_file_in SET decided = 'closed'", "SELECT was_read_again(1, 'pain.002', 'S1', NULL)",
        "SELECT decide_unmatched('line', 2, 'closed', NULL, ' ')", "SELECT decide_unmatched('line', 2, 'taken', NULL, 'r')",
        "SELECT resend_bank_batch(1, NULL, NULL)", "SELECT answer_bank_batch(1, 'rejected', NULL, 'r')",
        "SELECT move_bank_batch(1, 7, 'sent')"})
    void a_person_on_call_reads_no_account_and_makes_up_no_booking(String theft) throws SQLException {
        for (String role : List.of("chargeonce_dlq_operator", "chargeonce_dlq_reader", "chargeonce_dlq_unmask")) {
            database.refused(role, theft);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "SELECT sealed_debtor FROM bank_mandate", "SELECT * FROM bank_mandate",
        "UPDATE bank_mandate SET sealed_debtor = '\\x03' RETURNING 1",
        "INSERT INTO bank_mandate (mandate_id, merchant_id, bank, signed_on, sealed_debtor) "
                + "VALUES ('mandate_3', 'acme', 'bank', '2026-01-31', '\\x03') RETURNING sealed_debtor",
        "UPDATE bank_mandate SET revoked_at = NULL WHERE revoked_at IS NOT NULL", "SELECT FROM bank_batch_item", "SELECT FROM bank_batch",
        "SELECT FROM bank_line", "SELECT FROM bank_file_part", "SELECT collect_for_bank('key_pay_unresolved')"})
    void who_manages_mandates_reads_no_account_back_and_revives_none(String theft) throws SQLException {
        database.refused("chargeonce_merchant_admin", theft);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT FROM bank", "SELECT FROM bank_mandate", "SELECT FROM bank_batch", "SELECT FROM bank_batch_item",
        "SELECT FROM bank_line", "SELECT FROM bank_file_in", "SELECT FROM bank_file_part", "SELECT collect_for_bank('key_pay_unresolved')",
        "SELECT fence_for_bank('key_pay_unresolved')", "SELECT nextval('bank_message')"})
    void who_has_nothing_to_do_with_banks_sees_nothing_of_them(String theft) throws SQLException {
        for (String role : List.of("chargeonce_ingest", "chargeonce_webhooks", "chargeonce_receipts", "chargeonce_eraser")) {
            database.refused(role, theft);
        }
    }

    /** It compares what banks have booked, and can say nothing for them. */
    @ParameterizedTest
    @ValueSource(strings = {"SELECT next_cutoff FROM bank", "SELECT FROM bank_mandate", "SELECT FROM bank_batch",
        "SELECT FROM bank_batch_item",
        "SELECT note FROM bank_line", "SELECT file_name FROM bank_file_in", "SELECT FROM bank_file_part",
        "SELECT collect_for_bank('key_pay_unresolved')", "SELECT fence_for_bank('key_pay_unresolved')", "SELECT nextval('bank_message')",
        "INSERT INTO bank_line (file_id, bank, kind, psp_key) VALUES (1, 'bank', 'rejected', 'key_pay_unresolved')",
        "UPDATE bank_line SET state = 'closed'", "DELETE FROM bank_line"})
    void who_compares_money_reads_what_banks_booked_and_writes_nothing(String theft) throws SQLException {
        database.refused("chargeonce_reconciler", theft);
    }
}
