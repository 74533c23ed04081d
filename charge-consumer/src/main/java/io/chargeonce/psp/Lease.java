// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How long an attempt belongs to this process, measured here. A stalled process cannot ask Postgres between two bytes, so each request that
 * may move money checks this right before it leaves. It starts before Postgres grants the lease, so it never outlasts the one in Postgres.
 * Two clocks measure it, and the one that shows more decides: a correction moves the wall clock but not the monotonic one, and a suspended
 * machine stops the monotonic one but not the wall clock. Immutable; any thread.
 */
public final class Lease {

    private final LongSupplier nanoTime;
    private final InstantSource wall;
    private final long startNanos;
    private final Instant start;
    private final Duration length;

    private Lease(LongSupplier nanoTime, InstantSource wall, long startNanos, Instant start, Duration length) {
        this.nanoTime = nanoTime;
        this.wall = wall;
        this.startNanos = startNanos;
        this.start = start;
        this.length = length;
    }

    /** Starts now. */
    public static Lease of(Duration length) {
        // A lambda instead of a method reference: the simulation replaces calls that read the time.
        return of(length, () -> System.nanoTime(), InstantSource.system());
    }

    static Lease of(Duration length, LongSupplier nanoTime, InstantSource wall) {
        return new Lease(nanoTime, wall, nanoTime.getAsLong(), wall.instant(), length);
    }

    /** For lookups without a claim: nothing may be sent. */
    public static Lease over() {
        return of(Duration.ZERO);
    }

    /** The same start, and an end no later than this long after it. */
    public Lease noLongerThan(Duration most) {
        return new Lease(nanoTime, wall, startNanos, start, length.compareTo(most) <= 0 ? length : most);
    }

    public boolean hasEnded() {
        Duration monotonic = Duration.ofNanos(nanoTime.getAsLong() - startNanos);
        Duration byTheWall = Duration.between(start, wall.instant());
        return monotonic.compareTo(length) >= 0 || byTheWall.compareTo(length) >= 0;
    }

    /** The outcome of an attempt's first send if the lease ended before it: the send did not happen. Other sends of the key may have. */
    public static Outcome notSent() {
        return new Outcome.Failed(FailureCause.TOO_LATE_TO_SEND,
                "this process stalled until its lease or the deadline had ended, so it sent nothing that moves money");
    }

    /** The outcome of a status query that had to send the key again, if the lease ended before it. */
    public static Outcome notAsked(Optional<String> pspReference) {
        return new Outcome.Unknown(UnknownCause.LEASE_RAN_OUT,
                "this process stalled until its lease had ended, so it asked nothing; the next status query follows", pspReference);
    }
}
