// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether a PSP fails most of what it is sent. Errors often come back before successes do, so that the first answers to a
 * burst are its few errors: a call that is still under way counts as no error while it is young. Safe for any thread.
 */
final class FailureShare {

    /** So many say something however long ago they ended, where there is little to do. */
    private static final int LATEST = 20;
    private static final int FEWEST_FAILURES = 8;
    /** So many payments that failed one after another say something where there is little else. */
    static final int IN_A_ROW = 3;
    /** Where there is much else, a row is as long as this part of it. */
    private static final int PART_IN_A_ROW = 8;
    static final Duration RECENT = Duration.ofSeconds(5);

    /** One call; only this class looks inside. */
    static final class Call {
        private final Instant begun;
        private boolean young = true;

        private Call(Instant begun) {
            this.begun = begun;
        }
    }

    private record Ended(Instant at, boolean failed) {}

    private final InstantSource clock;
    private final Deque<Call> begun = new ArrayDeque<>();
    private final Deque<Ended> ended = new ArrayDeque<>();
    private int youngUnderWay;
    private int failures;
    private int row;
    private final Set<String> inARow = new HashSet<>();

    FailureShare(InstantSource clock) {
        this.clock = clock;
    }

    synchronized Call begin() {
        Instant now = clock.instant();
        forgetBefore(now.minus(RECENT));
        var call = new Call(now);
        begun.addLast(call);
        youngUnderWay++;
        return call;
    }

    /** @return whether it is unwell: at least half of what it was lately sent has failed, or several payments in a row */
    synchronized boolean end(Call call, String payment, boolean failed) {
        Instant now = clock.instant();
        grow(call);
        ended.addLast(new Ended(now, failed));
        failures += failed ? 1 : 0;
        forgetBefore(now.minus(RECENT));
        remember(payment, failed);
        boolean half = failures >= FEWEST_FAILURES && 2 * failures >= ended.size() + youngUnderWay;
        return failed && (half || isLongRow(row, inARow));
    }

    /** It ended, and says nothing about the PSP. */
    synchronized void leaveOut(Call call) {
        grow(call);
    }

    /** @return whether what other processes heard last makes the row long enough */
    synchronized boolean isUnwellWith(List<PspNews> failing) {
        var all = new HashSet<>(inARow);
        failing.forEach(news -> all.addAll(news.inARow()));
        forgetBefore(clock.instant().minus(RECENT));
        return isLongRow(row + failing.stream().mapToInt(PspNews::row).sum(), all);
    }

    synchronized int row() {
        return row;
    }

    synchronized Set<String> inARow() {
        return Set.copyOf(inARow);
    }

    /** What was before says nothing about the time after. */
    synchronized void forget() {
        ended.clear();
        failures = 0;
        row = 0;
        inARow.clear();
    }

    private void remember(String payment, boolean failed) {
        if (!failed) {
            row = 0;
            inARow.clear();
        } else {
            row++;
            if (inARow.size() < IN_A_ROW) {
                inARow.add(payment);
            }
        }
    }

    /** One payment that fails again and again says nothing about the PSP; nor do the first answers to a burst. */
    private boolean isLongRow(int length, Set<String> payments) {
        return payments.size() >= IN_A_ROW && length >= Math.max(youngUnderWay, ended.size() / PART_IN_A_ROW);
    }

    private void forgetBefore(Instant then) {
        while (!begun.isEmpty() && begun.getFirst().begun.isBefore(then)) {
            grow(begun.removeFirst());
        }
        while (ended.size() > LATEST && ended.getFirst().at.isBefore(then)) {
            failures -= ended.removeFirst().failed ? 1 : 0;
        }
    }

    private void grow(Call call) {
        if (call.young) {
            call.young = false;
            youngUnderWay--;
        }
    }
}
