// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GatewaysTest {

    private static final Outcome ERROR = new Outcome.Unknown(UnknownCause.PSP_ERROR, "500", Optional.empty());
    private static final Duration OPEN_FOR = Duration.ofHours(1);
    private static final Outcome CHARGED = new Outcome.Charged("ref");

    /** No PSP is called: the test sets the answers. */
    private record Named(String psp) implements Gateway {

        @Override
        public byte[] render(Operation operation, PspKey key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Duration keyLife() {
            return Duration.ofHours(1);
        }

        @Override
        public Duration callBudget() {
            return Duration.ofSeconds(1);
        }

        @Override
        public Outcome charge(Charge charge) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Outcome findOut(Charge charge) {
            throw new UnsupportedOperationException();
        }
    }

    private int payments;
    private Instant now = Instant.parse("2026-03-01T00:00:00Z");
    private final Gateway gateway = new Named("one");
    private final Gateway other = new Named("other");
    private final Gateways gateways = new Gateways(List.of(gateway, other), OPEN_FOR, () -> now, new SimpleMeterRegistry());

    @Test
    void two_accounts_of_one_name_are_refused() {
        var sameName = List.<Gateway>of(gateway, new Named("one"));
        assertThatThrownBy(() -> new Gateways(sameName, OPEN_FOR, () -> now, new SimpleMeterRegistry()))
                .hasMessage("Bug! Two accounts are called one");
    }

    private boolean isWell() {
        return gateways.choose(List.of("one")) instanceof Gateways.Choice.At;
    }

    private void answers(int times, Outcome outcome) {
        for (int i = 0; i < times; i++) {
            gateways.watched(gateway, another(), false, () -> outcome);
        }
    }

    private PaymentId another() {
        return PaymentId.derive("acme", new IdempotencyKey("order-" + payments++));
    }

    /** The first errors of a burst arrive while these calls are still under way. */
    private void beside(int underWay, Runnable meanwhile) {
        if (underWay == 0) {
            meanwhile.run();
        } else {
            gateways.watched(gateway, another(), false, () -> {
                beside(underWay - 1, meanwhile);
                return CHARGED;
            });
        }
    }

    @Test
    void a_psp_that_only_fails_gets_no_payments() {
        answers(2, ERROR);
        assertThat(isWell()).isTrue();
        answers(1, ERROR);
        assertThat(isWell()).isFalse();
    }

    @Test
    void half_of_the_latest_calls_are_too_many_even_if_hours_lie_between_them() {
        for (int i = 0; i < 20; i++) {
            answers(1, i % 2 == 0 ? ERROR : CHARGED);
            now = now.plus(Duration.ofHours(1));
        }
        answers(1, ERROR);
        assertThat(isWell()).isFalse();
    }

    @Test
    void quick_errors_of_a_few_in_a_burst_are_not_an_outage() {
        beside(100, () -> answers(40, ERROR));
        assertThat(isWell()).isTrue();
    }

    @Test
    void calls_that_hang_do_not_hide_an_outage() {
        beside(100, () -> {
            now = now.plus(Duration.ofSeconds(6));
            answers(8, ERROR);
        });
        assertThat(isWell()).isFalse();
    }

    @Test
    void hundreds_of_successes_a_second_outweigh_a_streak_of_errors() {
        answers(300, CHARGED);
        answers(30, ERROR);
        assertThat(isWell()).isTrue();
    }

    @Test
    void what_was_long_ago_is_forgotten() {
        answers(300, CHARGED);
        now = now.plus(Duration.ofMinutes(1));
        answers(20, ERROR);
        assertThat(isWell()).isFalse();
    }

    private void failsAgain(PaymentId payment) {
        gateways.watched(gateway, payment, true, () -> ERROR);
    }

    @Test
    void many_payments_that_failed_before_and_fail_again_are_an_outage_where_nothing_succeeds() {
        for (int i = 0; i < 8; i++) {
            assertThat(isWell()).isTrue();
            failsAgain(another());
        }
        assertThat(isWell()).isFalse();
    }

    @Test
    void payments_that_fail_again_while_others_succeed_are_no_outage() {
        for (int i = 0; i < 50; i++) {
            failsAgain(another());
            answers(i % 7 == 0 ? 1 : 0, CHARGED);
        }
        assertThat(isWell()).isTrue();
    }

    @Test
    void a_few_payments_that_fail_again_and_again_are_no_outage_however_often_they_do() {
        var few = Stream.generate(this::another).limit(7).toList();
        for (int i = 0; i < 20; i++) {
            few.forEach(this::failsAgain);
        }
        assertThat(isWell()).isTrue();
    }

    @Test
    void what_failed_in_the_row_that_showed_the_outage_was_the_psps_trouble() {
        answers(1, CHARGED);
        now = now.plusSeconds(1);
        Instant first = now;
        for (int i = 0; i < 8; i++) {
            now = now.plusSeconds(1);
            failsAgain(another());
        }
        assertThat(gateways.wasUnwellAt("one", first)).isFalse();
        assertThat(gateways.wasUnwellAt("one", first.plusSeconds(1))).isTrue();
    }

    private Gateway chosen() {
        return ((Gateways.Choice.At) gateways.choose(List.of("one", "other"))).gateway();
    }

    /** Sends one payment and answers it. */
    private Gateway pay(Outcome atOne) {
        Gateway at = chosen();
        gateways.watched(at, another(), false, () -> at == gateway ? atOne : CHARGED);
        now = now.plus(Duration.ofSeconds(1));
        return at;
    }

    @Test
    void one_payment_that_fails_again_and_again_opens_nothing() {
        PaymentId payment = another();
        for (int i = 0; i < 7; i++) {
            gateways.watched(gateway, payment, false, () -> ERROR);
        }
        assertThat(isWell()).isTrue();
    }

    @Test
    void payments_that_another_request_holds_open_nothing() {
        answers(100, new Outcome.Unknown(UnknownCause.KEY_IN_USE, "429 lock_timeout", Optional.empty()));
        assertThat(isWell()).isTrue();
    }

    @Test
    void too_many_requests_open_nothing() {
        answers(100, new Outcome.Failed(FailureCause.RATE_LIMITED, "429"));
        answers(1, CHARGED);
        now = now.plus(Duration.ofSeconds(2));
        assertThat(isWell()).isTrue();
    }

    @Test
    void an_unwell_psp_is_probed_by_one_payment_each_time_although_another_one_does_well() {
        answers(3, ERROR);
        assertThat(pay(ERROR)).isEqualTo(other);
        for (int i = 0; i < 3; i++) {
            now = now.plus(OPEN_FOR);
            assertThat(pay(ERROR)).isEqualTo(gateway);
            assertThat(pay(ERROR)).isEqualTo(other);
        }
    }

    @Test
    void a_psp_that_is_well_again_gets_all_its_payments_back_despite_its_bad_success_rate() {
        answers(100, CHARGED);
        for (int i = 0; i < 100; i++) {
            now = now.plus(OPEN_FOR);
            pay(ERROR);
        }
        now = now.plus(OPEN_FOR);
        assertThat(pay(CHARGED)).isEqualTo(gateway);
        for (int i = 0; i < 10; i++) {
            assertThat(pay(CHARGED)).isEqualTo(gateway);
        }
    }

    @Test
    void a_psp_that_declines_much_is_tried_now_and_then_and_a_few_captures_bring_it_back() {
        var quick = new Gateways(List.of(gateway, other), Duration.ofSeconds(10), () -> now, new SimpleMeterRegistry());
        for (int i = 0; i < 200; i++) {
            quick.watched(gateway, another(), false, () -> new Outcome.Declined("insufficient_funds", "", Optional.empty()));
        }
        int tried = 0;
        for (int second = 0; second < 60; second++) {
            Gateway at = ((Gateways.Choice.At) quick.choose(List.of("one", "other"))).gateway();
            tried += at == gateway ? 1 : 0;
            quick.watched(at, another(), false, () -> CHARGED);
            now = now.plus(Duration.ofSeconds(1));
        }
        assertThat(tried).isGreaterThan(3);
        assertThat(((Gateways.Choice.At) quick.choose(List.of("one", "other"))).gateway()).isEqualTo(gateway);
    }

    @Test
    void a_psp_that_failed_last_comes_last_until_it_answers_well_or_half_a_minute_is_over() {
        answers(1, CHARGED);
        now = now.plus(Duration.ofSeconds(1));
        answers(1, ERROR);
        assertThat(chosen()).isEqualTo(other);
        now = now.plus(Duration.ofSeconds(31));
        assertThat(chosen()).isEqualTo(gateway);
    }

    @Test
    void a_psp_that_is_not_set_up_is_passed_over() {
        assertThat(gateways.choose(List.of("gone"))).isEqualTo(new Gateways.Choice.NoneIsSetUp());
        assertThat(gateways.choose(List.of("gone", "other"))).isEqualTo(new Gateways.Choice.At(other));
        assertThat(gateways.find("gone")).isEmpty();
    }

    @Test
    void a_process_that_has_no_payment_to_probe_with_keeps_no_other_from_a_psp_that_is_well_again() {
        var idle = process();
        var busy = process();
        now = now.plusSeconds(1);
        for (int i = 0; i < 3; i++) {
            idle.watched(gateway, another(), false, () -> ERROR);
        }
        busy.learn("one", List.of(idle.news().get("one")));
        assertThat(busy.choose(List.of("one"))).isInstanceOf(Gateways.Choice.NoneIsWell.class);
        now = now.plusSeconds(11);
        assertThat(busy.choose(List.of("one"))).as("the probe").isInstanceOf(Gateways.Choice.At.class);
        busy.watched(gateway, another(), false, () -> {
            now = now.plusMillis(100);
            return CHARGED;
        });
        now = now.plusSeconds(1);
        idle.learn("one", List.of(busy.news().get("one")));
        busy.learn("one", List.of(idle.news().get("one")));
        assertThat(busy.choose(List.of("one"))).isInstanceOf(Gateways.Choice.At.class);
    }

    private Gateways process() {
        return new Gateways(List.of(gateway), Duration.ofSeconds(10), () -> now, new SimpleMeterRegistry());
    }

    private void pays(Gateways by, Outcome outcome) {
        assertThat(by.choose(List.of("one"))).isInstanceOf(Gateways.Choice.At.class);
        by.watched(gateway, another(), false, () -> outcome);
    }

    private static void tell(Gateways from, Gateways to) {
        to.learn("one", List.of(from.news().get("one")));
    }

    /** Both know of an outage of some seconds, after which only the first had payments, and they went well for these seconds. */
    private void outageAndThenWellFor(int seconds, Gateways busy, Gateways idle) {
        now = now.plusSeconds(1);
        for (int i = 0; i < 3; i++) {
            pays(idle, ERROR);
        }
        tell(idle, busy);
        now = now.plusSeconds(11);
        pays(busy, CHARGED);
        tell(busy, idle);
        for (int second = 0; second < seconds; second++) {
            now = now.plusSeconds(1);
            pays(busy, CHARGED);
            tell(busy, idle);
            tell(idle, busy);
        }
    }

    @Test
    void a_process_without_payments_for_a_psp_believes_the_others_that_it_is_well_again_and_starts_slowly() {
        Gateways busy = process();
        Gateways idle = process();
        outageAndThenWellFor(40, busy, idle);
        assertThat(idle.news().get("one").isOpen()).as("its first payment would probe").isTrue();
        now = now.plusSeconds(20);
        pays(busy, CHARGED);
        tell(busy, idle);
        assertThat(idle.news().get("one").isOpen()).isFalse();
        assertThat(sent(idle)).isEqualTo(1);
    }

    @Test
    void trouble_after_good_answers_elsewhere_is_another_period_although_no_payment_closed_the_breaker_between_them() {
        Gateways busy = process();
        Gateways idle = process();
        Instant outage = now.plusSeconds(1);
        outageAndThenWellFor(20, busy, idle);
        Instant well = now.minusSeconds(5);
        assertThat(idle.wasUnwellAt("one", outage)).isTrue();
        now = now.plusSeconds(1);
        pays(idle, ERROR);
        tell(idle, busy);
        assertThat(List.of(idle, busy)).allSatisfy(one -> {
            assertThat(one.wasUnwellAt("one", now)).isTrue();
            assertThat(one.wasUnwellAt("one", well)).isFalse();
            assertThat(one.news().get("one").unwellFrom()).isAfter(well);
        });
    }

    @Test
    void a_breaker_that_closes_late_makes_no_trouble_of_the_time_in_which_others_did_well() {
        Gateways busy = process();
        Gateways idle = process();
        Instant outage = now.plusSeconds(1);
        outageAndThenWellFor(20, busy, idle);
        Instant well = now.minusSeconds(5);
        pays(idle, CHARGED);
        tell(idle, busy);
        assertThat(List.of(idle, busy)).allSatisfy(one -> {
            assertThat(one.wasUnwellAt("one", outage)).isTrue();
            assertThat(one.wasUnwellAt("one", well)).isFalse();
        });
    }

    @Test
    void payments_that_fail_again_are_no_outage_while_others_succeed_in_another_process() {
        Gateways retry = process();
        Gateways main = process();
        for (int i = 0; i < 50; i++) {
            now = now.plusSeconds(1);
            assertThat(retryFails(retry)).isTrue();
            assertThat(retry.news().get("one").isOpen()).isFalse();
            now = now.plusSeconds(1);
            pays(main, CHARGED);
            tell(main, retry);
        }
    }

    @Test
    void a_process_that_starts_in_an_outage_is_no_proof_that_the_psp_is_well() {
        answers(1, CHARGED);
        now = now.plusSeconds(1);
        Instant failed = now;
        answers(3, ERROR);
        now = now.plusSeconds(5);
        Gateways started = process();
        tell(started, gateways);
        tell(gateways, started);
        assertThat(started.choose(List.of("one"))).isInstanceOf(Gateways.Choice.NoneIsWell.class);
        now = now.plus(OPEN_FOR);
        assertThat(isWell()).as("a probe").isTrue();
        answers(1, ERROR);
        assertThat(gateways.wasUnwellAt("one", failed)).isTrue();
    }

    /** Charges at the one PSP, if it is allowed to: from a tier, while this process met nothing else, and another one does well. */
    private boolean retryFails(Gateways retry) {
        if (!(retry.choose(List.of("one")) instanceof Gateways.Choice.At)) {
            return false;
        }
        retry.watched(gateway, another(), true, () -> ERROR);
        return true;
    }

    @Test
    void payments_that_fail_by_themselves_keep_no_other_from_a_psp_that_does_well_elsewhere() {
        var retry = process();
        var main = process();
        now = now.plusSeconds(1);
        for (int i = 0; i < 3; i++) {
            retry.watched(gateway, another(), false, () -> ERROR);
        }
        now = now.plusSeconds(11);
        assertThat(retryFails(retry)).as("a probe").isTrue();
        assertThat(retryFails(retry)).as("no other one for a while").isFalse();
        now = now.plusSeconds(1);
        Instant failed = now;
        main.watched(gateway, another(), false, () -> CHARGED);
        now = now.plusSeconds(1);
        retry.learn("one", List.of(main.news().get("one")));

        for (int i = 0; i < 10; i++) {
            assertThat(retryFails(retry)).as("probe %d", i).isTrue();
        }

        assertThat(retry.wasWellForOthers("one", failed)).as("each of these failed by itself").isTrue();
        assertThat(retry.wasUnwellAt("one", now)).isFalse();
        assertThat(retry.choose(List.of("one"))).isInstanceOf(Gateways.Choice.At.class);
        retry.watched(gateway, another(), true, () -> CHARGED);
        assertThat(retry.choose(List.of("one"))).isInstanceOf(Gateways.Choice.At.class);
    }

    @Test
    void a_probe_that_never_arrived_counts_although_the_psp_does_well_elsewhere() {
        answers(3, ERROR);
        now = now.plusSeconds(1);
        gateways.learn("one",
                List.of(new PspHealthReport(now, Instant.MIN, Instant.MIN, Instant.MIN, false, 0, java.util.Set.of(), Instant.MIN)));
        assertThat(isWell()).as("a probe").isTrue();
        gateways.watched(gateway, another(), true, () -> new Outcome.Failed(FailureCause.CONNECTION_REFUSED, "refused"));
        assertThat(isWell()).isFalse();
    }

    @Test
    void a_psp_that_is_well_again_gets_few_payments_at_first_and_the_others_go_elsewhere() {
        answers(3, ERROR);
        now = now.plus(OPEN_FOR);
        assertThat(pay(CHARGED)).as("the probe").isEqualTo(gateway);
        now = now.minusSeconds(1);
        for (int most = 1; most <= 4; most *= 2) {
            var to = Stream.generate(this::chosen).limit(50).toList();
            assertThat(to).filteredOn(gateway::equals).hasSize(most);
            assertThat(to).filteredOn(other::equals).hasSize(50 - most);
            now = now.plusSeconds(1);
        }
    }

    @Test
    void a_process_whose_credential_is_refused_says_so_until_it_is_right() {
        answers(1, CHARGED);
        assertThat(gateways.problem()).isEmpty();
        answers(1, new Outcome.Failed(FailureCause.CREDENTIAL_REFUSED, "401"));
        assertThat(gateways.problem()).hasValue("our credential is refused by one: correct its file");
        answers(1, CHARGED);
        assertThat(gateways.problem()).isEmpty();
        answers(1, new Outcome.Failed(FailureCause.CREDENTIAL_REFUSED, "401"));
        now = now.plus(Duration.ofMinutes(16));
        assertThat(gateways.problem()).as("there were no payments since").isEmpty();
    }

    private Gateways withQuota() {
        return new Gateways(List.of(gateway), OPEN_FOR, Map.of("one", 40), () -> now, new SimpleMeterRegistry());
    }

    private static long sent(Gateways process) {
        return Stream.generate(() -> process.choose(List.of("one"))).limit(100).filter(Gateways.Choice.At.class::isInstance).count();
    }

    @Test
    void a_process_shares_the_quota_of_a_psp_with_those_that_send_to_it_and_not_with_idle_ones() {
        Gateways busy = withQuota();
        Gateways idle = withQuota();
        assertThat(sent(busy)).as("at first").isEqualTo(1);
        now = now.plusSeconds(1);
        busy.learn("one", List.of(idle.news().get("one")));
        assertThat(sent(busy)).isEqualTo(8);
        assertThat(sent(idle)).isEqualTo(1);
        now = now.plusSeconds(1);
        busy.learn("one", List.of(idle.news().get("one")));
        assertThat(sent(busy)).as("two share it").isEqualTo(4);
        now = now.plus(Duration.ofMinutes(2));
        busy.learn("one", List.of(idle.news().get("one")));
        assertThat(sent(busy)).as("the other has nothing to send any more").isEqualTo(8);
    }
}
