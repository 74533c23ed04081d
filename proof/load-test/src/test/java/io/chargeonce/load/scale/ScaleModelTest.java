// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScaleModelTest {

    private static final Duration MINUTES = Duration.ofMinutes(5);

    /** Shards that do 1000 acceptances or 500 charges a second, so 333 payments. */
    private static ScalePlan plan(double rate, int shards, double failing, Duration outage) {
        return new ScalePlan(rate, shards, 1000, 500, 1000, Duration.ofMillis(500), failing,
                List.of(Duration.ofSeconds(5), Duration.ofMinutes(1)), outage, MINUTES);
    }

    @Test
    void below_its_capacity_a_shard_settles_everything_about_as_soon_as_the_psp_answers() {
        var result = ScaleModel.run(plan(250, 1, 0, Duration.ZERO), 1);
        assertThat(result.holds()).isTrue();
        assertThat(result.counts().accepted()).isCloseTo(250L * 300, within(2000L));
        assertThat(result.counts().seconds(0.5)).isBetween(0.5, 0.7);
        assertThat(result.counts().seconds(0.99)).isLessThan(1.5);
    }

    @Test
    void above_its_capacity_the_backlog_grows_as_arithmetic_says() {
        // 400 accepted take 0.4 of each second; 0.6 of it is 300 charges: 100 a second stay behind, 30,000 in the five minutes.
        var result = ScaleModel.run(plan(400, 1, 0, Duration.ZERO), 1);
        assertThat(result.counts().mostWaiting()).isCloseTo(30_000L, within(2_500L));
        assertThat(result.aftermath().toSeconds()).isBetween(55L, 68L);
        assertThat(result.counts().settled()).isEqualTo(result.counts().accepted());
    }

    @Test
    void more_than_can_be_accepted_is_refused_and_never_half_done() {
        var result = ScaleModel.run(plan(1500, 1, 0, Duration.ZERO), 1);
        assertThat(result.holds()).isFalse();
        assertThat(result.counts().refused()).isCloseTo(500L * 300, within(5_000L));
        assertThat(result.counts().settled()).isEqualTo(result.counts().accepted());
    }

    @Test
    void twice_the_shards_carry_twice_the_load() {
        assertThat(ScaleModel.run(plan(600, 2, 0, Duration.ZERO), 1).counts().seconds(0.99)).isLessThan(2);
        assertThat(ScaleModel.run(plan(600, 1, 0, Duration.ZERO), 1).counts().seconds(0.99)).isGreaterThan(60);
    }

    @Test
    void few_calls_in_flight_bound_the_rate_by_littles_law() {
        // 50 calls of half a second are 100 a second.
        var slow = new ScalePlan(200, 1, 1000, 500, 50, Duration.ofMillis(500), 0, List.of(Duration.ofSeconds(5)), Duration.ZERO, MINUTES);
        assertThat(ScaleModel.run(slow, 1).counts().mostWaiting()).isCloseTo(100L * 300, within(3_000L));
    }

    @Test
    void what_fails_takes_a_tier_and_what_an_outage_parks_comes_back() {
        assertThat(ScaleModel.run(plan(200, 1, 0.05, Duration.ZERO), 1).counts().seconds(0.97)).isGreaterThan(5);
        var parked = ScaleModel.run(plan(200, 1, 0, Duration.ofSeconds(60)), 1);
        assertThat(parked.holds()).isTrue();
        assertThat(parked.counts().seconds(1)).isGreaterThan(60);
    }

    @Test
    void the_same_seed_gives_the_same_result() {
        assertThat(ScaleModel.run(plan(300, 3, 0.1, Duration.ofSeconds(20)), 7)).usingRecursiveComparison()
                .isEqualTo(ScaleModel.run(plan(300, 3, 0.1, Duration.ofSeconds(20)), 7));
    }
}
