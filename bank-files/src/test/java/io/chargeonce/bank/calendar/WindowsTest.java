// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.calendar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowsTest {

    private static final Windows BERLIN = windows("Europe/Berlin", "02:30", "15:00");

    private static Windows windows(String zone, String... cutoffs) {
        return new Windows(ZoneId.of(zone), List.of(cutoffs).stream().map(LocalTime::parse).toList(),
                Set.of(LocalDate.parse("2026-12-25"), LocalDate.parse("2027-01-01")), 1, Duration.ofMinutes(15), Optional.empty());
    }

    /** The clocks of Berlin change at 01:00 UTC of 29 March and 25 October 2026, both Sundays; of New York on 8 March. */
    @ParameterizedTest
    @CsvSource({
        // An ordinary day, and what misses its cut-off.
        "2026-11-24T10:00:00Z, 2026-11-24T13:45:00Z, 2026-11-24T14:00:00Z, 2026-11-25",
        "2026-11-24T13:45:00Z, 2026-11-25T01:15:00Z, 2026-11-25T01:30:00Z, 2026-11-26",
        // Friday afternoon is Monday morning; its money moves on Tuesday.
        "2026-11-27T14:00:00Z, 2026-11-30T01:15:00Z, 2026-11-30T01:30:00Z, 2026-12-01",
        // Summer time: the same clock, an hour earlier.
        "2026-03-27T10:00:00Z, 2026-03-27T13:45:00Z, 2026-03-27T14:00:00Z, 2026-03-30",
        "2026-03-27T14:00:00Z, 2026-03-30T00:15:00Z, 2026-03-30T00:30:00Z, 2026-03-31",
        "2026-10-23T13:00:00Z, 2026-10-26T01:15:00Z, 2026-10-26T01:30:00Z, 2026-10-27",
        // Christmas is a Friday.
        "2026-12-24T10:00:00Z, 2026-12-24T13:45:00Z, 2026-12-24T14:00:00Z, 2026-12-28",
        "2026-12-24T14:00:00Z, 2026-12-28T01:15:00Z, 2026-12-28T01:30:00Z, 2026-12-29"})
    void the_next_window_follows_the_banks_clock_its_holidays_and_lead_days(Instant now, Instant sealAt, Instant closes, LocalDate dueOn) {
        assertThat(BERLIN.next(now)).isEqualTo(new Windows.Window(sealAt, closes, dueOn));
    }

    @Test
    void a_cut_off_that_the_clocks_skip_comes_after_the_change_and_one_that_they_repeat_comes_once() {
        // Cairo's clocks change at midnight of Friday, 24 April 2026, and back at midnight before Friday, 30 October.
        Windows cairo = windows("Africa/Cairo", "00:30");
        Instant skipped = cairo.next(Instant.parse("2026-04-23T12:00:00Z")).closes();
        assertThat(skipped.atZone(ZoneId.of("Africa/Cairo")).toLocalTime()).isEqualTo(LocalTime.of(1, 30));
        Windows.Window first = cairo.next(Instant.parse("2026-10-29T12:00:00Z"));
        assertThat(cairo.next(first.sealAt()).sealAt()).isAfter(first.sealAt().plus(Duration.ofHours(20)));
    }

    @Test
    void a_window_is_found_again_by_its_time_and_not_by_another() {
        Windows.Window window = BERLIN.next(Instant.parse("2026-11-24T10:00:00Z"));
        assertThat(BERLIN.sealedAt(window.sealAt())).contains(window);
        assertThat(BERLIN.sealedAt(window.sealAt().plusSeconds(1))).isEmpty();
    }

    @Test
    void business_days_leave_weekends_and_holidays_out() {
        assertThat(BERLIN.businessDaysAfter(LocalDate.parse("2026-12-24"), 5)).isEqualTo(LocalDate.parse("2027-01-04"));
    }

    @Test
    void a_bank_without_any_window_is_refused() {
        assertThatThrownBy(() -> windows("UTC")).hasMessageContaining("at least one cut-off");
    }
}
