// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.route.Routes;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A PSP is removed from the configuration, or not yet in every process's, while it still has our money or our status queries. */
class AbsentPspTest {

    private static final Routes TO_OLD = Routes.parse("-> old");

    private static EngineFixture books;
    private final FakePsp old = new FakePsp("old");
    private final FakePsp kept = new FakePsp("kept");
    private EngineFixture.Process with;
    private EngineFixture.Process without;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void open() {
        with = books.forget().process(TO_OLD, old, kept);
        without = books.process(kept);
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private AbsentPsps absent() {
        return new AbsentPsps(books.charging, without.gateways, books.topics, false, () -> {}, without.meters);
    }

    private String unknownAtOld() {
        old.answersStatusQueries = false;
        old.then(FakePsp.CAPTURE_AND_TIME_OUT);
        String id = books.accept("order-1");
        with.drain();
        old.answersStatusQueries = true;
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        return id;
    }

    private void becomesDueLongAgo(String id) {
        books.execute("UPDATE operation_state SET resolve_at = now() - interval '2 minutes' WHERE operation_id = '" + id + "'");
    }

    private double waiting() {
        return without.meters.get("chargeonce.psp.absent.waiting").gauge().value();
    }

    @Test
    void status_queries_about_other_psps_are_asked_and_those_about_an_absent_one_keep_their_turn() {
        String absent = unknownAtOld();
        becomesDueLongAgo(absent);
        kept.answersStatusQueries = false;
        kept.then(FakePsp.CAPTURE_AND_TIME_OUT);
        String other = books.accept("order-2");
        without.drain();
        kept.answersStatusQueries = true;
        Waiting.until(() -> without.resolver.runOnce() > 0 && books.state(other) == OperationState.SUCCEEDED);
        assertThat(books.state(absent)).isEqualTo(OperationState.UNRESOLVED);
        // Its lease was not taken from the process that can ask.
        assertThat(with.resolver.runOnce()).isEqualTo(1);
        assertThat(books.state(absent)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(old.captures).hasSize(1);
    }

    @Test
    void what_no_process_can_ask_about_is_listed_for_people_and_goes_on_when_one_can() {
        String id = unknownAtOld();
        becomesDueLongAgo(id);
        var absent = absent();
        assertThat(absent.runOnce()).isEqualTo(1);
        assertThat(absent.runOnce()).isZero();
        assertThat(books.count("FROM dead_letter WHERE state = 'dead' AND cause = 'psp_absent' AND psp = 'old'")).isEqualTo(1);
        assertThat(waiting()).isEqualTo(1);

        assertThat(with.resolver.runOnce()).isEqualTo(1);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
        absent.runOnce();
        assertThat(waiting()).isZero();
    }

    @Test
    void what_an_absent_psp_has_answered_already_is_settled_without_it() {
        String id = unknownAtOld();
        books.rewrite(
                "UPDATE payment_attempt SET state = 'succeeded', psp_reference = 'pi_late', decided_at = now() WHERE operation_id = '%s'"
                        .formatted(id));
        becomesDueLongAgo(id);
        assertThat(absent().runOnce()).isEqualTo(1);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM operation_state WHERE psp_reference = 'pi_late'")).isEqualTo(1);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
        assertThat(books.count("FROM outbox WHERE topic LIKE '%.outcomes'")).isEqualTo(1);
    }

    @Test
    void one_that_cannot_be_listed_keeps_no_other_from_being_listed() {
        String broken = unknownAtOld();
        String sound = unknownAt(old, books.accept("order-2"), with);
        becomesDueLongAgo(broken);
        becomesDueLongAgo(sound);
        books.execute("ALTER TABLE operation_state ADD CONSTRAINT planted CHECK (failure_cause <> 'psp_absent' OR operation_id <> '%s')"
                .formatted(broken));
        var absent = absent();
        try {
            assertThat(absent.runOnce()).isEqualTo(1);
            assertThat(books.count("FROM dead_letter WHERE cause = 'psp_absent' AND dead_letter_id = '" + sound + "'")).isEqualTo(1);
            assertThat(absent.runOnce()).isZero();
        } finally {
            books.execute("ALTER TABLE operation_state DROP CONSTRAINT planted");
        }
        assertThat(absent.runOnce()).as("it is tried again").isEqualTo(1);
    }

    @Test
    void what_another_running_process_can_ask_about_is_not_listed() {
        becomesDueLongAgo(unknownAtOld());
        with.newsroom.runOnce();
        assertThat(absent().runOnce()).isZero();
        assertThat(books.count("FROM dead_letter")).isZero();
    }

    @Test
    void a_refund_of_a_capture_at_an_absent_psp_waits_uncounted_and_goes_on_by_itself() {
        String id = books.accept("order-1");
        with.drain();
        books.refund(id, OptionalLong.empty(), "");
        String refund = "payment-" + id + "-refund";
        assertThat(without.handle(books.takeWork(refund).getFirst())).isInstanceOf(Verdict.Done.class);
        assertThat(books.state(refund)).isEqualTo(OperationState.PARKED);
        assertThat(books.operation(refund).failureCause()).contains("psp_absent");
        var absent = absent();
        absent.runOnce();
        assertThat(waiting()).isEqualTo(1);
        with.drain();
        assertThat(books.state(refund)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(refund).progress().countedAttempts()).isZero();
        assertThat(old.refunds.given).hasSize(1);
    }

    @Test
    void a_route_to_an_absent_psp_stops_nothing_but_what_only_that_one_takes() {
        var routed = books.process(Routes.parse("method=pm_both -> old,kept; -> old"), kept);
        String both = books.accept("order-1", "pm_both");
        String onlyOld = books.accept("order-2");
        books.takeWork().forEach(routed::handle);
        assertThat(books.operation(both).psp()).contains("kept");
        assertThat(books.state(both)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.state(onlyOld)).isEqualTo(OperationState.PARKED);
        with.drain();
        assertThat(books.state(onlyOld)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void a_dead_payment_that_is_merged_while_its_psp_is_absent_waits_for_it() {
        old.then(FakePsp.FAIL, FakePsp.FAIL, FakePsp.FAIL, FakePsp.FAIL);
        String id = books.accept("order-1");
        with.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        var routed = books.process(TO_OLD, kept);
        books.merge(id);
        books.takeWork().forEach(routed::handle);
        assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
        with.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void a_payment_that_failed_at_a_psp_which_is_gone_for_good_goes_where_the_routes_lead_now() {
        old.then(FakePsp.FAIL);
        String id = books.accept("order-1");
        books.takeWork().forEach(with::handle);
        assertThat(books.operation(id).sequence()).isEqualTo(1);
        var stillRouted = books.process(TO_OLD, kept);
        books.takeWork().forEach(record -> Waiting.until(() -> stillRouted.handle(record) instanceof Verdict.Done));
        assertThat(books.operation(id).failureCause()).contains("psp_absent");
        without.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(kept.captures).hasSize(1);
    }

    @Test
    void a_webhook_of_an_absent_psp_is_refused_so_that_it_comes_again() {
        Function<String, Optional<String>> header = name -> Optional.empty();
        assertThat(without.inbox.take("old", header, new byte[0])).isEqualTo(WebhookInbox.Taken.REFUSED);
    }

    @Test
    void a_psp_that_does_not_answer_never_delays_status_queries_to_another() throws Exception {
        String slow = unknownAtOld();
        String second = unknownAt(kept, books.accept("order-2"), without);
        var hangs = new CountDownLatch(1);
        old.beforeAnswering = () -> await(hangs);
        becomesDueLongAgo(slow);
        Waiting.until(() -> with.resolver.start() >= 0 && books.state(second) == OperationState.SUCCEEDED);
        // The next one is taken while the first still hangs.
        String third = unknownAt(kept, books.accept("order-3"), without);
        Waiting.until(() -> with.resolver.start() >= 0 && books.state(third) == OperationState.SUCCEEDED);
        assertThat(books.state(slow)).isEqualTo(OperationState.UNRESOLVED);
        hangs.countDown();
        Waiting.until(() -> with.resolver.start() >= 0 && books.state(slow) == OperationState.SUCCEEDED);
        assertThat(old.captures).hasSize(1);
    }

    private String unknownAt(FakePsp psp, String id, EngineFixture.Process process) {
        psp.answersStatusQueries = false;
        psp.then(FakePsp.CAPTURE_AND_TIME_OUT);
        books.takeWork(id).forEach(process::handle);
        psp.answersStatusQueries = true;
        return id;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
