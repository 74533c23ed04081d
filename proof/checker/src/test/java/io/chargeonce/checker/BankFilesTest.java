// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A world in balance with one debit at a bank. Broken in one place, the invariant of that place is named, and no other. */
class BankFilesTest {

    private final Sample sample = new Sample();
    private final World world = sample.world;
    private final String key = Sample.key(sample.charged, 1);

    /** The charged payment went to a bank, in the one file that its row names. */
    @BeforeEach
    void debit() {
        world.forgetMovements();
        world.moved(0, "capture", sample.retried, 1299, "eur", "k2", "");
        world.sql("""
                INSERT INTO bank_batch (bank, kind, currency, message_id, file_name, due_on, items, total)
                VALUES ('bank', 'debit', 'EUR', 'CO-1', 'pain.008-CO-1.xml', '2026-03-04', 1, 1299);
                INSERT INTO bank_batch_item (psp_key, bank, kind, amount, currency, mandate_id, payment_id, remittance, batch_id,
                       answer_due)
                SELECT '%s', 'bank', 'debit', 1299, 'EUR', 'mandate_m', '%s', 'order-7', batch_id, now() FROM bank_batch
                """.formatted(key, sample.charged));
        world.took("CO-1", key);
        world.booked("capture", sample.charged, key);
    }

    @AfterEach
    void close() throws SQLException {
        sample.close();
    }

    @Test
    void a_debit_that_is_booked_once_is_balanced_and_so_is_its_file_that_comes_twice() {
        assertThat(world.check().violations()).isEmpty();
        world.took("CO-1", key);
        assertThat(world.check().balanced()).isTrue();
    }

    @Test
    void one_capture_a_booking_beside_a_capture_at_a_psp_is_a_double_charge() {
        world.moved(0, "capture", sample.charged, 1299, "eur", "k1", "");
        CheckVerdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::invariant).contains(Invariant.ONE_CAPTURE)
                .doesNotContain(Invariant.ONE_FILE);
        assertThat(verdict.count("double_charged")).isOne();
    }

    @Test
    void one_file_and_one_capture_a_debit_that_was_sent_in_two_files_and_booked_twice() {
        world.took("CO-2", key);
        world.booked("capture", sample.charged, key);
        CheckVerdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::invariant).contains(Invariant.ONE_FILE, Invariant.ONE_CAPTURE);
        assertThat(verdict.count("double_charged")).isOne();
    }

    @Test
    void one_file_a_debit_that_was_sent_in_two_files_although_the_bank_booked_it_once() {
        world.took("CO-2", key);
        world.breaks(Invariant.ONE_FILE, sample.charged);
        assertThat(world.check().report()).contains("is in the file CO-1, and came to its bank in the file CO-2 too");
    }

    @Test
    void one_file_a_file_that_was_rendered_twice_although_the_bank_refused_it() {
        world.sql("UPDATE bank_batch SET sha256 = decode('%s', 'hex'), size = 1".formatted("ab".repeat(32)));
        world.tookBytes("CO-1", "ab".repeat(32), key);
        assertThat(world.check().violations()).isEmpty();
        world.tookBytes("CO-1", "cd".repeat(32), key);
        world.breaks(Invariant.ONE_FILE, sample.charged);
        assertThat(world.check().report()).contains("the file CO-1 came to its bank with other bytes than those that are stored");
    }

    @Test
    void one_file_a_debit_in_a_file_at_the_bank_that_no_row_knows() {
        world.took("CO-3", "a-key-of-nothing");
        world.breaks(Invariant.ONE_FILE, "a-key-of-nothing");
    }

    @Test
    void in_several_passes_the_same_is_found_as_in_one() {
        world.took("CO-2", key);
        world.took("CO-3", "a-key-of-nothing");
        world.booked("return", sample.charged, "another-key");
        CheckVerdict once = world.check();
        world.shares = 4;
        assertThat(once.violations()).hasSizeGreaterThan(2);
        assertThat(world.check().violations()).containsExactlyInAnyOrderElementsOf(once.violations());
    }

    @Test
    void psp_agrees_what_a_bank_took_back_has_an_operation_of_ours() {
        world.booked("return", sample.charged, key);
        world.breaks(Invariant.PSP_AGREES, sample.charged, "phantom");
        returned(key);
        assertThat(world.check().violations()).isEmpty();
    }

    private void returned(String attempt) {
        String operation = "attempt-" + attempt + "-return";
        world.sql("""
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                       payment_method, accepted_at, charge_within_s)
                VALUES ('%1$s', '%2$s', 'return', '%3$s', 'acme', '%1$s', 1299, 'EUR', 'mandate_m', '%4$s', 86400);
                INSERT INTO operation_state (operation_id, state, step, sequence, psp, psp_reference, charge_before, settled_at)
                VALUES ('%1$s', 'succeeded', 2, 0, 'bank', 'RET1', '%4$s'::timestamptz + interval '1 day', '%5$s')
                """.formatted(operation, sample.charged, attempt, World.START, Sample.at(60)));
        world.send("outcomes", operation, """
                {"type":"payment.outcome","version":1,"payment_id":"%s","operation":"return","merchant":"acme","idempotency_key":"%s",
                 "status":"succeeded","amount":1299,"currency":"EUR","psp":"bank","psp_reference":"RET1","attempts":0,"revision":2,
                 "settled_at":"%s"}""".formatted(sample.charged, operation, Sample.at(60)), "ce_id", operation + "/2/outcome");
    }

    /** The bank's files may be read in any order. Nothing is left of a debit whose return was read first. */
    @Test
    void psp_agrees_a_declined_debit_that_was_booked_and_returned_is_no_capture() {
        world.booked("capture", sample.declined, "its-key");
        world.booked("return", sample.declined, "its-key");
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void refunds_what_a_bank_took_back_is_not_refunded_as_well() {
        world.booked("return", sample.charged, key);
        returned(key);
        world.moved(0, "refund", sample.charged, 700, "eur", "r1", sample.refund(sample.charged, "line-1", 700));
        world.breaks(Invariant.REFUNDS, sample.charged, "over_refunded");
    }

    /** We were to give it back ourselves: that reversal is declined, because the payer has the money. */
    @Test
    void one_capture_what_a_bank_takes_back_of_a_second_capture_is_as_good_as_our_reversal() {
        world.moved(0, "capture", sample.charged, 1299, "eur", "k1", "");
        world.booked("return", sample.charged, key);
        sample.giveBack("reversal", "attempt-" + key + "-reversal", sample.charged, key, 1299);
        world.sql("UPDATE operation_state SET state = 'declined', sequence = 0 WHERE operation_id LIKE 'attempt-%'",
                "DELETE FROM payment_attempt WHERE operation_id LIKE 'attempt-%'");
        assertThat(world.check().violations()).filteredOn(found -> found.invariant() != Invariant.OUTCOME_AGREES).isEmpty();
    }
}
