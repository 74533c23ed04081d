package io.chargeonce.psp;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Whether a PSP fails most of what it is sent. Errors often come back before successes do, so that the first answers to a
 * burst are its few errors: a call that is still under way counts as no error while it is young. Safe for any thread.
 */
final class FailureShare {

    /** So many say something however long ago they ended, where there is little to do. */
    private static final int LATEST = 20;
    private static final int FEWEST_FAILURES = 8;
    private static final Duration RECENT = Duration.ofSeconds(5);

    /** One call; only this class looks inside. */
    final class Call {
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

    /** Returns whether at least half of what it was lately sent has failed. */
    synchronized boolean end(Call call, boolean failed) {
        Instant now = clock.instant();
        grow(call);
        ended.addLast(new Ended(now, failed));
        failures += failed ? 1 : 0;
        forgetBefore(now.minus(RECENT));
        return failed && failures >= FEWEST_FAILURES && 2 * failures >= ended.size() + youngUnderWay;
    }

    /** What was before says nothing about the time after. */
    synchronized void forget() {
        ended.clear();
        failures = 0;
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
