// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.due.EndedPurges;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A payment is purged while it is unknown whether its attempt moved money: the letter is gone, the status query is not. */
class PurgedUnresolvedTest {

    private static EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;
    private String id;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    @BeforeEach
    void purgedWhileUnresolved() {
        process = books.forget().process(psp);
        id = books.listedAsUnresolved(process, psp);
        purge(id);
    }

    private static void purge(String id) {
        books.database.inTransaction(connection -> {
            var locked = OperationTable.lock(connection, List.of(id));
            Operation operation = locked.rows().get(id);
            operation.purge(locked.now());
            OperationTable.save(connection, List.of(operation));
            return DeadLetterTable.release(connection, books.topics, "purged", List.of(id));
        });
        assertThat(books.state(id)).isEqualTo(OperationState.PURGED);
    }

    private Set<PspKey> counted(boolean evenPurged) {
        return books.database.inTransaction(connection -> AttemptTable.countSends(connection,
                List.of(new AttemptTable.Send(books.operation(id).attemptKey(), evenPurged))));
    }

    private void askedOnce() {
        Waiting.until(() -> process.resolver.runOnce() == 1);
    }

    private static int endPurges() {
        books.daysAfterPurges(31);
        return new EndedPurges(books.charging, books.topics, () -> {}).runOnce();
    }

    private long incidents() {
        return books.count("FROM audit_record WHERE action = 'incident.succeeded_after_purge' AND resource_id = '" + id + "'");
    }

    @Test
    void the_resolver_goes_on_asking_after_a_purge_and_after_its_30_days_and_lists_nothing() {
        int asked = psp.queries.size();
        int tries = books.operation(id).resolveTries();
        askedOnce();
        assertThat(endPurges()).isZero();
        askedOnce();
        assertThat(psp.queries).hasSize(asked + 2);
        assertThat(books.operation(id).resolveTries()).as("the pauses go on growing").isEqualTo(tries + 2);
        assertThat(books.state(id)).isEqualTo(OperationState.PURGED);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
        assertThat(books.staged(books.topics.outcomes())).isZero();
    }

    @Test
    void a_purge_is_told_as_final_only_when_no_status_query_about_it_is_open() {
        assertThat(endPurges()).isZero();
        psp.answer = Optional.of(new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "cancelled"));
        askedOnce();
        assertThat(endPurges()).isEqualTo(1);
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
        assertThat(books.operation(id).isPurgedForGood()).isTrue();
    }

    @Test
    void money_that_moved_is_found_settled_and_an_incident_though_no_webhook_comes() {
        psp.answer = Optional.of(new Outcome.Charged("reference"));
        askedOnce();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(id).pspReference()).contains("reference");
        assertThat(incidents()).isEqualTo(1);
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
        assertThat(books.count("FROM dead_letter WHERE state IN ('dead', 'purged')")).isZero();
    }

    @Test
    void money_that_did_not_move_leaves_it_purged_and_no_psp_is_asked_again() {
        psp.answer = Optional.of(new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "cancelled"));
        askedOnce();
        stayedPurged();
    }

    @Test
    void a_decline_leaves_it_purged_too() {
        psp.answer = Optional.of(new Outcome.Declined("lost_card", "no", Optional.empty()));
        askedOnce();
        stayedPurged();
    }

    private void stayedPurged() {
        assertThat(books.state(id)).isEqualTo(OperationState.PURGED);
        assertThat(books.operation(id).isWatched()).isFalse();
        assertThat(process.resolver.runOnce()).isZero();
        assertThat(books.count("FROM payment_attempt WHERE state = 'failed_definite'")).isEqualTo(1);
        assertThat(books.count("FROM dead_letter WHERE state = 'purged'")).isEqualTo(1);
        assertThat(books.takeWork()).isEmpty();
        assertThat(books.staged(books.topics.outcomes())).isZero();
        assertThat(incidents()).isZero();
    }

    @Test
    void no_status_query_after_a_purge_may_send_the_attempt() {
        assertThat(psp.queries.getLast().mayBeSent()).isTrue();
        psp.answer = Optional.of(new Outcome.Unknown(UnknownCause.CANNOT_BE_ASKED, "look in the Customer Area", Optional.empty()));
        books.execute("UPDATE payment_attempt SET sends = 1");
        askedOnce();
        assertThat(psp.queries.getLast().mayBeSent()).isFalse();
        assertThat(books.count("FROM payment_attempt WHERE sends > 1")).isZero();
    }

    @Test
    void a_status_query_that_was_claimed_before_the_purge_sends_nothing_after_it() {
        assertThat(counted(false)).isEmpty();
        assertThat(counted(true)).as("what moves no money, such as a cancellation").hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void no_status_query_and_no_fence_after_a_purge_may_send_a_refund(boolean keyIsKnown) {
        String paid = books.accept("order-2");
        process.drain();
        psp.refunds.executesBeforeItFails = false;
        psp.refunds.answersStatusQueries = false;
        psp.refunds.fenceSends = true;
        psp.refunds.then(new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty()));
        String refund = ((Refunds.Answer.Accepted) books.refund(paid, OptionalLong.empty(), "")).refund().id();
        process.drain();
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.count("FROM dead_letter WHERE state = 'dead'") == 1;
        });
        purge(refund);
        if (!keyIsKnown) {
            books.execute("UPDATE payment_attempt SET sent_at = now() - interval '2 days', key_valid_until = now() - interval '1 day', "
                    + "not_found = 1 WHERE operation = 'refund'");
        }
        psp.refunds.answersStatusQueries = true;
        books.execute("UPDATE operation_state SET resolve_at = now() WHERE operation_id = '" + refund + "'");
        process.resolver.runOnce();
        assertThat(psp.refunds.given).isEmpty();
        assertThat(books.state(refund)).isEqualTo(OperationState.PURGED);
        assertThat(books.operation(refund).isWatched()).as("its PSP is still asked, without sending it").isTrue();
    }

    @Test
    void a_key_that_the_psp_has_forgotten_is_fenced_as_ever() {
        books.execute(
                "UPDATE payment_attempt SET sent_at = now() - interval '2 days', key_valid_until = now() - interval '1 day', "
                        + "not_found = 1");
        psp.answer = Optional.of(new Outcome.Unknown(UnknownCause.NOT_FOUND, "no such payment", Optional.empty()));
        askedOnce();
        assertThat(psp.fenced).extracting(Charge::key).containsExactly(books.operation(id).attemptKey());
        assertThat(books.state(id)).isEqualTo(OperationState.PURGED);
    }

    @Test
    void a_refund_waits_while_its_purged_payment_may_yet_have_been_charged() {
        assertThat(endPurges()).isZero();
        books.refund(id, OptionalLong.empty(), "");
        books.takeWork().forEach(process::handle);
        assertThat(books.count("FROM operation_now WHERE kind = 'refund' AND state = 'parked' AND failure_cause = 'waits_for_payment'"))
                .isEqualTo(1);
    }

    @Test
    void what_a_person_found_out_settles_a_purged_payment() {
        psp.canBeAsked = false;
        books.execute("UPDATE payment_attempt SET sent_at = now() - interval '2 days', key_valid_until = now() - interval '1 day'");
        psp.answer = Optional.of(new Outcome.Unknown(UnknownCause.CANNOT_BE_ASKED, "look in the Customer Area", Optional.empty()));
        books.database.inTransaction(
                connection -> HandSettlementTable.propose(connection, OperationTable.lock(connection, List.of(id)).rows().get(id),
                        Optional.of("by-hand-1"), "ticket 4711", "run_1"));
        askedOnce();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(id).pspReference()).contains("by-hand-1");
        assertThat(incidents()).isEqualTo(1);
    }

    @Test
    void what_an_absent_psp_has_answered_already_is_an_incident_and_the_alert_counts_it() {
        books.rewrite("UPDATE payment_attempt SET state = 'succeeded', psp_reference = 'pi_late', decided_at = now()");
        books.execute("UPDATE operation_state SET resolve_at = now() - interval '2 minutes'");
        new AbsentPsps(books.charging, books.process(new FakePsp("other")).gateways, books.topics, false, () -> {}, process.meters)
                .runOnce();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(incidents()).isEqualTo(1);
        assertThat(process.meters.counter("chargeonce.incidents", "what", "succeeded_after_purge").count()).isEqualTo(1);
    }

    @Test
    void of_a_psp_that_is_not_set_up_any_more_it_waits_without_being_listed() {
        var absent =
                new AbsentPsps(books.charging, books.process(new FakePsp("other")).gateways, books.topics, false, () -> {}, process.meters);
        books.execute("UPDATE operation_state SET resolve_at = now() - interval '2 minutes'");
        absent.runOnce();
        assertThat(books.state(id)).isEqualTo(OperationState.PURGED);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
        assertThat(process.meters.get("chargeonce.psp.absent.waiting").gauge().value()).isEqualTo(1);
        askedOnce();
    }
}
