// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FloodGuardTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final FloodGuard guard = new FloodGuard(10, () -> now, meters);

    private void end(int times, boolean asDeadLetter) {
        end("acme", times, asDeadLetter);
    }

    private void end(String share, int times, boolean asDeadLetter) {
        for (int i = 0; i < times; i++) {
            guard.ended(share, asDeadLetter);
        }
    }

    /** How many records per second go on, when one arrives each millisecond. */
    private long goOnInASecond() {
        long through = 0;
        for (int i = 0; i < 1_000; i++) {
            through += guard.holdBack(() -> "acme").isEmpty() ? 1 : 0;
            now = now.plusMillis(1);
        }
        return through;
    }

    @Test
    void when_nearly_everything_ends_as_a_dead_letter_only_a_few_records_a_second_go_on() {
        end(10, false);
        end(190, true);

        assertThat(goOnInASecond()).isEqualTo(10);
        assertThat(guard.problem()).get().asString().contains("CHARGEONCE_FLOOD_RATE");
        assertThat(meters.get("chargeonce.dlq.flood").gauge().value()).isEqualTo(1);
        assertThat(meters.get("chargeonce.dlq.flood.held.back").counter().count()).isEqualTo(990);
    }

    @Test
    void dead_letters_among_payments_that_end_well_are_no_flood() {
        end(11, false);
        end(189, true);
        assertThat(goOnInASecond()).isEqualTo(1_000);
        assertThat(meters.get("chargeonce.dlq.flood").gauge().value()).isZero();
    }

    @Test
    void few_dead_letters_are_no_flood_however_long_they_add_up() {
        for (int minute = 0; minute < 10; minute++) {
            end(199, true);
            now = now.plus(Duration.ofSeconds(61));
        }
        assertThat(guard.holdBack(() -> "acme")).isEmpty();
    }

    @Test
    void the_few_that_go_on_show_when_the_cause_is_gone_and_then_everything_goes_on() {
        end(200, true);
        end(20, true);
        assertThat(guard.holdBack(() -> "acme")).isEmpty();
        assertThat(guard.holdBack(() -> "acme")).isPresent();

        end(18, true);
        end(2, false);
        assertThat(goOnInASecond()).isEqualTo(1_000);
        assertThat(guard.problem()).isEmpty();
    }

    @Test
    void an_operator_can_let_everything_through() {
        var overridden = new FloodGuard(0, () -> now, meters);
        for (int i = 0; i < 1_000; i++) {
            overridden.ended("acme", true);
        }
        assertThat(overridden.holdBack(() -> "acme")).isEmpty();
        assertThat(overridden.problem()).isEmpty();
    }

    @Test
    void the_storm_of_one_while_others_do_well_is_no_flood() {
        end("acme", 1, false);
        end("storm", 2_000, true);

        assertThat(guard.holdBack(() -> "acme")).isEmpty();
        assertThat(guard.holdBack(() -> "storm")).isEmpty();
        assertThat(guard.problem()).isEmpty();
    }

    @Test
    void a_merchant_that_does_well_is_not_held_back_in_anothers_flood_and_ends_it() {
        end("storm", 200, true);
        assertThat(guard.problem()).isPresent();

        for (int i = 0; i < 100; i++) {
            assertThat(guard.holdBack(() -> "acme")).isEmpty();
        }
        end("acme", 1, false);
        end("storm", 19, true);
        assertThat(guard.problem()).isEmpty();
    }

    @Test
    void one_merchant_that_does_well_is_no_excuse_for_all_the_others() {
        for (int merchant = 0; merchant < 19; merchant++) {
            end("dying-" + merchant, 20, true);
        }
        end("acme", 1, false);
        end("dying-0", 19, true);
        assertThat(guard.problem()).isPresent();
        assertThat(guard.holdBack(() -> "acme")).isEmpty();
    }

    @Test
    void a_lone_merchant_whose_payments_nearly_all_die_is_a_flood_whatever_the_few_others_do() {
        for (int i = 0; i < 8; i++) {
            end("acme", 24, true);
            end("acme", 1, false);
        }
        assertThat(guard.problem()).isPresent();
    }

    @Test
    void a_failure_of_all_merchants_is_a_flood_soon_after_the_last_of_them_did_well() {
        end("acme", 1, false);
        end("other", 1, false);
        now = now.plusSeconds(5);
        end("acme", 100, true);
        end("other", 100, true);

        assertThat(guard.problem()).isPresent();
    }

    /** Every payment of each merchant dies, as with a setting that is wrong for all. */
    @Test
    void a_failure_of_many_merchants_with_few_payments_each_is_held_back_too() {
        end(200, true);
        int through = 0;
        for (int merchant = 0; merchant < 1_000; merchant++) {
            String small = "merchant-" + merchant;
            for (int payment = 0; payment < 5; payment++) {
                if (guard.holdBack(() -> small).isEmpty()) {
                    through++;
                    guard.ended(small, true);
                }
            }
        }
        assertThat(guard.problem()).isPresent();
        assertThat(through).isLessThan(250);
    }

    @Test
    void merchants_that_did_well_lately_go_on_when_unknown_ones_are_no_longer_trusted() {
        end(200, true);
        end("acme", 1, false);
        for (int merchant = 0; merchant < 400; merchant++) {
            end("merchant-" + merchant, 1, true);
        }
        assertThat(guard.problem()).isPresent();
        assertThat(guard.holdBack(() -> "merchant-400")).isEmpty();
        assertThat(guard.holdBack(() -> "merchant-401")).isPresent();
        assertThat(guard.holdBack(() -> "acme")).isEmpty();
    }
}
