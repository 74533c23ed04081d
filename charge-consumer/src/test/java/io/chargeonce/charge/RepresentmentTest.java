// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.due.DueRepresentments;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.DeclineAdvice;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.psp.Notice;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepresentmentTest {

    private static EngineFixture books;
    private final FakePsp first = new FakePsp("first");
    private final FakePsp second = new FakePsp("second");
    private EngineFixture.Process process;
    private DueRepresentments presenter;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void open() {
        process = books.forget().process(first, second);
        presenter = new DueRepresentments(books.charging, books.topics, () -> {});
        books.execute("INSERT INTO merchant (merchant_id, represent_declines) VALUES ('acme', true)");
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private static FakePsp.Behaviour decline(String code) {
        return (psp, charge) -> new Outcome.Declined(code, "no", Optional.empty());
    }

    private static void days(int days) {
        books.execute(
                ("UPDATE operation_state SET represent_at = represent_at - interval '%1$d days', not_before = not_before - interval "
                        + "'%1$d days'")
                        .formatted(days));
    }

    @Test
    void a_soft_decline_of_a_merchant_who_opted_in_is_presented_again_in_days_at_the_same_psp() {
        first.then(decline("insufficient_funds"));
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SCHEDULED);
        assertThat(books.operation(id).tier()).isZero();
        assertThat(books.staged(books.topics.outcomes())).isZero();
        assertThat(presenter.runOnce()).isZero();

        days(3);
        assertThat(presenter.runOnce()).isEqualTo(1);
        assertThat(presenter.runOnce()).isZero();
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.calls).hasSize(2);
        assertThat(second.calls).isEmpty();
        assertThat(books.count("FROM dead_letter")).isZero();
    }

    @Test
    void what_a_webhook_says_is_declined_for_good_is_not_presented_again() {
        first.then(FakePsp.TIME_OUT_UNEXECUTED);
        first.answersStatusQueries = false;
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        var said = new Outcome.Declined("generic_decline", "Refused", Optional.of("psp-1"),
                new DeclineAdvice(Optional.empty(), Optional.of("43")));
        first.tells = List.of(new Notice("notice-1", books.operation(id).attemptKey(), Optional.of("psp-1"),
                Optional.of(new Notice.Ended(Optional.of(new Money(1299, "EUR")), false, said))));
        assertThat(process.inbox.take("first", header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.YES);
        Waiting.until(() -> process.resolver.runOnce() > 0 || books.state(id) != OperationState.UNRESOLVED);
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(id).failureCause()).contains("do_not_try_again");
    }

    @Test
    void once_the_merchant_has_opted_out_a_planned_presentation_is_not_made_and_the_decline_stands() {
        first.then(decline("insufficient_funds"));
        String id = books.accept("order-1");
        process.drain();
        books.execute("UPDATE merchant SET represent_declines = false");
        days(3);
        assertThat(presenter.runOnce()).isEqualTo(1);
        process.drain();
        assertThat(first.calls).hasSize(1);
        isDeclinedAsItWas(id);
    }

    @Test
    void a_bug_at_its_claim_keeps_no_payment_of_a_merchant_who_has_opted_out_from_its_decline() {
        first.then(decline("insufficient_funds"));
        String id = books.accept("order-1");
        process.drain();
        books.execute("UPDATE merchant SET represent_declines = false");
        days(3);
        presenter.runOnce();
        process.claims.setBack(Staging.record(books.operation(id)), "a bug");
        assertThat(books.operation(id).tier()).isOne();
        process.drain();
        assertThat(first.calls).hasSize(1);
        isDeclinedAsItWas(id);
    }

    @Test
    void a_payment_that_cannot_be_presented_again_keeps_no_other_from_it() {
        first.then(decline("insufficient_funds"), decline("insufficient_funds"));
        String broken = books.accept("order-1");
        String sound = books.accept("order-2");
        process.drain();
        days(3);
        books.execute("ALTER TABLE operation_state ADD CONSTRAINT planted CHECK (represent_at IS NOT NULL OR operation_id <> '%s')"
                .formatted(broken));
        try {
            assertThat(presenter.runOnce()).isEqualTo(1);
            process.drain();
            assertThat(books.state(sound)).isEqualTo(OperationState.SUCCEEDED);
        } finally {
            books.execute("ALTER TABLE operation_state DROP CONSTRAINT planted");
        }
        assertThat(presenter.runOnce()).isEqualTo(1);
        process.drain();
        assertThat(books.state(broken)).isEqualTo(OperationState.SUCCEEDED);
    }

    /** Presented again while the first PSP cannot be reached, so that it is parked. */
    private EngineFixture.Process parked(String id) {
        var unforgiving = books.unforgivingProcess(first, second);
        first.then(decline("insufficient_funds")).otherwise = FakePsp.REFUSE_CONNECTION;
        unforgiving.drain();
        days(3);
        presenter.runOnce();
        books.takeWork().forEach(unforgiving::handle);
        assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(books.operation(id).failureCause()).contains("connection_refused");
        return unforgiving;
    }

    @Test
    void a_soft_decline_that_was_parked_meanwhile_goes_to_no_other_psp() {
        String id = books.accept("order-1");
        var unforgiving = parked(id);
        var work = books.takeWork();
        work.forEach(record -> Waiting.until(() -> unforgiving.handle(record) instanceof io.chargeonce.kafka.loop.Verdict.Done));
        assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(books.count("FROM payment_attempt WHERE psp = 'second' AND operation_id = '" + id + "'")).isZero();
    }

    @Test
    void a_soft_decline_that_could_not_be_presented_again_in_time_is_declined_as_it_was() {
        first.then(decline("insufficient_funds"));
        String id = books.accept("order-1");
        process.drain();
        days(3);
        presenter.runOnce();
        books.execute("UPDATE operation_state SET charge_before = now() - interval '1 second'");
        process.drain();
        isDeclinedAsItWas(id);
    }

    @Test
    void one_that_was_parked_until_its_deadline_is_declined_as_it_was_too() {
        String id = books.accept("order-1");
        var unforgiving = parked(id);
        books.execute("UPDATE operation_state SET charge_before = now() - interval '1 second'");
        unforgiving.drain();
        isDeclinedAsItWas(id);
    }

    private void isDeclinedAsItWas(String id) {
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(id).failureCause()).contains("insufficient_funds");
        assertThat(books.count("FROM outbox WHERE topic = '%s' AND record_key = '%s'".formatted(books.topics.outcomes(), id))).isEqualTo(1);
        assertThat(books.count("FROM dead_letter")).isZero();
    }

    @Test
    void after_a_merge_the_old_decline_binds_it_no_more() {
        first.then(decline("insufficient_funds"),
                (psp, charge) -> new Outcome.Failed(io.chargeonce.payment.FailureCause.REQUEST_REFUSED, "malformed"));
        String id = books.accept("order-1");
        process.drain();
        days(3);
        presenter.runOnce();
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        books.merge(id);
        books.execute("UPDATE operation_state SET charge_before = now() - interval '1 second'");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.operation(id).failureCause()).contains("expired");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lost_card", "authentication_required"})
    void hard_declines_and_those_that_need_the_customer_settle_at_once(String code) {
        first.then(decline(code));
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
    }

    @Test
    void without_opting_in_every_decline_settles_at_once() {
        books.execute("UPDATE merchant SET represent_declines = false");
        first.then(decline("insufficient_funds"));
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books.count("FROM retry_budget")).isZero();
    }

    @Test
    void a_code_that_no_table_knows_is_presented_once_more_and_counted_under_its_name() {
        first.then(decline("never_heard_of"), decline("never_heard_of"));
        String id = books.accept("order-1");
        process.drain();
        days(1);
        presenter.runOnce();
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(first.calls).hasSize(2);
        assertThat(process.meters.counter("chargeonce.psp.declines.unmapped", "psp", "first", "code", "never_heard_of").count())
                .isEqualTo(2);
    }

    @Test
    void one_budget_for_a_card_and_amount_spans_all_psps() {
        first.otherwise = decline("insufficient_funds");
        second.otherwise = decline("insufficient_funds");
        var bySecond = books.process(Routes.parse("-> second"), first, second);
        var ids = IntStream.range(0, 20).mapToObj(i -> books.accept("order-" + i)).toList();
        var work = books.takeWork();
        for (int i = 0; i < work.size(); i++) {
            (i % 2 == 0 ? process : bySecond).handle(work.get(i));
        }
        assertThat(ids).filteredOn(id -> books.state(id) == OperationState.SCHEDULED).hasSize(15);
        assertThat(ids).filteredOn(id -> books.state(id) == OperationState.DECLINED).hasSize(5);
        assertThat(ids).filteredOn(id -> books.state(id) == OperationState.SCHEDULED)
                .anyMatch(id -> books.operation(id).psp().equals(Optional.of("first")))
                .anyMatch(id -> books.operation(id).psp().equals(Optional.of("second")));
        books.execute("UPDATE retry_budget SET day = day - 30");
        first.then(decline("insufficient_funds"));
        String later = books.accept("later");
        process.drain();
        assertThat(books.state(later)).isEqualTo(OperationState.SCHEDULED);
    }

    @Test
    void a_stopped_presentation_that_is_merged_counts_in_the_budget_and_is_refused_once_that_is_used_up() {
        first.then(decline("insufficient_funds"));
        String id = books.accept("order-1");
        process.drain();
        books.stop(id);
        books.execute("UPDATE retry_budget SET presented = 15 WHERE day > 'epoch'");
        books.merge(id);
        process.drain();
        assertThat(first.calls).as("nothing was sent").hasSize(1);
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.operation(id).failureCause()).contains("retry_budget");
        assertThat(books.count("FROM dead_letter WHERE message = 'its card was declined, and card networks fine more than 15 presentations "
                + "of one card and amount within 30 days: merge it from ' || current_date + 30 || ' on, or purge it'")).isEqualTo(1);

        books.execute("UPDATE retry_budget SET day = day - 30 WHERE day > 'epoch'");
        first.then(FakePsp.REFUSE_CONNECTION);
        second.otherwise = FakePsp.REFUSE_CONNECTION;
        books.merge(id);
        process.drain();
        assertThat(books.count("FROM retry_budget WHERE day = current_date AND presented = 1"))
                .as("once for the merge, however often its attempt is repeated").isEqualTo(1);
    }
}
