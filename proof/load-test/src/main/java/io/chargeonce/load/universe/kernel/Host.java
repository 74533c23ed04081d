// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** One process from its start to its death: what it holds in memory is lost then, and its connections break. */
public final class Host {

    private static final long NEVER = Long.MAX_VALUE;

    public final String name;
    /** How far its clock is ahead. */
    public long skewMicros;
    /** Told when it dies, as Postgres is by a closed socket. */
    public final List<Runnable> lastWill = new ArrayList<>();
    public boolean alive = true;
    /** What its relay knows of the outbox. */
    public final Stagings.Seen seen = new Stagings.Seen();
    public long frozenUntil;
    /** When an ask of its was last put off. */
    public OptionalLong waitedAt = OptionalLong.empty();
    private long silentSince = NEVER;

    public Host(String name, Duration skew) {
        this.name = name;
        this.skewMicros = skew.toNanos() / 1_000;
    }

    public void freeze(long now, long until) {
        frozenUntil = until;
        silentSince = now;
    }

    public boolean isFrozen(long now) {
        return now < frozenUntil;
    }

    void died(long now) {
        alive = false;
        silentSince = Math.min(silentSince, now);
        lastWill.forEach(Runnable::run);
    }

    /** Whether it has been silent for so long. */
    public boolean isSilentFor(long micros, long now) {
        return (!alive || isFrozen(now)) && silentSince != NEVER && now - silentSince > micros;
    }
}
