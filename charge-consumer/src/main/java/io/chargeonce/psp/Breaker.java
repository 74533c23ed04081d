// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import java.time.Duration;
import java.time.Instant;

/**
 * Keeps payments from a PSP that is unwell. While it is open, one payment goes through every {@code openFor} and shows whether the PSP is
 * well again. Its owner guards it.
 */
final class Breaker {

    enum State { CLOSED, OPEN, PROBING }

    private final Duration openFor;
    private State state = State.CLOSED;
    private Instant openedAt = Instant.MIN;
    private Instant nextProbe = Instant.MIN;

    Breaker(Duration openFor) {
        this.openFor = openFor;
    }

    State state() {
        return state;
    }

    /** @return whether the caller's payment is the probe */
    boolean takeProbe(Instant now) {
        if (state == State.CLOSED || now.isBefore(nextProbe)) {
            return false;
        }
        state = State.PROBING;
        // Without this, a probe that was claimed but never sent would be the last one.
        nextProbe = now.plus(openFor.multipliedBy(2));
        return true;
    }

    void open(Instant now) {
        openedAt = state == State.CLOSED ? now : openedAt;
        state = State.OPEN;
        nextProbe = now.plus(openFor);
    }

    /** Another process got a good answer, so the next payment is a probe. */
    void probeSoon(Instant now) {
        nextProbe = state == State.OPEN ? now : nextProbe;
    }

    /** The probe said nothing about the PSP, so the next payment is one. */
    void probeAgain(Instant now) {
        state = State.OPEN;
        nextProbe = now;
    }

    void close() {
        state = State.CLOSED;
    }

    /** Whether this call decides: during a probe, any call that began after the breaker opened. */
    boolean isJudgedBy(Instant begun) {
        return state == State.PROBING && begun.isAfter(openedAt);
    }
}
