package io.chargeonce.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DueTimesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration DELAY = Duration.ofSeconds(5);

    @Test
    void a_delay_counts_from_the_append_and_adds_the_millisecond_that_the_broker_cut_off() {
        Instant appended = NOW.minusSeconds(2);

        assertThat(DueTimes.afterAppend(DELAY).dueAt(Records.of(0, "k", appended.toEpochMilli()), NOW))
                .isEqualTo(appended.plusSeconds(5).plusMillis(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MIN_VALUE, -1, 0, 1, 99_999_999_999_999L})
    void no_timestamp_makes_a_record_wait_longer_than_the_delay(long timestamp) {
        assertThat(DueTimes.afterAppend(DELAY).dueAt(Records.of(0, "k", timestamp), NOW))
                .isBeforeOrEqualTo(NOW.plus(DELAY).plusMillis(1));
        assertThat(DueTimes.immediately().dueAt(Records.of(0, "k", timestamp), NOW)).isBeforeOrEqualTo(NOW);
    }

    @Test
    void an_immediate_record_is_due_since_it_was_appended() {
        Instant appended = NOW.minusSeconds(90);

        assertThat(DueTimes.immediately().dueAt(Records.of(0, "k", appended.toEpochMilli()), NOW)).isEqualTo(appended);
    }
}
