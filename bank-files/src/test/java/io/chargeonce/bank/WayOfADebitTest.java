// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.inbound.Inbound;
import io.chargeonce.bank.outbound.Outbound;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import io.chargeonce.sandbox.bank.BankBehaviour;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.settlement.BankSaid;
import io.chargeonce.settlement.BookedLine;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From an accepted payment to the bank's booking and back, with charge, the bank's files and a real SFTP server. */
class WayOfADebitTest {

    private BankWorld world;
    private Outbound outbound;
    private Inbound inbound;

    @BeforeEach
    void start() {
        world = new BankWorld();
        use(Duration.ofHours(1));
        outbound.runOnce();
        world.startCharge();
    }

    private void use(Duration answerWithin) {
        BankAccount account = world.account(answerWithin);
        outbound = world.outbound(account);
        inbound = world.inbound(account);
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    private void work() {
        outbound.runOnce();
        inbound.runOnce();
    }

    private void becomes(String operation, String state) {
        await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            work();
            assertThat(world.state(operation)).isEqualTo(state);
        });
    }

    @Test
    void a_debit_succeeds_when_the_bank_has_booked_it_and_is_booked_once() {
        String payment = world.pay(world.mandate("m1"), 1_299);
        becomes(payment, "succeeded");
        assertThat(world.bank.movements()).singleElement().satisfies(moved -> {
            assertThat(moved.kind()).isEqualTo(Movement.Kind.CAPTURE);
            assertThat(moved.amount()).isEqualTo(1_299);
            assertThat(moved.metadata()).containsEntry("payment_id", payment);
        });
        assertThat(world.text("SELECT psp_reference FROM operation_state WHERE operation_id = '%s'".formatted(payment)))
                .isEqualTo(world.bank.movements().getFirst().id());
        assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("accepted");
        assertThat(world.text("SELECT count(*) FROM payment_attempt")).isEqualTo("1");
    }

    @Test
    void what_the_bank_rejects_is_declined_with_its_code_and_the_rest_of_the_file_is_booked() {
        String poor = world.pay(world.mandate("no-funds"), 100);
        String closed = world.pay(world.mandate("closed"), 200);
        String well = world.pay(world.mandate("m1"), 300);
        becomes(well, "succeeded");
        becomes(poor, "declined");
        becomes(closed, "declined");
        assertThat(world.text("SELECT failure_cause FROM operation_state WHERE operation_id = '%s'".formatted(poor))).isEqualTo("AM04");
        assertThat(world.text("SELECT failure_cause FROM operation_state WHERE operation_id = '%s'".formatted(closed))).isEqualTo("AC04");
    }

    @Test
    void a_return_after_the_success_has_an_outcome_of_its_own_kind_and_nothing_more_is_refunded() {
        String payment = world.pay(world.mandate("m1"), 1_299);
        becomes(payment, "succeeded");
        String key = world.text("SELECT psp_key FROM payment_attempt");
        world.bank.takeBack(key, "MD06");
        String back = "attempt-" + key + "-return";
        becomes(back, "succeeded");
        assertThat(world.state(payment)).isEqualTo("succeeded");
        assertThat(world.text("SELECT reason FROM capture_failure WHERE operation_id = '%s'".formatted(payment))).contains("MD06");
        assertThat(world.text("SELECT count(*) FROM audit_record WHERE action = 'succeeded' AND resource_id = '%s'".formatted(back)))
                .isEqualTo("1");
        assertThat(world.text("SELECT kind FROM operation WHERE operation_id = '%s'".formatted(back))).isEqualTo("return");
        assertThat(world.refund(payment)).isEqualTo(new Refunds.Answer.TooMuch(0));
    }

    @Test
    void a_refund_goes_out_as_a_credit_transfer_once() {
        String payment = world.pay(world.mandate("m1"), 1_299);
        becomes(payment, "succeeded");
        assertThat(world.refund(payment)).isInstanceOf(Refunds.Answer.Accepted.class);
        becomes("payment-" + payment + "-refund", "succeeded");
        assertThat(world.bank.movements()).extracting(Movement::kind).containsExactly(Movement.Kind.CAPTURE, Movement.Kind.REFUND);
        assertThat(world.text("SELECT file_name FROM bank_batch WHERE kind = 'credit'")).startsWith("pain.001-");
    }

    private String cancel(String payment) {
        return world.text("SELECT status FROM cancel_payment('acme', '%s')".formatted(payment));
    }

    @Test
    void a_canceled_debit_that_waits_for_its_file_is_removed_and_is_in_none() {
        String payment = world.pay(world.mandate("m1"), 1_299);
        await().until(() -> world.text("SELECT count(*) FROM bank_batch_item WHERE batch_id IS NULL").equals("1"));
        await().until(() -> world.state(payment).equals("unresolved"));
        assertThat(cancel(payment)).isEqualTo("canceling");
        await().atMost(Duration.ofSeconds(30)).until(() -> world.state(payment).equals("canceled"));
        work();
        assertThat(world.text("SELECT fenced FROM bank_batch_item")).isEqualTo("t");
        assertThat(world.text("SELECT count(*) FROM bank_batch")).isEqualTo("0");
        assertThat(world.bank.movements()).isEmpty();
    }

    @Test
    void a_canceled_debit_that_is_in_a_file_cannot_be_recalled_and_stays_booked() {
        String payment = world.pay(world.mandate("m1"), 1_299);
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            outbound.runOnce();
            return world.text("SELECT count(*) FROM bank_batch_item WHERE batch_id IS NOT NULL").equals("1");
        });
        await().until(() -> world.state(payment).equals("unresolved"));
        assertThat(cancel(payment)).isEqualTo("canceling");
        becomes(payment, "succeeded");
        assertThat(world.text("SELECT count(*) FROM audit_record WHERE action = 'cancel-too-late'")).isEqualTo("1");
        assertThat(world.bank.movements()).extracting(Movement::kind).containsExactly(Movement.Kind.CAPTURE);
    }

    @Nested
    @Tag("proof")
    class InEveryOrderAndForm {

        @Test
        void every_answer_twice_and_a_statement_beside_the_notification_change_nothing() {
            world.bank.tell(BankBehaviour.TWICE);
            world.bank.tell(BankBehaviour.STATEMENT);
            String payment = world.pay(world.mandate("m1"), 1_299);
            becomes(payment, "succeeded");
            await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.bank.files().resolve("outgoing").toFile().list()).isEmpty();
                assertThat(world.text("SELECT count(*) FROM bank_line WHERE state = 'new'")).isEqualTo("0");
            });
            assertThat(world.text("SELECT string_agg(state, ',' ORDER BY line_id) FROM bank_line")).isEqualTo("taken,repeated");
            assertThat(world.text("SELECT count(*) FROM audit_record WHERE action = 'succeeded'")).isEqualTo("1");
            assertThat(world.text("SELECT count(*) FROM bank_file_in WHERE quarantined IS NOT NULL")).isEqualTo("0");
        }

        @Test
        void a_rejected_file_frees_its_items_and_they_go_in_another_one() {
            String payment = succeedsInTheSecondFile();
            assertThat(world.bank.movements()).hasSize(1);
            assertThat(world.text("SELECT count(*) FROM payment_attempt WHERE failed_definite")).isEqualTo("1");
        }

        private String succeedsInTheSecondFile() {
            world.bank.tell(BankBehaviour.REJECT_FILE);
            String payment = world.pay(world.mandate("m1"), 1_299);
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.text("SELECT state FROM bank_batch WHERE batch_id = 1")).isEqualTo("rejected");
            });
            world.bank.tellNoMore(BankBehaviour.REJECT_FILE);
            becomes(payment, "succeeded");
            return payment;
        }

        @Test
        void a_file_that_is_rejected_without_a_reason_may_be_a_duplicate_so_it_frees_nothing() throws IOException {
            world.bank.tell(BankBehaviour.LATE);
            String payment = isAtTheBank();
            rejects("S1", "");
            isHeldAsADuplicate();
            assertThat(world.state(payment)).isEqualTo("unresolved");
            assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("sent");
            world.bank.release();
            becomes(payment, "succeeded");
            assertThat(world.text("SELECT state FROM bank_batch")).as("the bank's answer to what it has is taken").isEqualTo("accepted");
            assertThat(world.text("SELECT count(*) FROM bank_file_in WHERE quarantined IS NOT NULL")).isEqualTo("0");
            assertThat(world.bank.movements()).hasSize(1);
            assertThat(world.text("SELECT count(*) FROM payment_attempt")).isEqualTo("1");
        }

        @Test
        void a_reason_that_comes_later_frees_what_a_rejection_without_one_did_not() throws IOException {
            world.bank.tell(BankBehaviour.LATE);
            isAtTheBank();
            rejects("S1", "");
            isHeldAsADuplicate();
            rejects("again", "");
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.text("SELECT count(*) FROM bank_file_in")).isEqualTo("2");
            });
            assertThat(world.text("SELECT count(*) FROM bank_line")).as("said twice, listed once").isEqualTo("1");
            rejects("S2", "<StsRsnInf><Rsn><Cd>FF01</Cd></Rsn></StsRsnInf>");
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.text("SELECT count(*) FROM payment_attempt")).isEqualTo("2");
            });
            assertThat(world.text("SELECT state FROM bank_batch ORDER BY batch_id LIMIT 1")).isEqualTo("rejected");
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "<StsRsnInf><Rsn><Cd>AM05</Cd></Rsn></StsRsnInf>"})
        void items_that_are_all_rejected_as_duplicates_or_without_a_reason_leave_their_file_open(String reason) throws IOException {
            world.bank.tell(BankBehaviour.LATE);
            String payment = isAtTheBank();
            String item = "<OrgnlPmtInfAndSts><TxInfAndSts><OrgnlEndToEndId>%s</OrgnlEndToEndId><TxSts>RJCT</TxSts>%s".formatted(
                    world.text("SELECT psp_key FROM bank_batch_item"), reason) + "</TxInfAndSts></OrgnlPmtInfAndSts>";
            rejects("S1", "", item);
            rejects("S2", "", item);
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.text("SELECT count(*) FROM bank_file_in")).isEqualTo("2");
            });
            assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("sent");
            world.bank.release();
            becomes(payment, "succeeded");
            assertThat(world.text("SELECT count(*) FROM bank_file_in WHERE quarantined IS NOT NULL")).isEqualTo("0");
        }

        private void rejects(String messageId, String reason) throws IOException {
            rejects(messageId, reason, "");
        }

        private void rejects(String messageId, String reason, String items) throws IOException {
            Files.writeString(world.bank.files().resolve("outgoing").resolve(messageId + ".xml"),
                    """
                    <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>%s</MsgId></GrpHdr>
                     <OrgnlGrpInfAndSts><OrgnlMsgId>%s</OrgnlMsgId><GrpSts>RJCT</GrpSts>%s</OrgnlGrpInfAndSts>%s
                    </CstmrPmtStsRpt></Document>"""
                            .formatted(messageId, world.text("SELECT message_id FROM bank_batch ORDER BY batch_id LIMIT 1"), reason,
                                    items));
        }

        private void isHeldAsADuplicate() {
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.text("SELECT state || ': ' || note FROM bank_line WHERE state <> 'new'"))
                        .isEqualTo("unmatched: its whole file is rejected without a reason, so it may be a duplicate: ask the bank");
            });
        }

        private String isAtTheBank() {
            String payment = world.pay(world.mandate("m1"), 1_299);
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.bank.executed()).hasSize(1);
                assertThat(world.text("SELECT state FROM bank_batch")).isEqualTo("sent");
            });
            return payment;
        }

        @Test
        void a_debit_whose_mandate_cannot_be_read_fails_unsent_and_the_others_of_its_file_go() {
            use(Duration.ofSeconds(2));
            outbound.runOnce();
            world.execute("UPDATE bank SET answer_within_s = 2");
            String strange = world.pay(world.unreadableMandate("of-another"), 100);
            String well = world.pay(world.mandate("m1"), 200);
            await().atMost(Duration.ofSeconds(20)).untilAsserted(
                    () -> assertThat(world.text("SELECT count(*) FROM bank_batch_item WHERE batch_id IS NULL")).isEqualTo("2"));
            becomes(well, "succeeded");
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(world.text(
                    "SELECT state || ' ' || cause || ' ' || message FROM payment_attempt WHERE payment_id = '%s' ORDER BY sent_at LIMIT 1"
                            .formatted(strange)))
                    .startsWith("failed_definite cancelled_unexecuted it was given up before any file took it: mandate"));
            assertThat(world.bank.movements()).singleElement().satisfies(moved -> assertThat(moved.amount()).isEqualTo(200));
            assertThat(world.text("SELECT count(*) FROM audit_record WHERE action = 'bank.set_aside'")).isNotEqualTo("0");
        }

        @Test
        void a_line_that_bank_files_has_not_marked_settles_nothing() {
            world.bank.tell(BankBehaviour.LATE);
            String payment = isAtTheBank();
            String key = world.text("SELECT psp_key FROM payment_attempt");
            world.execute(
                    "INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size) VALUES (9, 'bank', 'camt', sha256('camt'), 1)");
            for (String mark : List.of("NULL", "'\\x" + BankWorld.mark("returned", key, true, "", "ref") + "'")) {
                world.execute("INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, reference, mark) "
                        + "VALUES (9, 'bank', 'booked', '%s', 1299, 'EUR', true, 'ref', %s)".formatted(key, mark));
            }
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(world.text(
                    "SELECT count(*) FROM bank_line WHERE state = 'unmatched' AND note LIKE 'it has no mark%'")).isEqualTo("2"));
            assertThat(world.state(payment)).isEqualTo("unresolved");
            world.bank.release();
            becomes(payment, "succeeded");
        }

        /** Some banks give their reference in the statement alone. */
        @Test
        void a_booking_that_is_told_of_again_without_its_reference_is_a_repeat_and_under_another_one_a_status_query() {
            String payment = world.pay(world.mandate("m1"), 1_299);
            becomes(payment, "succeeded");
            String key = world.text("SELECT psp_key FROM payment_attempt");
            for (String reference : List.of("", "another")) {
                world.execute("INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, code, reference, mark) "
                        + "SELECT max(file_id), 'bank', 'booked', '%s', 1299, 'EUR', true, '', '%s', '\\x%s' FROM bank_file_in".formatted(
                                key,
                                reference, BankWorld.mark("booked", key, true, "", reference)));
            }
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(world.text(
                    "SELECT string_agg(state, ',' ORDER BY line_id) FROM bank_line")).isEqualTo("taken,repeated,unmatched"));
        }

        @ParameterizedTest
        @CsvSource({"'', one, two", "one, '', two"})
        void what_is_told_of_without_its_reference_hides_no_second_booking(String first, String second, String third) {
            world.bank.tell(BankBehaviour.LATE);
            String payment = isAtTheBank();
            world.execute(
                    "INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size) VALUES (9, 'bank', 'camt', sha256('camt'), 1)");
            String key = world.text("SELECT psp_key FROM payment_attempt");
            for (String reference : List.of(first, second, third)) {
                world.execute("INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, code, reference, mark) "
                        + "VALUES (9, 'bank', 'booked', '%s', 1299, 'EUR', true, '', '%s', '\\x%s')".formatted(key, reference,
                                BankWorld.mark("booked", key, true, "", reference)));
            }
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(world.text(
                    "SELECT string_agg(state, ',' ORDER BY line_id) FROM bank_line")).isEqualTo("taken,repeated,unmatched"));
            becomes(payment, "succeeded");
        }

        @Test
        void a_statement_of_the_day_before_a_return_settles_nothing_once_the_return_was_read() {
            world.bank.tell(BankBehaviour.LATE);
            String payment = isAtTheBank();
            String key = world.text("SELECT psp_key FROM payment_attempt");
            world.execute(
                    "INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size) VALUES (9, 'bank', 'camt', sha256('camt'), 1)");
            says("returned", key, false);
            becomes(payment, "declined");
            reconciled(key, Optional.of("BK-1"));
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(world.text("SELECT answer FROM settlement_line"))
                    .isEqualTo("its return was read before it, so nothing is left"));
            assertThat(world.state(payment)).isEqualTo("declined");
            assertThat(world.text("SELECT count(*) FROM audit_record WHERE action LIKE 'incident.%'")).isEqualTo("0");
        }

        @Test
        void a_statement_settles_a_debit_also_if_the_bank_gives_no_references() {
            world.bank.tell(BankBehaviour.LATE);
            String payment = isAtTheBank();
            reconciled(world.text("SELECT psp_key FROM payment_attempt"), Optional.empty());
            becomes(payment, "succeeded");
        }

        /** As a person's reconciliation with the key records it. */
        private void reconciled(String key, Optional<String> reference) {
            var line = new BookedLine("bank", "captured " + key, PspKey.parse(key), BookedLine.Moved.CAPTURED, new Money(1299, "EUR"),
                    reference, Instant.now(), 1);
            world.execute("""
                    INSERT INTO settlement_line (psp, line_id, psp_key, moved, amount, currency, psp_reference, booked_at, source_sha256,
                                                 line_number, mark, due_at)
                    VALUES ('bank', '%s', '%s', 'captured', 1299, 'EUR', nullif('%s', ''), now(), sha256(''), 1, '\\x%s', now())"""
                    .formatted(line.id(), key, reference.orElse(""), HexFormat.of().formatHex(BankWorld.KEYS.mark(line).orElseThrow())));
        }

        @Test
        void a_line_that_a_person_releases_is_taken_as_if_it_were_new() {
            world.bank.tell(BankBehaviour.LATE);
            String payment = isAtTheBank();
            world.execute("""
                    INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size) VALUES (9, 'bank', 'camt', sha256('camt'), 1);
                    INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, reference, state, note, mark)
                    SELECT 9, 'bank', 'booked', psp_key, 1299, 'EUR', true, 'ref', 'unmatched', 'a bug: x', '\\x%s' FROM payment_attempt"""
                    .formatted(BankWorld.mark("booked", world.text("SELECT psp_key FROM payment_attempt"), true, "", "ref")));
            assertThat(new CommandOfAPerson(world).run("release", "line", "1", "--reason", "mended")).isEqualTo("0: Released line 1: "
                    + "charge reads it again.");
            becomes(payment, "succeeded");
            assertThat(new CommandOfAPerson(world).run("unmatched")).isEqualTo("0: Nothing waits for a person.");
        }

        /** The bank's notification may have another reference than its statement: nothing is given back for that. */
        @ParameterizedTest
        @CsvSource({"the same, taken", "another, unmatched"})
        void a_statement_that_a_person_has_settles_a_debit_and_the_banks_own_files_move_nothing_later(String reference, String state) {
            world.bank.tell(BankBehaviour.LATE);
            String payment = isAtTheBank();
            await().atMost(Duration.ofSeconds(20)).until(() -> !world.bank.movements().isEmpty());
            String key = world.text("SELECT psp_key FROM payment_attempt");
            String said = reference.equals("the same") ? world.bank.movements().getFirst().id() : reference;
            var line = new BookedLine("bank", "captured " + key + " " + said, PspKey.parse(key), BookedLine.Moved.CAPTURED,
                    new Money(1299, "EUR"), Optional.of(said), Instant.now(), 1);
            world.execute("""
                    INSERT INTO settlement_line (psp, line_id, psp_key, moved, amount, currency, psp_reference, booked_at, source_sha256,
                                                 line_number, mark, due_at)
                    VALUES ('bank', '%s', '%s', 'captured', 1299, 'EUR', '%s', now(), sha256(''), 1, '\\x%s', now())""".formatted(line.id(),
                    key, said, HexFormat.of().formatHex(BankWorld.KEYS.mark(line).orElseThrow())));
            becomes(payment, "succeeded");

            world.bank.tellNoMore(BankBehaviour.LATE);
            world.bank.release();
            await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.text("SELECT string_agg(state, ' ') FROM bank_line")).isEqualTo(state);
            });
            assertThat(world.state(payment)).isEqualTo("succeeded");
            assertThat(world.text("SELECT count(*) FROM operation")).as("nothing is given back").isEqualTo("1");
        }

        @Test
        void what_a_bank_returns_of_a_second_capture_costs_no_revenue_and_is_an_incident_beside_our_reversal() {
            String payment = succeedsInTheSecondFile();
            String extra = world.text("SELECT psp_key FROM payment_attempt WHERE failed_definite");
            says("booked", extra, true);
            becomes("attempt-" + extra + "-reversal", "succeeded");
            says("returned", extra, false);
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> assertThat(world.text(
                    "SELECT count(*) FROM audit_record WHERE action = 'incident.refunded_too_much'")).isEqualTo("1"));
            assertThat(world.text("SELECT count(*) FROM operation WHERE kind = 'return'")).isEqualTo("0");
            assertThat(world.text("SELECT count(*) FROM capture_failure")).isEqualTo("0");
            assertThat(world.refund(payment)).isInstanceOf(Refunds.Answer.Accepted.class);
        }

        private void says(String kind, String key, boolean credit) {
            world.execute("""
                    INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, reference, code, mark)
                    SELECT max(file_id), 'bank', '%s', '%s', 1299, 'EUR', %s, 'late-%1$s', 'MD06', '\\x%s' FROM bank_file_in""".formatted(
                    kind,
                    key, credit, BankWorld.mark(kind, key, credit, "MD06", "late-" + kind)));
        }

        @Test
        void a_silent_bank_is_reported_in_the_queue_after_its_deadline_and_nothing_is_sent_again() {
            use(Duration.ofSeconds(2));
            outbound.runOnce();
            world.execute("UPDATE bank SET answer_within_s = 2");
            world.bank.tell(BankBehaviour.LATE);
            String payment = world.pay(world.mandate("m1"), 1_299);
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.text("SELECT message FROM dead_letter WHERE state = 'dead'"))
                        .startsWith("no_answer_in_time: bank has said nothing");
                assertThat(world.outboundMeters.get("chargeonce.bank.answers.late").gauge().value()).isEqualTo(1);
            });
            assertThat(world.state(payment)).isEqualTo("unresolved");
            assertThat(world.bank.executed()).hasSize(1);
            world.bank.release();
            becomes(payment, "succeeded");
            assertThat(world.text("SELECT state FROM dead_letter")).isEqualTo("settled");
            assertThat(world.bank.movements()).hasSize(1);
        }

        @Test
        void a_file_of_which_no_item_waits_for_the_bank_any_more_is_not_late() {
            world.bank.tell(BankBehaviour.LATE);
            isAtTheBank();
            world.execute("SET session_replication_role = replica; UPDATE bank_batch SET answer_due = now() - interval '1 hour'");
            outbound.runOnce();
            assertThat(world.outboundMeters.get("chargeonce.bank.answers.late").gauge().value()).isEqualTo(1);
            world.execute("SET session_replication_role = replica; UPDATE bank_batch_item SET given_up = true");
            outbound.runOnce();
            assertThat(world.outboundMeters.get("chargeonce.bank.answers.late").gauge().value()).isZero();
        }

        @Test
        void while_the_bank_has_time_the_payment_waits_and_is_listed_nowhere() {
            world.bank.tell(BankBehaviour.LATE);
            String payment = world.pay(world.mandate("m1"), 1_299);
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.bank.executed()).hasSize(1);
            });
            assertThat(world.state(payment)).isEqualTo("unresolved");
            assertThat(world.text("SELECT resolve_at > now() + interval '50 minutes' FROM operation_state WHERE operation_id = '%s'"
                    .formatted(payment))).isEqualTo("t");
            assertThat(world.text("SELECT count(*) FROM dead_letter")).isEqualTo("0");
            world.bank.release();
            becomes(payment, "succeeded");
        }

        @Test
        void garbage_is_set_aside_and_counted() {
            world.bank.tell(BankBehaviour.GARBAGE);
            String payment = world.pay(world.mandate("m1"), 1_299);
            becomes(payment, "succeeded");
            await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
                work();
                assertThat(world.text("SELECT count(*) FROM bank_file_in WHERE quarantined IS NOT NULL")).isEqualTo("2");
            });
            assertThat(world.text("SELECT string_agg(quarantined, ' ' ORDER BY quarantined) FROM bank_file_in"))
                    .isEqualTo("it has a document type or an entity it is no well-formed XML, or is cut off");
            assertThat(world.inboundMeters.get("chargeonce.bank.files.quarantined").gauge().value()).isEqualTo(2);
        }

        @Test
        void a_rejection_of_what_was_booked_takes_nothing_back_and_waits_for_a_person() throws IOException {
            String payment = world.pay(world.mandate("m1"), 1_299);
            becomes(payment, "succeeded");
            assertThat(world.refund(payment)).isInstanceOf(Refunds.Answer.Accepted.class);
            String refund = "payment-" + payment + "-refund";
            becomes(refund, "succeeded");
            for (String operation : List.of(payment, refund)) {
                world.execute("""
                        INSERT INTO bank_line (file_id, bank, kind, psp_key, code, mark)
                        SELECT max(file_id), 'bank', 'rejected', '%s', 'AC04', '\\x%s' FROM bank_file_in""".formatted(key(operation),
                        HexFormat.of().formatHex(BankWorld.KEYS.mark(new BankSaid("bank", "rejected", key(operation), "", "", "", "AC04",
                                "", "")).orElseThrow())));
            }
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(world.text(
                    "SELECT count(*) FROM bank_line WHERE kind = 'rejected' AND state = 'unmatched' AND note LIKE '%had moved before%'"))
                    .isEqualTo("2"));
            assertThat(world.state(payment)).isEqualTo("succeeded");
            assertThat(world.state(refund)).isEqualTo("succeeded");
        }

        private String key(String operation) {
            return world.text("SELECT psp_key FROM payment_attempt WHERE operation_id = '%s'".formatted(operation));
        }

        @Test
        void the_words_of_a_stranger_are_logged_without_orders_and_card_numbers() {
            world.bank.tell(BankBehaviour.LATE);
            isAtTheBank();
            try (var logs = new Logs()) {
                world.execute("""
                        INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size) VALUES (9, 'bank', 'camt', sha256('camt'), 1);
                        INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit)
                        VALUES (9, 'bank', 'booked', E'a\\x1b[2J 4111111111111111', 1299, 'EUR', true)""");
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(logs.lines()).anySatisfy(
                        line -> assertThat(line).contains("bank says 'booked' about a\\x1b[2J #, which matches no payment")));
            }
        }
    }
}
