// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DueTimesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration DELAY = Duration.ofSeconds(5);

    private static Duration untilDue(long timestamp) {
        return DueTimes.afterAppend(DELAY, () -> NOW).untilDue(Records.of(0, "k", timestamp));
    }

    private static Duration untilDueAtOnce(long timestamp) {
        return DueTimes.immediately(() -> NOW).untilDue(Records.of(0, "k", timestamp));
    }

    @Test
    void a_delay_counts_from_the_append_and_adds_the_millisecond_that_the_broker_cut_off() {
        assertThat(untilDue(NOW.minusSeconds(2).toEpochMilli())).isEqualTo(Duration.ofSeconds(3).plusMillis(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MIN_VALUE, -1, 0, 1, 99_999_999_999_999L})
    void no_timestamp_makes_a_record_wait_longer_than_the_delay(long timestamp) {
        assertThat(untilDue(timestamp)).isLessThanOrEqualTo(DELAY.plusMillis(1));
        assertThat(untilDueAtOnce(timestamp)).isLessThanOrEqualTo(Duration.ZERO);
    }

    @Test
    void a_record_of_our_future_does_not_wait_for_only_the_handler_knows_the_time() {
        assertThat(untilDue(NOW.plusSeconds(7_200).toEpochMilli())).isEqualTo(Duration.ZERO);
        assertThat(untilDue(NOW.plusMillis(20).toEpochMilli())).as("clocks differ a little").isEqualTo(DELAY.plusMillis(1));
    }

    @Test
    void an_immediate_record_is_due_since_it_was_appended() {
        assertThat(untilDueAtOnce(NOW.minusSeconds(90).toEpochMilli())).isEqualTo(Duration.ofSeconds(-90));
    }
}
