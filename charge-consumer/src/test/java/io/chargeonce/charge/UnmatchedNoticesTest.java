// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.charge.webhook.UnmatchedNotices;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Notice;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database failover may lose an attempt that the PSP executed. The PSP's messages about it are kept. */
class UnmatchedNoticesTest {

    private static EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;
    private String payment;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void accept() {
        process = books.forget().process(psp);
        payment = books.accept("order-1");
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private PspKey key() {
        return PspKey.derive(new PaymentId(payment), "charge", "", "fake", 1);
    }

    private WebhookInbox.Taken told(String id, Outcome outcome) {
        psp.tells = List.of(new Notice(id, key(), Optional.of("pi_1"),
                Optional.of(new Notice.Ended(Optional.of(new Money(1299, "EUR")), false, outcome))));
        return process.inbox.take("fake", header -> Optional.of("signed"), new byte[0]);
    }

    private static long kept() {
        return books.count("FROM unmatched_notice");
    }

    @Test
    void a_webhook_about_a_lost_attempt_is_kept_and_settles_it_when_the_attempt_reappears() {
        assertThat(told("notice-1", new Outcome.Charged("pi_1"))).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(told("notice-1", new Outcome.Charged("pi_1"))).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(kept()).isEqualTo(1);
        assertThat(process.meters.counter("chargeonce.psp.notices.unmatched", "psp", "fake").count()).isEqualTo(1);
        assertThat(process.inbox.matchAgain()).isZero();

        // Claimed again, the payment derives the same key, and the call is lost once more.
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answersStatusQueries = false;
        process.drain();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(process.inbox.matchAgain()).isEqualTo(1);
        Waiting.until(() -> process.resolver.runOnce() > 0 || books.state(payment) == OperationState.SUCCEEDED);
        assertThat(books.operation(payment).pspReference()).contains("pi_1");
        assertThat(kept()).isZero();
        assertThat(told("notice-1", new Outcome.Charged("pi_1"))).as("a repeat is dropped").isEqualTo(WebhookInbox.Taken.YES);
        assertThat(kept()).isZero();
    }

    private static void keptUnder(String psp, WebhookInbox inbox, FakePsp receiver) {
        assertThat(inbox.take(receiver.psp(), header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(books.count("FROM unmatched_notice WHERE psp = '" + psp + "'")).isEqualTo(1);
    }

    @Test
    void what_is_about_another_account_goes_to_it_or_is_kept_and_decides_nothing() {
        var other = new FakePsp("other");
        var both = books.process(psp, other);
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answersStatusQueries = false;
        both.drain();
        var said = new Notice.Ended(Optional.of(new Money(1299, "EUR")), false, new Outcome.Charged("pi_1"));
        other.tells = List.of(new Notice("notice-1", key(), Optional.of("pi_1"), Optional.of(said), Optional.of("an account")));
        keptUnder("other an account", both.inbox, other);
        assertThat(both.meters.counter("chargeonce.psp.notices.unmatched", "psp", "other").count()).isEqualTo(1);
        assertThat(both.inbox.matchAgain()).isZero();
        assertThat(books.count("FROM payment_attempt WHERE state = 'succeeded'")).isZero();

        psp.tells = List.of(new Notice("notice-1", key(), Optional.of("pi_1"), Optional.of(said)));
        assertThat(both.inbox.take("other", header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.YES);
        Waiting.until(() -> both.resolver.runOnce() > 0 || books.state(payment) == OperationState.SUCCEEDED);
        assertThat(books.operation(payment).pspReference()).contains("pi_1");
    }

    @Test
    void what_is_to_be_looked_up_is_kept_too_and_looked_up_then() {
        psp.tells = List.of(new Notice("notice-1", key(), Optional.of("pi_1"), Optional.empty()));
        process.inbox.take("fake", header -> Optional.of("signed"), new byte[0]);
        psp.then(FakePsp.CAPTURE_AND_TIME_OUT);
        psp.answersStatusQueries = false;
        process.drain();
        assertThat(process.inbox.matchAgain()).as("the PSP does not answer").isZero();
        assertThat(kept()).isEqualTo(1);
        psp.answersStatusQueries = true;
        assertThat(process.inbox.matchAgain()).isEqualTo(1);
        assertThat(psp.queries.getLast().pspReference()).contains("pi_1");
        assertThat(kept()).isZero();
    }

    @Test
    void nothing_unsigned_is_kept() {
        psp.tells = List.of(new Notice("notice-1", key(), Optional.empty(), Optional.empty()));
        assertThat(process.inbox.take("fake", header -> Optional.of("forged"), new byte[0])).isEqualTo(WebhookInbox.Taken.REFUSED);
        assertThat(kept()).isZero();
    }

    private static void keepAsManyAsPossible(String psp) {
        books.execute("""
                INSERT INTO unmatched_notice (psp, notice_id, psp_key, received_at)
                SELECT '%s', 'full-' || n, 'key-' || n, now() - n * interval '1 second' FROM generate_series(1, %d) AS n
                """.formatted(psp, UnmatchedNotices.MOST));
    }

    @Test
    void when_no_more_can_be_kept_the_oldest_of_that_psp_is_dropped_and_reported() {
        keepAsManyAsPossible("fake");
        books.execute(
                "INSERT INTO unmatched_notice (psp, notice_id, psp_key, received_at) VALUES ('other', 'older', 'key', now() - "
                        + "interval '1 day')");
        assertThat(told("notice-1", new Outcome.Charged("pi_1"))).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(kept()).isEqualTo(UnmatchedNotices.MOST + 1);
        assertThat(books.count("FROM unmatched_notice WHERE notice_id IN ('notice-1', 'older')")).isEqualTo(2);
        assertThat(books.count("FROM unmatched_notice WHERE notice_id = 'full-" + UnmatchedNotices.MOST + "'")).isZero();
        assertThat(process.meters.counter("chargeonce.psp.notices.dropped", "psp", "fake").count()).isEqualTo(1);
    }

    @Test
    void many_of_one_psp_keep_none_of_another_from_being_kept() {
        keepAsManyAsPossible("other");
        assertThat(told("notice-1", new Outcome.Charged("pi_1"))).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(kept()).isEqualTo(UnmatchedNotices.MOST + 1);
    }

    @Test
    void one_whose_attempt_is_there_again_never_goes_for_a_newer_one() {
        told("notice-1", new Outcome.Charged("pi_1"));
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answersStatusQueries = false;
        process.drain();
        books.execute("UPDATE unmatched_notice SET received_at = now() - interval '1 day'");
        keepAsManyAsPossible("fake");
        psp.tells = List.of(
                new Notice("notice-2", PspKey.derive(new PaymentId(payment), "charge", "", "fake", 9), Optional.empty(), Optional.empty()));
        assertThat(process.inbox.take("fake", header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.LATER);
        books.execute("DELETE FROM unmatched_notice WHERE notice_id = 'full-1'");
        assertThat(process.inbox.take("fake", header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(books.count("FROM unmatched_notice WHERE notice_id IN ('notice-1', 'notice-2')")).isEqualTo(2);
    }

    @Test
    void a_notice_without_an_attempt_for_ninety_days_is_dropped() {
        told("notice-1", new Outcome.Charged("pi_1"));
        books.execute("UPDATE unmatched_notice SET received_at = now() - interval '89 days'");
        process.inbox.matchAgain();
        assertThat(kept()).isEqualTo(1);
        books.execute("UPDATE unmatched_notice SET received_at = now() - interval '91 days'");
        process.inbox.matchAgain();
        assertThat(kept()).isZero();
    }

    private static void keepOlder(String psp, int count) {
        books.execute("""
                INSERT INTO payment_attempt SELECT (jsonb_populate_record(attempt, jsonb_build_object(
                                                       'psp_key', lpad(translate(n::text, '0189', 'ghij'), 26, 'a'), 'psp', '%1$s',
                                                           'sequence', n + 10, 'failed_definite', true, 'state', 'failed_definite'))).*
                  FROM payment_attempt AS attempt, generate_series(1, %2$d) AS n;
                INSERT INTO unmatched_notice (psp, notice_id, psp_key, received_at)
                SELECT '%1$s', 'before-' || n, lpad(translate(n::text, '0189', 'ghij'), 26, 'a'), now() - interval '1 day'
                    FROM generate_series(1, %2$d) AS n
                """.formatted(psp, count));
    }

    /** Expects one to be taken behind many that cannot be taken now. */
    private void isTakenBehind(String pspOfOthers) {
        told("notice-1", new Outcome.Charged("pi_1"));
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answersStatusQueries = false;
        process.drain();
        keepOlder(pspOfOthers, 150);
        Waiting.until(() -> process.inbox.matchAgain() == 1);
        assertThat(books.count("FROM unmatched_notice WHERE notice_id = 'notice-1'")).isZero();
        assertThat(kept()).isEqualTo(150);
    }

    @Test
    void many_of_a_psp_that_is_not_set_up_here_keep_no_other_from_being_taken() {
        isTakenBehind("absent");
    }

    @Test
    void many_that_their_psp_does_not_answer_for_keep_no_other_from_being_taken() {
        isTakenBehind("fake");
    }

    @Test
    void one_that_cannot_be_taken_keeps_no_other_from_being_taken() {
        told("notice-0", new Outcome.Charged("pi_1"));
        books.execute("UPDATE unmatched_notice SET received_at = now() - interval '1 day'");
        told("notice-1", new Outcome.Charged("pi_1"));
        books.execute("ALTER TABLE psp_notice ADD CONSTRAINT planted CHECK (notice_id <> 'notice-0')");
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answersStatusQueries = false;
        process.drain();
        try {
            Waiting.until(() -> process.inbox.matchAgain() == 1);
            assertThat(kept()).isEqualTo(1);
        } finally {
            books.execute("ALTER TABLE psp_notice DROP CONSTRAINT planted");
        }
    }

    @Test
    void a_notice_that_must_come_again_does_not_stop_the_others_of_its_webhook() {
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answersStatusQueries = false;
        process.drain();
        var charged = Optional.<Notice.Said>of(new Notice.Ended(Optional.of(new Money(1299, "EUR")), false, new Outcome.Charged("pi_1")));
        var cannotBeLookedUp = Optional.<Notice.Said>empty();
        psp.tells = List.of(new Notice("notice-1", key(), Optional.empty(), cannotBeLookedUp),
                new Notice("notice-2", key(), Optional.of("pi_1"), charged));
        assertThat(process.inbox.take("fake", header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.LATER);
        Waiting.until(() -> process.resolver.runOnce() > 0 || books.state(payment) == OperationState.SUCCEEDED);
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
    }
}
