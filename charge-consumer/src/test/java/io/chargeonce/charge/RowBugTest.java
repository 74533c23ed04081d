// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.psp.Traces;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A bug in one row affects only that row; a failure of the system is waited for. */
class RowBugTest {

    private final EngineFixture books = new EngineFixture();
    private final FakePsp psp = new FakePsp();
    private final EngineFixture.Process process = books.process(psp);

    @AfterEach
    void close() throws Exception {
        books.close();
    }

    /** As the loop does it: all at once, each until it is done. */
    private void handleAllAtOnce(List<ConsumerRecord<byte[], byte[]>> work) {
        var handled = new ArrayList<Future<?>>();
        try (var workers = Executors.newVirtualThreadPerTaskExecutor()) {
            work.forEach(record -> handled.add(workers.submit(() -> Waiting.until(() -> process.handle(record) instanceof Verdict.Done))));
        }
        assertThat(handled).allSatisfy(each -> assertThat(each.state()).isEqualTo(Future.State.SUCCESS));
    }

    private List<String> acceptWithOneIn(String paymentMethodOfOne) {
        return IntStream.range(0, 40).mapToObj(i -> books.accept("order-" + i, i == 17 ? paymentMethodOfOne : "pm_card_visa")).toList();
    }

    @Test
    void a_payment_whose_claim_throws_goes_down_the_tiers_and_its_neighbours_are_charged() {
        psp.bugFor = "pm_bug";
        List<String> ids = acceptWithOneIn("pm_bug");
        handleAllAtOnce(books.takeWork());
        assertThat(books.count("FROM operation_now WHERE state = 'succeeded'")).isEqualTo(39);
        assertThat(books.operation(ids.get(17)).state()).isEqualTo(OperationState.SCHEDULED);
        process.drain();
        assertThat(books.state(ids.get(17))).isEqualTo(OperationState.DEAD);
        assertThat(
                books.count("FROM dead_letter WHERE cause = 'internal_error' AND message LIKE 'IllegalStateException at FakePsp.java:%'"))
                .isEqualTo(1);
        assertThat(books.count("FROM dead_letter")).isEqualTo(1);
        assertThat(psp.captures).hasSize(39);
        books.merge(ids.get(17));
        psp.bugFor = "none";
        process.drain();
        assertThat(books.state(ids.get(17))).isEqualTo(OperationState.SUCCEEDED);
    }

    static Stream<Error> errors() {
        return Stream.of(new StackOverflowError("planted"), new NoClassDefFoundError("planted"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void a_payment_whose_rendering_breaks_goes_down_the_tiers_and_its_neighbours_are_charged(Error error) {
        psp.bugFor = "pm_bug";
        psp.error = Optional.of(error);
        List<String> ids = acceptWithOneIn("pm_bug");
        handleAllAtOnce(books.takeWork());
        assertThat(books.count("FROM operation_now WHERE state = 'succeeded'")).isEqualTo(39);
        process.drain();
        assertThat(books.state(ids.get(17))).isEqualTo(OperationState.DEAD);
        assertThat(books
                .count("FROM dead_letter WHERE cause = 'internal_error' AND message ~ '^(StackOverflowError|IllegalStateException) at '"))
                .isEqualTo(1);
        assertThat(psp.captures).hasSize(39);
    }

    @Test
    void a_refund_whose_gateway_lacks_a_class_goes_down_the_tiers_and_its_neighbours_are_charged() {
        String paid = books.accept("order-paid");
        process.drain();
        psp.beforeRefunds = () -> {
            throw new NoClassDefFoundError("planted");
        };
        books.refund(paid, OptionalLong.empty(), "");
        acceptWithOneIn("pm_card_visa");
        handleAllAtOnce(books.takeWork());
        assertThat(books.count("FROM operation_now WHERE kind = 'charge' AND state = 'succeeded'")).isEqualTo(41);
        process.drain();
        assertThat(books.count("FROM operation_now WHERE kind = 'refund' AND state = 'dead'")).isEqualTo(1);
        assertThat(books.count("FROM dead_letter WHERE cause = 'internal_error' AND message LIKE 'IllegalStateException at PspCalls%'"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("errors")
    void a_payment_about_which_a_lookup_breaks_waits_and_is_asked_about_again(Error error) {
        var broken = new AtomicBoolean(true);
        psp.lookup = Optional.of(new FakePsp.Looking(payment -> {
            if (broken.get()) {
                throw error;
            }
            return new Traces.Found(List.of());
        }));
        books.askFirstUntil = Optional.of(Instant.now().plus(Duration.ofHours(1)));
        EngineFixture.Process asking = books.process(psp);
        String id = books.accept("order-1");
        assertThat(asking.handle(books.takeWork().getFirst())).isInstanceOf(Verdict.Done.class);
        assertThat(books.operation(id).failureCause()).contains("psp_not_queried");
        broken.set(false);
        asking.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.captures).hasSize(1);
    }

    static Stream<Supplier<Outcome>> brokenAnswers() {
        return Stream.of(() -> {
            throw new StackOverflowError("planted");
        }, () -> {
            throw new NoClassDefFoundError("planted");
        }, () -> null);
    }

    /** A plugin may be built for another version. */
    @ParameterizedTest
    @MethodSource("brokenAnswers")
    void a_gateway_that_breaks_leaves_its_attempt_to_be_asked_about(Supplier<Outcome> broken) {
        psp.then((fake, charge) -> {
            FakePsp.CAPTURE_AND_TIME_OUT.charge(fake, charge);
            return broken.get();
        });
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.captures).hasSize(1);
        assertThat(process.meters.counter("chargeonce.psp.bugs", "psp", "fake").count()).isEqualTo(1);
    }

    @Test
    void a_payment_whose_claim_postgres_refuses_goes_down_the_tiers_and_its_neighbours_are_charged() {
        List<String> ids = acceptWithOneIn("pm_card_visa");
        books.execute("ALTER TABLE payment_attempt ADD CONSTRAINT planted CHECK (operation_id <> '%s')".formatted(ids.get(17)));
        handleAllAtOnce(books.takeWork());
        process.drain();
        assertThat(books.count("FROM operation_now WHERE state = 'succeeded'")).isEqualTo(39);
        assertThat(books.state(ids.get(17))).isEqualTo(OperationState.DEAD);
        assertThat(books.count("FROM dead_letter WHERE cause = 'internal_error' AND message LIKE 'SQLSTATE 23514 at %'")).isEqualTo(1);
        assertThat(books.count("FROM dead_letter")).isEqualTo(1);
    }

    @Test
    void a_record_whose_payment_cannot_be_read_is_put_away_and_delays_no_other() {
        List<String> ids = acceptWithOneIn("pm_card_visa");
        var work = books.takeWork();
        books.execute("ALTER TABLE operation DROP CONSTRAINT IF EXISTS operation_currency_check");
        books.rewrite("UPDATE operation SET currency = 'euro' WHERE operation_id = '%s'".formatted(ids.get(17)));
        handleAllAtOnce(work);
        assertThat(books.count("FROM operation_now WHERE state = 'succeeded'")).isEqualTo(39);
        assertThat(books.count("FROM dead_letter WHERE cause = 'unprocessable'")).isEqualTo(1);
        assertThat(books.count("FROM operation_now WHERE state = 'accepted'")).as("its payment waits as it was").isEqualTo(1);
    }

    @Test
    void an_answer_that_cannot_be_recorded_leaves_the_payment_unresolved_until_it_can() {
        books.execute("ALTER TABLE payment_attempt ADD CONSTRAINT planted CHECK (state <> 'succeeded')");
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.operation(id).failureCause()).contains("internal_error");
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        books.execute("ALTER TABLE payment_attempt DROP CONSTRAINT planted");
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.state(id) == OperationState.SUCCEEDED;
        });
        assertThat(psp.captures).hasSize(1);
    }

    @Test
    void a_send_that_cannot_be_counted_is_not_made() {
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        books.execute("ALTER TABLE payment_attempt ADD CONSTRAINT planted CHECK (sends < 2)");
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(psp.queries).isEmpty();
        assertThat(process.meters.get("chargeonce.bugs").tag("where", "send").counter().count()).isEqualTo(1);
    }

    /** @return two payments of unknown outcome, of which the first cannot be read */
    private List<String> leaveTwoUnknownAndOneUnreadable() {
        psp.answersStatusQueries = false;
        psp.otherwise = FakePsp.CAPTURE_AND_TIME_OUT;
        List<String> ids = List.of(books.accept("order-1"), books.accept("order-2"));
        process.drain();
        psp.answersStatusQueries = true;
        assertThat(ids).allSatisfy(id -> assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED));
        books.execute("ALTER TABLE operation DROP CONSTRAINT IF EXISTS operation_currency_check");
        books.rewrite("UPDATE operation SET currency = 'euro' WHERE operation_id = '%s'".formatted(ids.getFirst()));
        return ids;
    }

    @Test
    void an_attempt_that_cannot_be_asked_about_keeps_no_other_from_being_asked_about() {
        List<String> ids = leaveTwoUnknownAndOneUnreadable();
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.state(ids.getLast()) == OperationState.SUCCEEDED;
        });
        assertThat(books.count("FROM operation_now WHERE state = 'unresolved' AND resolve_at > now()")).as("its turn comes again")
                .isEqualTo(1);
        books.rewrite("UPDATE operation SET currency = 'EUR'; UPDATE operation_state SET resolve_at = now() WHERE operation_id = '%s'"
                .formatted(ids.getFirst()));
        Waiting.until(() -> process.resolver.runOnce() == 1);
        assertThat(books.state(ids.getFirst())).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void a_psp_whose_status_queries_cannot_be_taken_keeps_no_other_psp_from_being_asked() {
        var other = new FakePsp("other");
        other.answersStatusQueries = false;
        other.otherwise = FakePsp.CAPTURE_AND_TIME_OUT;
        var otherProcess = books.process(other);
        String there = books.accept("order-there");
        otherProcess.drain();
        leaveTwoUnknownAndOneUnreadable();
        other.answersStatusQueries = true;
        var both = books.process(psp, other);
        Waiting.until(() -> {
            both.resolver.runOnce();
            return books.state(there) == OperationState.SUCCEEDED;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "ALTER TABLE operation_state RENAME COLUMN swept TO swept_no_more; ALTER TABLE operation_state RENAME COLUMN swept_no_more TO "
                + "swept",
        "ALTER TABLE payment_attempt RENAME TO attempts_elsewhere; ALTER TABLE attempts_elsewhere RENAME TO payment_attempt"})
    void a_schema_that_does_not_fit_is_waited_for_and_makes_no_poison(String thereAndBack) {
        IntStream.range(0, 30).forEach(i -> books.accept("order-" + i));
        List<ConsumerRecord<byte[], byte[]>> work = books.takeWork();
        books.execute(thereAndBack.split("; ")[0]);
        var handling = Thread.ofPlatform().start(() -> handleAllAtOnce(work));
        Waiting.until(() -> books.charging.problem().isPresent());
        assertThat(books.count("FROM dead_letter")).isZero();
        books.execute(thereAndBack.split("; ")[1]);
        Waiting.until(() -> books.count("FROM operation_now WHERE state = 'succeeded'") == 30);
        assertThat(books.count("FROM dead_letter")).isZero();
        assertThat(psp.captures).hasSize(30);
        Waiting.until(() -> !handling.isAlive());
    }
}
