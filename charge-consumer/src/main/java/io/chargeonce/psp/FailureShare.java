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
 * Decides whether a PSP fails most of its calls. Errors often return before successes do, so the first answers to a burst are its few
 * errors. Therefore a call under way counts as no error while it is young. Any thread.
 */
final class FailureShare {

    /** This many of the latest results count however old they are, for times with few calls. */
    private static final int LATEST = 20;
    private static final int FEWEST_FAILURES = 8;
    /** This many different payments that fail in a row mean trouble, when there are few other calls. */
    static final int IN_A_ROW = 3;
    /** Payments that failed before may fail by their own fault. This many of them in a row, with no success in between, mean trouble. */
    private static final int SUSPECTS_IN_A_ROW = 8;
    /** With many other calls, a row must be as long as this fraction of them. */
    private static final int PART_IN_A_ROW = 8;
    static final Duration RECENT = Duration.ofSeconds(5);

    /** One call. Its fields are for this class only. */
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
    private int suspectRow;
    private final Set<String> suspectsInARow = new HashSet<>();

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

    /** @return whether the PSP is unwell: at least half of the recent calls failed, or several payments in a row */
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

    /**
     * A payment that failed before has failed once more, which may be its own fault.
     *
     * @return whether the PSP is unwell: many different payments failed so, and none succeeded in between
     */
    synchronized boolean endSuspect(Call call, String payment) {
        grow(call);
        forgetBefore(clock.instant().minus(RECENT));
        suspectRow++;
        if (suspectsInARow.size() < SUSPECTS_IN_A_ROW) {
            suspectsInARow.add(payment);
        }
        return suspectsInARow.size() == SUSPECTS_IN_A_ROW && isLong(suspectRow + row);
    }

    /** The call ended, and says nothing about the PSP. */
    synchronized void leaveOut(Call call) {
        grow(call);
    }

    /** @return whether the failures of other processes make the row long enough */
    synchronized boolean isUnwellWith(List<PspHealthReport> failing) {
        var all = new HashSet<>(inARow);
        failing.forEach(news -> all.addAll(news.inARow()));
        forgetBefore(clock.instant().minus(RECENT));
        return isLongRow(row + failing.stream().mapToInt(PspHealthReport::row).sum(), all);
    }

    synchronized int row() {
        return row;
    }

    synchronized Set<String> inARow() {
        return Set.copyOf(inARow);
    }

    /** Earlier results say nothing about the time after a recovery. */
    synchronized void forget() {
        ended.clear();
        failures = 0;
        endRow();
    }

    /** Whether the latest answer was good, or there was none. */
    synchronized boolean isRowEmpty() {
        return row + suspectRow == 0;
    }

    /** A good answer, here or to another process. */
    synchronized void endRow() {
        row = 0;
        inARow.clear();
        suspectRow = 0;
        suspectsInARow.clear();
    }

    private void remember(String payment, boolean failed) {
        if (!failed) {
            endRow();
        } else {
            row++;
            if (inARow.size() < IN_A_ROW) {
                inARow.add(payment);
            }
        }
    }

    /** One payment that fails again and again says nothing about the PSP, and neither do the first answers to a burst. */
    private boolean isLongRow(int length, Set<String> payments) {
        return payments.size() >= IN_A_ROW && isLong(length);
    }

    private boolean isLong(int row) {
        return row >= Math.max(youngUnderWay, ended.size() / PART_IN_A_ROW);
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
