// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.calendar;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A bank's windows: on each business day, until each of these times by the bank's clock, it takes files for a day so many business days
 * later. Our files are sealed a while before, so that there is time to send them. What misses a window goes into the next one. Immutable.
 *
 * @param cutoffs    by the bank's clock, earliest first
 * @param sealBefore how long before a cut-off its file is sealed
 * @param leadDays   how many business days after the cut-off's day the money moves
 * @param every      for a bank that takes files around the clock, such as the sandbox's: a file each time, without cut-offs
 */
public record Windows(ZoneId zone, List<LocalTime> cutoffs, Set<LocalDate> holidays, int leadDays, Duration sealBefore,
        Optional<Duration> every) {

    /**
     * One window.
     *
     * @param sealAt when its file is sealed
     * @param closes when the bank closes it; a file that is sealed then would come too late
     * @param dueOn  the day on which its money moves
     */
    public record Window(Instant sealAt, Instant closes, LocalDate dueOn) {}

    private static final int DAYS_A_WEEK = 5;
    /** No bank is closed for so long. */
    private static final int MOST_DAYS = 60;

    public Windows {
        cutoffs = cutoffs.stream().sorted().toList();
        holidays = Set.copyOf(holidays);
        if (cutoffs.isEmpty() && every.isEmpty()) {
            throw new IllegalArgumentException("a bank needs at least one cut-off");
        }
        if (leadDays < 0 || leadDays > 30 || sealBefore.isNegative() || sealBefore.compareTo(Duration.ofHours(12)) > 0) {
            throw new IllegalArgumentException("lead days are 0 to 30, and a file is sealed at most 12 hours before its cut-off");
        }
        if (every.filter(pause -> pause.compareTo(Duration.ofMillis(100)) < 0).isPresent()) {
            throw new IllegalArgumentException("a bank takes a file at most every 100 ms");
        }
    }

    /** The first window whose file is not sealed yet at that time. */
    public Window next(Instant after) {
        if (every.isPresent()) {
            long pause = every.get().toMillis();
            Instant at = Instant.ofEpochMilli((after.toEpochMilli() / pause + 1) * pause);
            return new Window(at, Instant.MAX, dueOn(at.atZone(zone).toLocalDate()));
        }
        LocalDate first = after.atZone(zone).toLocalDate();
        for (LocalDate day = first; day.isBefore(first.plusDays(MOST_DAYS)); day = day.plusDays(1)) {
            for (LocalTime cutoff : cutoffs) {
                Window window = window(day, cutoff);
                if (isBusinessDay(day) && window.sealAt.isAfter(after)) {
                    return window;
                }
            }
        }
        throw new IllegalArgumentException("the bank has no business day within %d days of %s".formatted(MOST_DAYS, first));
    }

    /** The window whose file is sealed at exactly that time; empty if the settings have changed since. */
    public Optional<Window> sealedAt(Instant time) {
        return Optional.of(next(time.minusMillis(1))).filter(window -> window.sealAt.equals(time));
    }

    /** A time that the clocks skip is the same time after the change; one that they repeat is the first of the two. */
    private Window window(LocalDate day, LocalTime cutoff) {
        Instant closes = ZonedDateTime.of(day, cutoff, zone).toInstant();
        return new Window(closes.minus(sealBefore), closes, dueOn(day));
    }

    private LocalDate dueOn(LocalDate day) {
        LocalDate due = day;
        for (int left = leadDays; left > 0 || !isBusinessDay(due);) {
            due = due.plusDays(1);
            left -= isBusinessDay(due) ? 1 : 0;
        }
        return due;
    }

    /** So many business days after that one. */
    public LocalDate businessDaysAfter(LocalDate day, int days) {
        LocalDate later = day;
        for (int left = days; left > 0;) {
            later = later.plusDays(1);
            left -= isBusinessDay(later) ? 1 : 0;
        }
        return later;
    }

    private boolean isBusinessDay(LocalDate day) {
        return day.getDayOfWeek().getValue() <= DAYS_A_WEEK && !holidays.contains(day);
    }
}
