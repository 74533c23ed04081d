// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.LateAnswers;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.runtime.Secret;
import io.chargeonce.settlement.BookedLine;
import io.chargeonce.settlement.BookedLine.Moved;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.settlement.SettlementLines;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a settlement report says about attempts whose outcome is unknown or another one. The lines are recorded by the role that may. */
class BookedMoneyTest {

    private static final Money MONEY = new Money(1299, "EUR");
    private static final byte[] REPORT = new byte[32];
    private static EngineFixture books;
    private static Database reconciler;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;
    private String payment;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
        reconciler = Database.openForCommand(books.url.replace("user=postgres", "user=chargeonce_reconciler"), "chargeonce_reconciler", "");
    }

    @BeforeEach
    void accept() {
        process = books.forget().process(psp);
        payment = books.accept("order-1");
    }

    @AfterAll
    static void close() throws Exception {
        reconciler.close();
        books.close();
    }

    private PspKey key() {
        return PspKey.derive(new PaymentId(payment), "charge", "", "fake", 1);
    }

    private BookedLine line(Moved moved, Money money, String reference) {
        return new BookedLine("fake", "line-1", Optional.of(key()), moved, money, Optional.of(reference), Instant.EPOCH, 1);
    }

    /** As a reconciliation with these keys records it. Returns how many lines charge looks at. */
    private static int booked(SettlementKeys keys, BookedLine line) {
        return reconciler.inTransaction(connection -> {
            SettlementLines.book(connection, "fake", REPORT, keys, List.of(line));
            return SettlementLines.lookAt(connection, "fake", List.of(line.key().orElseThrow().value()));
        });
    }

    private void lost(FakePsp.Behaviour behaviour) {
        psp.then(behaviour);
        psp.answersStatusQueries = false;
        process.drain();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
    }

    private void resolve() {
        Waiting.until(() -> process.resolver.runOnce() > 0 || books.state(payment) != OperationState.UNRESOLVED);
    }

    private static void itIsTime() {
        books.execute("UPDATE settlement_line SET due_at = now() WHERE due_at IS NOT NULL");
    }

    private static String answer() {
        return books.text("SELECT answer FROM settlement_line");
    }

    @Test
    void a_psp_that_can_be_asked_is_asked_about_the_lines_own_reference() {
        lost(FakePsp.CAPTURE_AND_TIME_OUT);
        assertThat(booked(SettlementKeys.NONE, line(Moved.CAPTURED, MONEY, "pi_of_the_line"))).isEqualTo(1);
        assertThat(process.booked.runOnce()).as("the PSP does not answer").isZero();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
        psp.answersStatusQueries = true;
        assertThat(process.booked.runOnce()).as("it is not asked again at once").isZero();
        itIsTime();
        assertThat(process.booked.runOnce()).isEqualTo(1);
        assertThat(psp.queries.getLast().pspReference()).contains("pi_of_the_line");
        resolve();
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM psp_observation WHERE source = 'settlement' AND outcome = 'charged'")).isEqualTo(1);
        assertThat(psp.captures).hasSize(1);
    }

    @Test
    void a_forged_line_about_a_psp_that_can_be_asked_settles_nothing() {
        lost(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answersStatusQueries = true;
        booked(SettlementKeys.NONE, line(Moved.CAPTURED, MONEY, "pi_forged"));
        process.booked.runOnce();
        assertThat(answer()).contains("contradicts its report");
        resolve();
        assertThat(books.state(payment)).isNotEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM psp_answer WHERE outcome = 'charged'")).isZero();
    }

    @Test
    void a_marked_line_is_the_evidence_where_the_psp_cannot_be_asked() {
        psp.canBeAsked = false;
        lost(FakePsp.CAPTURE_AND_TIME_OUT);
        int before = psp.queries.size();
        booked(EngineFixture.SETTLEMENT_KEYS, line(Moved.CAPTURED, MONEY, "psp-ref"));
        assertThat(process.booked.runOnce()).isEqualTo(1);
        resolve();
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(payment).pspReference()).contains("psp-ref");
        assertThat(psp.queries).hasSize(before);
        assertThat(process.booked.runOnce()).as("once").isZero();
    }

    /** A bank may call one booking by two names, and each comes on its own way. */
    @Test
    void what_another_process_settles_meanwhile_under_another_reference_is_no_second_capture() throws Exception {
        psp.canBeAsked = false;
        lost(FakePsp.CAPTURE_AND_TIME_OUT);
        booked(EngineFixture.SETTLEMENT_KEYS, line(Moved.CAPTURED, MONEY, "of-the-statement"));
        try (var threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> statement = books.charging.inTransaction(connection -> {
                var locked = OperationTable.lock(connection, List.of(payment));
                Future<Integer> waits = threads.submit(process.booked::runOnce);
                Waiting.until(() -> waits.isDone() || books.count("FROM pg_locks WHERE NOT granted") > 0);
                var changes = UnitOfWork.ofAnswers(connection, locked.now(), books.topics, false, process.meters);
                new LateAnswers(changes, locked.rows().get(payment)).take(key(), "settlement", new Outcome.Charged("of-the-notification"));
                changes.write();
                return waits;
            });
            statement.get();
        }
        itIsTime();
        process.booked.runOnce();
        resolve();
        assertThat(books.operation(payment).pspReference()).contains("of-the-notification");
        assertThat(books.count("FROM operation")).as("nothing is given back").isEqualTo(1);
    }

    @Test
    void without_a_right_mark_a_line_settles_nothing_where_the_psp_cannot_be_asked() {
        psp.canBeAsked = false;
        lost(FakePsp.TIME_OUT_UNEXECUTED);
        booked(SettlementKeys.NONE, line(Moved.CAPTURED, MONEY, "psp-ref"));
        assertThat(process.booked.runOnce()).isZero();
        assertThat(answer()).contains("no mark of the settlement key");
        booked(SettlementKeys.of(Optional.of(new Secret("another-key-that-charge-does-not-have"))), line(Moved.CAPTURED, MONEY, "psp-ref"));
        itIsTime();
        assertThat(process.booked.runOnce()).isZero();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.count("FROM psp_observation WHERE source = 'settlement'")).isZero();

        // The nightly reconciliation reads the same line, with the key.
        booked(EngineFixture.SETTLEMENT_KEYS, line(Moved.CAPTURED, MONEY, "psp-ref"));
        itIsTime();
        assertThat(process.booked.runOnce()).isEqualTo(1);
    }

    @Test
    void a_mark_of_one_line_is_none_of_another() {
        psp.canBeAsked = false;
        lost(FakePsp.TIME_OUT_UNEXECUTED);
        byte[] mark = EngineFixture.SETTLEMENT_KEYS.mark(line(Moved.CAPTURED, MONEY, "psp-ref")).orElseThrow();
        for (BookedLine other : List.of(line(Moved.CAPTURED, MONEY, "other-ref"), line(Moved.GIVEN_BACK, MONEY, "psp-ref"),
                line(Moved.CAPTURED, new Money(1300, "EUR"), "psp-ref"), line(Moved.CAPTURED, new Money(1299, "USD"), "psp-ref"),
                line(Moved.CAPTURED, MONEY, "psp-ref").named("line-2"),
                line(Moved.CAPTURED, MONEY, "psp-ref").about(PspKey.derive(new PaymentId(payment), "charge", "", "fake", 2)))) {
            assertThat(EngineFixture.SETTLEMENT_KEYS.madeMark(other, mark)).isFalse();
        }
        assertThat(EngineFixture.SETTLEMENT_KEYS.madeMark(line(Moved.CAPTURED, MONEY, "psp-ref"), mark)).isTrue();
    }

    @Test
    void a_line_with_another_amount_currency_or_direction_is_not_looked_at() {
        psp.canBeAsked = false;
        lost(FakePsp.TIME_OUT_UNEXECUTED);
        for (BookedLine line : List.of(line(Moved.CAPTURED, new Money(1300, "EUR"), "a").named("more"),
                line(Moved.CAPTURED, new Money(1299, "USD"), "a").named("currency"), line(Moved.GIVEN_BACK, MONEY, "a").named("back"),
                line(Moved.CAPTURE_RETURNED, MONEY, "a").named("returned"))) {
            assertThat(booked(EngineFixture.SETTLEMENT_KEYS, line)).isZero();
        }
        assertThat(process.booked.runOnce()).isZero();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
    }

    @Test
    void what_had_failed_definitely_and_was_booked_settles_late() {
        psp.otherwise = FakePsp.FAIL;
        psp.canBeAsked = false;
        process.drain();
        assertThat(books.state(payment)).isEqualTo(OperationState.DEAD);
        assertThat(booked(EngineFixture.SETTLEMENT_KEYS, line(Moved.CAPTURED, MONEY, "psp-ref"))).isEqualTo(1);
        assertThat(process.booked.runOnce()).isEqualTo(1);
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(payment).pspReference()).contains("psp-ref");
    }

    @Test
    void two_attempts_that_were_booked_are_one_payment_and_one_reversal() {
        psp.otherwise = FakePsp.FAIL;
        psp.canBeAsked = false;
        process.drain();
        PspKey second = PspKey.derive(new PaymentId(payment), "charge", "", "fake", 2);
        booked(EngineFixture.SETTLEMENT_KEYS, line(Moved.CAPTURED, MONEY, "first"));
        booked(EngineFixture.SETTLEMENT_KEYS, line(Moved.CAPTURED, MONEY, "second").named("line-2").about(second));
        Waiting.until(() -> process.booked.runOnce() + books.count("FROM settlement_line WHERE answered_at IS NOT NULL") >= 2);
        assertThat(books.count("FROM operation WHERE kind = 'reversal'")).isEqualTo(1);
        assertThat(books.count("FROM audit_record WHERE action = 'incident.captured_twice'")).isEqualTo(1);
    }

    @Test
    void a_refund_whose_outcome_is_unknown_is_settled_by_its_line() {
        process.drain();
        psp.refunds.answersStatusQueries = false;
        psp.refunds.then(new Outcome.Unknown(UnknownCause.CONNECTION_LOST, "no answer", Optional.empty()));
        books.refund(payment, OptionalLong.of(500), "line-1");
        process.drain();
        String refund = "payment-" + payment + "-refund-line-1";
        psp.canBeAsked = false;
        PspKey key = PspKey.parse(books.text("SELECT psp_key FROM payment_attempt WHERE operation_id = '" + refund + "'")).orElseThrow();
        booked(EngineFixture.SETTLEMENT_KEYS, line(Moved.GIVEN_BACK, new Money(500, "EUR"), "re_1").about(key));
        Waiting.until(() -> {
            process.booked.runOnce();
            process.resolver.runOnce();
            return books.state(refund) == OperationState.SUCCEEDED;
        });
        assertThat(books.refunded(payment)).isEqualTo(500);
    }

    @Test
    void an_attempt_that_is_being_made_is_left_alone() {
        lost(FakePsp.TIME_OUT_UNEXECUTED);
        int asked = psp.queries.size();
        books.rewrite("UPDATE payment_attempt SET state = 'in_flight'");
        booked(SettlementKeys.NONE, line(Moved.CAPTURED, MONEY, "psp-ref"));
        assertThat(process.booked.runOnce()).isZero();
        assertThat(psp.queries).hasSize(asked);
    }

    @Test
    void recorded_lines_never_change_and_are_not_deleted() {
        lost(FakePsp.TIME_OUT_UNEXECUTED);
        booked(SettlementKeys.NONE, line(Moved.CAPTURED, MONEY, "psp-ref"));
        for (String theft : List.of("UPDATE settlement_line SET amount = 1", "UPDATE settlement_line SET psp_key = NULL",
                "UPDATE settlement_line SET moved = 'given_back'", "DELETE FROM settlement_line", "TRUNCATE settlement_line")) {
            assertThatThrownBy(() -> books.execute(theft)).hasMessageContaining("settlement_line");
        }
    }
}
