// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LeaseTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final AtomicReference<Instant> wall = new AtomicReference<>(START);
    private final Lease lease = Lease.of(Duration.ofMinutes(3), nanos::get, wall::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        wall.updateAndGet(now -> now.plus(time));
    }

    @Test
    void it_ends_when_its_time_has_passed_and_not_before() {
        pass(Duration.ofSeconds(179));
        assertThat(lease.hasEnded()).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(lease.hasEnded()).isTrue();
    }

    @Test
    void a_wall_clock_that_steps_back_does_not_prolong_it() {
        pass(Duration.ofMinutes(4));
        wall.set(START.minus(Duration.ofHours(2)));
        assertThat(lease.hasEnded()).isTrue();
    }

    @Test
    void a_machine_that_was_suspended_finds_it_ended_by_the_wall_clock() {
        wall.set(START.plus(Duration.ofHours(2)));
        assertThat(lease.hasEnded()).isTrue();
    }

    @Test
    void a_deadline_shortens_it_and_nothing_prolongs_it() {
        Lease shorter = lease.noLongerThan(Duration.ofSeconds(10)).noLongerThan(Duration.ofDays(1));
        assertThat(shorter.hasEnded()).isFalse();
        pass(Duration.ofSeconds(10));
        assertThat(shorter.hasEnded()).isTrue();
        assertThat(lease.hasEnded()).isFalse();
        assertThat(lease.noLongerThan(Duration.ofSeconds(-1)).hasEnded()).isTrue();
    }

    @Test
    void without_a_lease_nothing_is_sent() {
        assertThat(Lease.over().hasEnded()).isTrue();
    }
}
