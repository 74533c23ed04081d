// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RateLimitsTest {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final RateLimits limits = new RateLimits(now::get);

    private long admitted(Merchant merchant, int asked) {
        return IntStream.range(0, asked).filter(i -> limits.admits(merchant)).count();
    }

    @Test
    void a_seconds_worth_is_admitted_at_once_and_then_at_the_merchants_rate() {
        var merchant = new Merchant("acme", Optional.of(10));
        assertThat(admitted(merchant, 30)).isEqualTo(10);
        now.updateAndGet(time -> time.plus(Duration.ofMillis(500)));
        assertThat(admitted(merchant, 30)).isEqualTo(5);
        now.updateAndGet(time -> time.plus(Duration.ofHours(1)));
        assertThat(admitted(merchant, 30)).isEqualTo(10);
    }

    @Test
    void merchants_do_not_share_their_limits_and_may_have_none() {
        assertThat(admitted(new Merchant("acme", Optional.of(1)), 5)).isEqualTo(1);
        assertThat(admitted(new Merchant("globex", Optional.of(2)), 5)).isEqualTo(2);
        assertThat(admitted(new Merchant("initech", Optional.empty()), 5000)).isEqualTo(5000);
    }

    @Test
    void a_clock_that_goes_back_admits_nobody_twice() {
        var merchant = new Merchant("acme", Optional.of(1));
        assertThat(admitted(merchant, 1)).isEqualTo(1);
        now.updateAndGet(time -> time.minus(Duration.ofHours(1)));
        assertThat(admitted(merchant, 1)).isZero();
    }

    @Test
    void who_waits_for_its_turn_goes_on_when_it_has_come_and_not_before() throws InterruptedException {
        var merchant = new Merchant("acme", Optional.of(1));
        limits.await(merchant);
        Thread second = Thread.ofPlatform().start(() -> limits.await(merchant));
        assertThat(second.join(Duration.ofMillis(100))).isFalse();
        now.updateAndGet(time -> time.plus(Duration.ofSeconds(1)));
        assertThat(second.join(Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void who_is_interrupted_waits_no_longer() throws InterruptedException {
        var merchant = new Merchant("acme", Optional.of(1));
        limits.await(merchant);
        Thread second = Thread.ofPlatform().start(() -> limits.await(merchant));
        second.interrupt();
        assertThat(second.join(Duration.ofSeconds(30))).isTrue();
    }
}
