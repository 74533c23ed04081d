// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.payment.route.Routes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One PSP answers 503 for a while, with the tiers of production, in virtual time: clock and rows are moved instead of waiting. The routes
 * name both PSPs; some payment methods have tokens of both, the others of one alone.
 */
class OutageTest {

    private static final Duration STEP = Duration.ofSeconds(5);
    private static final Duration OUTAGE = Duration.ofSeconds(60);
    private static final String BOTH = method("both");
    private static final String STRIPE_ONLY = method("stripe-only");

    private static EngineFixture books;
    private final FakePsp stripe = new FakePsp("stripe");
    private final FakePsp adyen = new FakePsp("adyen");
    private final List<ConsumerRecord<byte[], byte[]>> waiting = new ArrayList<>();
    private Instant now = Instant.parse("2026-03-01T00:00:00Z");
    /** Between the moves the clock runs, as that of the database does. */
    private final long started = System.nanoTime();
    private EngineFixture.Process process;
    private int orders;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(10));
    }

    @BeforeEach
    void open() {
        process = another();
        for (int i = 0; i < 10; i++) {
            accept(STRIPE_ONLY);
        }
        work();
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private static String method(String key) {
        return PaymentMethodId.derive("acme", new IdempotencyKey(key)).value();
    }

    private EngineFixture.Process another() {
        orders = 0;
        books.forget();
        books.store("both", "stripe", "adyen");
        books.store("stripe-only", "stripe");
        return process();
    }

    private EngineFixture.Process process() {
        return books.process(() -> now.plusNanos(System.nanoTime() - started), Duration.ofSeconds(10),
                Routes.parse("-> stripe,adyen"), stripe, adyen);
    }

    private String accept(String method) {
        return books.accept("order-" + orders++, method);
    }

    private void work() {
        work(process);
    }

    /** Hands over everything that is due, and the work that follows from it. */
    private void work(EngineFixture.Process by) {
        waiting.addAll(books.takeWork());
        boolean again = true;
        while (again) {
            waiting.removeIf(record -> by.handle(record) instanceof Verdict.Done);
            again = waiting.addAll(books.takeWork());
        }
    }

    private void pass(Duration time) {
        now = now.plus(time);
        books.execute("""
                UPDATE operation_state SET not_before = not_before - %1$s, staged_at = staged_at - %1$s,
                    charge_before = charge_before - %1$s,
                       resolve_at = resolve_at - %1$s;
                UPDATE payment_attempt SET sent_at = sent_at - %1$s
                """.formatted("interval '" + time.toMillis() + " milliseconds'"));
    }

    /** Advances time, with a payment to each at every step. */
    private List<String> sell(Duration time, String... methods) {
        var sold = new ArrayList<String>();
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(STEP)) {
            for (String method : methods) {
                sold.add(accept(method));
            }
            work();
            pass(STEP);
            process.resolver.runOnce();
        }
        return sold;
    }

    private void everyOneSucceededUncounted(List<String> payments) {
        assertThat(payments).allSatisfy(id -> {
            assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
            assertThat(books.operation(id).progress().countedAttempts()).isZero();
        });
        assertThat(books.count("FROM dead_letter")).isZero();
    }

    @Test
    void a_psp_that_fails_for_a_minute_costs_no_payment_an_attempt_and_others_take_over() {
        stripe.otherwise = FakePsp.FAIL;
        var both = IntStream.range(0, 10).mapToObj(i -> accept(BOTH)).toList();
        var stripeOnly = new ArrayList<>(IntStream.range(0, 10).mapToObj(i -> accept(STRIPE_ONLY)).toList());
        work();
        everyOneSucceededUncounted(both);
        assertThat(both).allSatisfy(id -> {
            assertThat(books.operation(id).psp()).contains("adyen");
            assertThat(books.operation(id).sequence()).isLessThanOrEqualTo(2);
        });

        everyOneSucceededUncounted(sell(OUTAGE, BOTH));
        stripeOnly.addAll(sell(OUTAGE, STRIPE_ONLY));
        assertThat(stripeOnly).noneMatch(id -> books.state(id) == OperationState.DEAD);
        stripe.otherwise = FakePsp.SUCCEED;
        sell(Duration.ofMinutes(11), STRIPE_ONLY);
        everyOneSucceededUncounted(stripeOnly);
        assertThat(stripe.captures).hasSizeGreaterThanOrEqualTo(10 + stripeOnly.size());
    }

    @Test
    void what_stays_unknown_in_an_outage_and_is_found_unexecuted_after_it_is_not_counted() {
        stripe.answersStatusQueries = false;
        stripe.otherwise = FakePsp.TIME_OUT_UNEXECUTED;
        var payments = IntStream.range(0, 6).mapToObj(i -> accept(STRIPE_ONLY)).toList();
        work();
        assertThat(payments).anyMatch(id -> books.state(id) == OperationState.UNRESOLVED);
        sell(OUTAGE);
        stripe.answersStatusQueries = true;
        stripe.otherwise = FakePsp.SUCCEED;
        sell(Duration.ofMinutes(11), STRIPE_ONLY);
        everyOneSucceededUncounted(payments);
    }

    @Test
    void a_payment_that_fails_while_others_succeed_dies_after_its_tiers() {
        String poisoned = accept(STRIPE_ONLY);
        stripe.otherwise =
                (psp, charge) -> charge.payment().value().equals(poisoned) ? FakePsp.FAIL.charge(psp, charge) : psp.capture(charge);
        everyOneSucceededUncountedBut(poisoned, sell(Duration.ofMinutes(12), STRIPE_ONLY));
        assertThat(books.state(poisoned)).isEqualTo(OperationState.DEAD);
        assertThat(books.operation(poisoned).sequence()).isEqualTo(4);
    }

    @Test
    void an_outage_that_only_payments_meet_which_failed_before_is_seen_after_eight_of_them() {
        var failing = new ArrayList<String>();
        stripe.otherwise =
                (psp, charge) -> failing.contains(charge.payment().value()) ? FakePsp.FAIL.charge(psp, charge) : psp.capture(charge);
        for (int i = 0; i < 12; i++) {
            failing.add(accept(STRIPE_ONLY));
            work();
            accept(STRIPE_ONLY);
            work();
        }
        assertThat(failing).allMatch(id -> books.state(id) == OperationState.SCHEDULED);
        stripe.otherwise = FakePsp.FAIL;
        sell(STEP.multipliedBy(3));
        assertThat(failing).filteredOn(id -> books.operation(id).sequence() > 1).hasSize(8);
        stripe.otherwise = FakePsp.SUCCEED;
        sell(Duration.ofMinutes(11));
        assertThat(failing).allSatisfy(id -> {
            assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
            assertThat(books.operation(id).progress().countedAttempts()).as("its own failure, and none of the outage").isEqualTo(1);
        });
    }

    private void everyOneSucceededUncountedBut(String poisoned, List<String> others) {
        assertThat(others).doesNotContain(poisoned).allMatch(id -> books.state(id) == OperationState.SUCCEEDED);
        assertThat(books.count("FROM dead_letter")).isEqualTo(1);
    }

    @Test
    void each_psp_gets_a_payment_that_fails_everywhere_once_before_it_waits() {
        stripe.then(FakePsp.FAIL);
        adyen.then(FakePsp.FAIL);
        String id = accept(BOTH);
        int before = stripe.calls.size();
        work();
        assertThat(List.of(stripe.calls.size() - before, adyen.calls.size())).containsExactly(1, 1);
        assertThat(books.operation(id).tier()).isEqualTo(1);
        assertThat(books.operation(id).progress().countedAttempts()).isLessThanOrEqualTo(1);
        sell(STEP.plus(STEP));
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM payment_attempt WHERE NOT failed_definite AND payment_id = '" + id + "'")).isEqualTo(1);
    }

    @Test
    void an_unknown_outcome_never_goes_to_another_psp_at_once() {
        stripe.answersStatusQueries = false;
        stripe.then(FakePsp.CAPTURE_AND_TIME_OUT);
        String id = accept(BOTH);
        work();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(adyen.calls).isEmpty();
    }

    @Test
    void a_psp_that_is_well_again_gets_its_payments_back_although_others_come_before_it_by_success() {
        stripe.otherwise = FakePsp.FAIL;
        sell(Duration.ofMinutes(3), BOTH, BOTH, BOTH, BOTH, BOTH);
        stripe.otherwise = FakePsp.SUCCEED;
        int before = stripe.captures.size();
        sell(Duration.ofSeconds(20), BOTH);
        assertThat(stripe.captures.size()).isGreaterThan(before);
        var share = sell(Duration.ofSeconds(20), BOTH);
        assertThat(share).allSatisfy(id -> assertThat(books.operation(id).psp()).contains("stripe"));
    }

    @Test
    void an_outage_that_shows_in_one_payment_of_each_of_three_processes_shows_to_all() {
        var second = process();
        var third = process();
        stripe.otherwise = FakePsp.FAIL;
        for (var one : List.of(process, second, third)) {
            now = now.plus(STEP);
            accept(STRIPE_ONLY);
            work(one);
            one.newsroom.runOnce();
        }
        List.of(process, second).forEach(one -> one.newsroom.runOnce());
        int calls = stripe.calls.size();
        accept(STRIPE_ONLY);
        work(second);
        assertThat(stripe.calls).hasSize(calls);
        assertThat(books.count("FROM operation_now WHERE failure_cause = 'breaker_open'")).isEqualTo(1);
        assertThat(second.meters.get("chargeonce.psp.breaker.open").tag("psp", "stripe").gauge().value()).isEqualTo(1);
    }

    @Test
    void processes_that_have_payments_for_a_psp_share_its_quota() {
        books.execute("DELETE FROM psp_health");
        books.quotas = Map.of("stripe", 40);
        var first = process();
        var second = process();
        var idle = process();
        books.quotas = Map.of();
        var limit = first.meters.get("chargeonce.psp.payments.per.second.limit").tag("psp", "stripe").gauge();
        List.of(second, idle, first).forEach(one -> one.newsroom.runOnce());
        assertThat(limit.value()).isEqualTo(40);
        accept(STRIPE_ONLY);
        work(second);
        List.of(second, idle, first).forEach(one -> one.newsroom.runOnce());
        assertThat(limit.value()).as("two of three have payments").isEqualTo(20);
        books.execute("UPDATE psp_health SET told_at = told_at - interval '2 minutes'");
        first.newsroom.runOnce();
        assertThat(limit.value()).as("the others are gone").isEqualTo(40);
    }

    @Test
    void too_many_requests_open_no_breaker_and_the_psp_is_left_alone_as_long_as_it_asks() {
        stripe.then((psp, charge) -> new Outcome.Failed(FailureCause.RATE_LIMITED, "429", Optional.of(Duration.ofSeconds(20))));
        String refused = accept(STRIPE_ONLY);
        work();
        String next = accept(STRIPE_ONLY);
        assertThat(process.handle(books.takeWork(next).getFirst())).isInstanceOfSatisfying(Verdict.NotBefore.class,
                later -> assertThat(later.pause()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(20)));
        assertThat(books.operation(next).sequence()).isZero();
        assertThat(books.state(next)).isEqualTo(OperationState.ACCEPTED);
        String elsewhere = accept(BOTH);
        work();
        assertThat(books.operation(elsewhere).psp()).contains("adyen");
        assertThat(books.operation(refused).progress().countedAttempts()).isZero();
    }
}
