// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RateLimitTest {

    private static final int PROCESSES = 4;

    private final RateLimit limit = new RateLimit(Double.POSITIVE_INFINITY);
    private Instant now = Instant.parse("2026-03-01T00:00:00Z");

    private int taken(int tries, Duration over) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += limit.take(now).isEmpty() ? 1 : 0;
            now = now.plus(over.dividedBy(tries));
        }
        return taken;
    }

    @Test
    void without_a_refusal_there_is_no_limit() {
        assertThat(taken(10_000, Duration.ofSeconds(1))).isEqualTo(10_000);
    }

    @Test
    void a_refusal_limits_to_less_than_what_went_before_and_the_limit_grows_again() {
        taken(100, Duration.ofSeconds(1));
        limit.refused(now, Optional.empty());
        assertThat(taken(1_000, Duration.ofSeconds(1))).isBetween(60, 110);
        taken(10_000, Duration.ofSeconds(10));
        assertThat(taken(1_000, Duration.ofSeconds(1))).isGreaterThan(120);
    }

    @Test
    void the_refusals_of_one_second_are_one_refusal() {
        taken(100, Duration.ofSeconds(1));
        for (int i = 0; i < 50; i++) {
            limit.refused(now, Optional.empty());
        }
        assertThat(limit.perSecond(now)).isGreaterThan(80);
    }

    @Test
    void nothing_goes_while_the_psp_asks_to_be_left_alone() {
        limit.refused(now, Optional.of(Duration.ofSeconds(30)));
        assertThat(limit.take(now)).contains(Duration.ofSeconds(30));
        now = now.plus(Duration.ofSeconds(30));
        assertThat(limit.take(now)).isEmpty();
    }

    @Test
    void however_often_it_refuses_one_payment_a_second_goes() {
        for (int i = 0; i < 200; i++) {
            limit.refused(now, Optional.empty());
            now = now.plus(Duration.ofSeconds(1));
        }
        assertThat(limit.perSecond(now)).isEqualTo(1);
        assertThat(taken(100, Duration.ofSeconds(1))).isBetween(1, 5);
    }

    @Test
    void ten_minutes_after_the_last_refusal_there_is_no_limit_any_more() {
        limit.refused(now, Optional.empty());
        now = now.plus(Duration.ofMinutes(11));
        assertThat(taken(10_000, Duration.ofSeconds(1))).isEqualTo(10_000);
    }

    @Test
    void after_an_outage_each_second_takes_twice_as_many_until_all_may_go() {
        limit.recovered(now);
        var taken = new ArrayList<Integer>();
        for (int second = 0; second < 11; second++) {
            taken.add(taken(2_000, Duration.ofSeconds(1)));
        }
        assertThat(taken).containsExactly(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 2_000);
    }

    @Test
    void one_that_must_wait_for_the_end_of_an_outage_is_told_when_it_may_go() {
        limit.recovered(now);
        assertThat(limit.take(now)).isEmpty();
        assertThat(limit.take(now.plusMillis(300))).contains(Duration.ofMillis(700));
        assertThat(limit.perSecond(now)).isEqualTo(1);
        assertThat(limit.take(now.plusSeconds(1))).isEmpty();
    }

    @Test
    void an_outage_does_not_raise_the_limit_that_was_learnt_before() {
        taken(100, Duration.ofSeconds(1));
        limit.refused(now, Optional.empty());
        double before = limit.perSecond(now);
        now = now.plus(Duration.ofHours(1));
        limit.recovered(now);
        now = now.plusSeconds(8);
        assertThat(taken(1_000, Duration.ofSeconds(1))).isBetween((int) before / 2, (int) before * 2);
    }

    @Test
    void a_clock_that_steps_back_lets_no_second_come_again() {
        limit.recovered(now);
        assertThat(limit.take(now.plusSeconds(1))).isEmpty();
        assertThat(limit.take(now.plusSeconds(1))).isEmpty();
        assertThat(limit.take(now)).isPresent();
        assertThat(limit.take(now.minusSeconds(3_600))).isPresent();
    }

    private static List<RateLimit> processes(double quota) {
        List<RateLimit> processes = Stream.generate(() -> new RateLimit(quota)).limit(PROCESSES).toList();
        processes.forEach(process -> process.share(PROCESSES));
        return processes;
    }

    /** In a second in which each of them tries to send 1,000. */
    private int takenInASecond(List<RateLimit> processes) {
        int taken = 0;
        for (int i = 0; i < 1_000; i++) {
            for (RateLimit process : processes) {
                taken += process.take(now).isEmpty() ? 1 : 0;
            }
            now = now.plusMillis(1);
        }
        return taken;
    }

    @Test
    void after_an_outage_all_processes_together_send_what_one_alone_would() {
        List<RateLimit> processes = processes(Double.POSITIVE_INFINITY);
        processes.forEach(process -> process.recovered(now));
        for (int most = 1; most <= 512; most *= 2) {
            assertThat(takenInASecond(processes)).isBetween(most, most + PROCESSES - 1);
        }
        assertThat(takenInASecond(processes)).as("the outage is long over").isEqualTo(4_000);
    }

    @Test
    void all_processes_together_keep_to_the_quota_of_the_psp() {
        List<RateLimit> processes = processes(40);
        assertThat(takenInASecond(processes)).as("with what may go at once").isBetween(40, 48);
        assertThat(takenInASecond(processes)).isBetween(36, 40);
        processes.forEach(process -> process.recovered(now));
        now = now.plusSeconds(9);
        assertThat(takenInASecond(processes)).isBetween(36, 48);
        assertThat(processes.getFirst().perSecond(now)).isEqualTo(10);
    }

    @Test
    void a_refusal_takes_a_process_below_its_share_of_the_quota() {
        List<RateLimit> processes = processes(40);
        takenInASecond(processes);
        processes.getFirst().refused(now, Optional.empty());
        assertThat(processes.getFirst().perSecond(now)).isLessThan(10);
        assertThat(processes.getLast().perSecond(now)).isEqualTo(10);
    }
}
