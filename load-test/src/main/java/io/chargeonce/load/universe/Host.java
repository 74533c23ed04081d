// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** One process from its start to its death: what it holds in memory is lost then, and its connections break. */
final class Host {

    private static final long NEVER = Long.MAX_VALUE;

    final String name;
    /** How far its clock is ahead. */
    long skewMicros;
    /** Told when it dies, as Postgres is by a closed socket. */
    final List<Runnable> lastWill = new ArrayList<>();
    boolean alive = true;
    /** What its relay knows of the outbox. */
    final Stagings.Seen seen = new Stagings.Seen();
    long frozenUntil;
    /** When an ask of its was last put off. */
    OptionalLong waitedAt = OptionalLong.empty();
    private long silentSince = NEVER;

    Host(String name, Duration skew) {
        this.name = name;
        this.skewMicros = skew.toNanos() / 1_000;
    }

    void freeze(long now, long until) {
        frozenUntil = until;
        silentSince = now;
    }

    boolean isFrozen(long now) {
        return now < frozenUntil;
    }

    void died(long now) {
        alive = false;
        silentSince = Math.min(silentSince, now);
        lastWill.forEach(Runnable::run);
    }

    /** Whether nobody has heard of it for so long. */
    boolean isSilentFor(long micros, long now) {
        return (!alive || isFrozen(now)) && silentSince != NEVER && now - silentSince > micros;
    }
}
