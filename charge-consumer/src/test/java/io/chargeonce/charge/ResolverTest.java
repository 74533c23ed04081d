// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.call.PspCalls;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResolverTest {

    private static EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;
    private String payment;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void leaveOneUnknown() {
        process = books.forget().process(psp);
        psp.answersStatusQueries = false;
        psp.then(FakePsp.CAPTURE_AND_TIME_OUT);
        payment = books.accept("order-1");
        process.drain();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private void ask() {
        Waiting.until(() -> process.resolver.runOnce() > 0);
    }

    private long sends() {
        return books.count("FROM generate_series(1, (SELECT sends FROM payment_attempt))");
    }

    @Test
    void every_status_query_that_may_send_again_is_counted_before_it_is_asked() {
        assertThat(sends()).isEqualTo(2);
        ask();
        assertThat(sends()).isEqualTo(3);
        assertThat(psp.queries.getLast().mayBeSent()).isTrue();
    }

    @Test
    void a_payment_whose_attempt_is_lost_is_set_aside_and_listed_and_asked_about_when_the_attempt_is_back() {
        books.execute("CREATE TABLE backup AS SELECT * FROM payment_attempt");
        books.rewrite("DELETE FROM payment_attempt");
        books.execute("UPDATE operation_state SET resolve_at = now()");
        assertThat(process.resolver.runOnce()).isZero();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead' AND cause = 'unresolved' AND message LIKE 'attempt_lost: %'"))
                .isEqualTo(1);
        assertThat(books.count("FROM waiting WHERE list = 'query' AND due_at > now() + interval '23 hours'")).isEqualTo(1);
        assertThat(books.takeWork()).as("nothing is charged").isEmpty();

        books.rewrite("INSERT INTO payment_attempt SELECT * FROM backup; DROP TABLE backup");
        psp.answersStatusQueries = true;
        books.execute("UPDATE operation_state SET resolve_at = now()");
        ask();
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
    }

    @Test
    void a_key_that_two_are_about_to_send_in_one_commit_is_counted_twice() {
        PspKey key = psp.queries.getLast().key();
        books.database.inTransaction(connection -> {
            AttemptTable.countSends(connection, List.of(new AttemptTable.Send(key, false), new AttemptTable.Send(key, false)));
            return null;
        });
        assertThat(sends()).isEqualTo(4);
    }

    @Test
    void a_status_query_with_a_living_key_is_no_new_charge_and_the_deadline_does_not_forbid_it() {
        books.execute("UPDATE operation_state SET charge_before = now() - interval '1 second'");
        ask();
        assertThat(psp.queries.getLast().mayBeSent()).isTrue();
        assertThat(psp.queries.getLast().lease().hasEnded()).isFalse();
    }

    @Test
    void what_was_decided_while_the_status_query_was_on_its_way_is_not_sent_again() {
        Attempt attempt = books.database
                .withConnection(connection -> AttemptTable.find(connection, List.of(psp.queries.getLast().key().value()))).getFirst();
        books.execute("UPDATE payment_attempt SET state = 'failed_definite', failed_definite = true");
        int asked = psp.queries.size();
        Outcome outcome =
                process.exchange.ask(PspCalls.of(books.operation(payment), attempt, psp, true).during(Lease.of(EngineFixture.LEASE)));
        assertThat(outcome).isInstanceOf(Outcome.Unknown.class);
        assertThat(psp.queries).hasSize(asked);
        assertThat(sends()).isEqualTo(2);
    }

    @Test
    void nothing_is_sent_again_past_the_life_of_the_key() {
        books.execute("UPDATE payment_attempt SET key_valid_until = now() - interval '1 second'");
        ask();
        assertThat(psp.queries.getLast().mayBeSent()).isFalse();
        assertThat(sends()).isEqualTo(2);
        psp.answersStatusQueries = true;
        ask();
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void a_refused_connection_of_a_status_query_says_nothing_about_the_send_before() {
        psp.answer = Optional.of(new Outcome.Failed(FailureCause.CONNECTION_REFUSED, "refused"));
        ask();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.operation(payment).failureCause()).contains("another_send");
    }

    @Test
    void a_bug_in_a_gateway_is_an_unknown_outcome_that_is_found_out() {
        psp.answersStatusQueries = true;
        psp.then((fake, charge) -> {
            fake.capture(charge);
            throw new NullPointerException("a field that the PSP left out");
        });
        String other = books.accept("order-2");
        process.drain();
        assertThat(books.state(other)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.calls).extracting(charge -> charge.payment().value()).containsOnlyOnce(other);
        assertThat(process.meters.counter("chargeonce.psp.bugs", "psp", psp.psp()).count()).isEqualTo(1);
    }

    @Test
    void not_found_alone_never_makes_an_attempt_fail() {
        psp.answer = Optional.of(new Outcome.Unknown(UnknownCause.NOT_FOUND, "never heard of", Optional.empty()));
        books.execute("UPDATE payment_attempt SET key_valid_until = now(), sent_at = now() - interval '3 days'");
        for (int i = 0; i < 4; i++) {
            ask();
        }
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(psp.fenced).isNotEmpty();
        assertThat(books.count("FROM payment_attempt WHERE not_found = 4")).isEqualTo(1);
    }

    @Test
    void answers_about_another_amount_are_quarantined_as_unknown_with_an_alarm() {
        psp.answer = Optional.of(new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH, "1.00 EUR", Optional.of("ref")));
        ask();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(process.meters.counter("chargeonce.psp.answers.quarantined", "psp", "fake", "cause", "answer_mismatch").count())
                .isEqualTo(1);
    }

    @Test
    void the_ladder_climbs_and_its_end_is_no_failure() {
        var ladder = new StatusQueryPauses(List.of(Duration.ofSeconds(5), Duration.ofHours(24)));
        assertThat(List.of(ladder.pause(0), ladder.pause(1), ladder.pause(500)))
                .containsExactly(Duration.ofSeconds(5), Duration.ofHours(24), Duration.ofHours(24));
    }
}
