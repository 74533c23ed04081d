// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Traces;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is staged for the receipts service, in the transaction of a success, under charge's own role. */
class OurReceiptsTest {

    private static EngineFixture books;
    private final FakePsp psp = new FakePsp("first");
    private EngineFixture.Process process;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
        books.ourReceipts = true;
    }

    @BeforeEach
    void open() {
        process = books.forget().process(psp);
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private static long staged(String condition) {
        return books.count("FROM outbox WHERE topic = '" + books.topics.receipts() + "'" + condition);
    }

    private static String accept(String key, String email) {
        return books.accept(key, "pm_card_visa", new Money(1299, "EUR"), "cus_7", email);
    }

    @Test
    void a_success_with_an_address_is_staged_once_and_without_the_address() {
        String payment = accept("order-1", "jane@example.com");
        accept("order-2", null);
        accept("order-3", "[erased]");
        process.drain();
        assertThat(staged("")).isOne();
        assertThat(staged(" AND record_key = '" + payment + "' AND headers ->> 'ce_id' ~ '^" + payment + "/[0-9]+/receipt$' AND "
                + "convert_from(value, 'UTF8')::json ->> 'operation_id' = '" + payment + "' AND convert_from(value, 'UTF8')::json ->> "
                + "'amount' = '1299' AND convert_from(value, 'UTF8') NOT LIKE '%jane%' AND convert_from(value, 'UTF8') NOT LIKE '%cus_7%'"))
                .isOne();
    }

    @Test
    void what_is_declined_or_unknown_is_not_staged() {
        psp.then(FakePsp.DECLINE);
        String payment = accept("order-9", "jane@example.com");
        process.drain();
        assertThat(books.state(payment)).isEqualTo(OperationState.DECLINED);
        books.listedAsUnresolved(process, psp);
        assertThat(staged("")).isZero();
    }

    @Test
    void a_refund_is_staged_if_its_payment_has_an_address() {
        String with = accept("order-1", "jane@example.com");
        String without = accept("order-2", null);
        process.drain();
        books.refund(with, OptionalLong.of(500), "a");
        books.refund(without, OptionalLong.of(500), "a");
        process.drain();
        assertThat(books.refunded(with) + books.refunded(without)).isEqualTo(1000);
        assertThat(staged("")).isEqualTo(2);
        assertThat(staged(" AND record_key = '" + with + "' AND convert_from(value, 'UTF8')::json ->> 'kind' = 'refund' AND "
                + "convert_from(value, 'UTF8')::json ->> 'amount' = '500'")).isOne();
    }

    @Test
    void a_decline_that_turns_out_to_be_a_success_is_staged_then() {
        psp.then(FakePsp.DECLINE);
        String payment = accept("order-1", "jane@example.com");
        process.drain();
        for (int repeat = 0; repeat < 2; repeat++) {
            process.resolutions.resolve(new OutcomeRecorder.Resolution(books.operation(payment).accepted(), UUID.randomUUID(),
                    books.operation(payment).attemptKey(), "webhook", new Outcome.Charged("late"), false, Optional.empty(),
                    Optional.empty()));
        }
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(staged("")).isOne();
    }

    @Test
    void a_success_that_is_found_before_the_next_attempt_is_staged_then() {
        psp.then(FakePsp.FAIL);
        String payment = accept("order-1", "jane@example.com");
        process.handle(books.takeWork().getFirst());
        PspKey failed = books.operation(payment).attemptKey();
        psp.lookup = Optional.of(new FakePsp.Looking(id -> new Traces.Found(List.of(
                new Traces.Trace("first", Optional.of(failed), "pi_1", Traces.Standing.CAPTURED, true, Instant.now())))));
        books.askFirstUntil = Optional.of(Instant.now().plus(Duration.ofHours(1)));
        try {
            books.process(psp).drain();
        } finally {
            books.askFirstUntil = Optional.empty();
        }
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(staged("")).isOne();
    }

    @Test
    void nothing_is_staged_where_others_send_receipts() {
        books.ourReceipts = false;
        try {
            process = books.process(psp);
            accept("order-1", "jane@example.com");
            process.drain();
        } finally {
            books.ourReceipts = true;
        }
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
        assertThat(staged("")).isZero();
    }
}
