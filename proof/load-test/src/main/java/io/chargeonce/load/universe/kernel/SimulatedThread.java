// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/** A thread of a process. It runs only while it has the turn, which it gives up whenever it would wait. */
public final class SimulatedThread {

    public static final long NEVER = Long.MAX_VALUE;
    static final BooleanSupplier AT_ONCE = () -> true;
    /** Only time ends such a wait. */
    static final BooleanSupplier AT_NO_EVENT = () -> false;

    final String name;
    final Host host;
    final Thread thread;
    private final Semaphore turn = new Semaphore(0);
    private BooleanSupplier awaited = AT_ONCE;
    private long deadline = NEVER;
    private boolean interruptible;
    boolean killed;
    public boolean ended;

    SimulatedThread(String name, Host host, Runnable body) {
        this.name = name;
        this.host = host;
        this.thread = Thread.ofVirtual().name(name).unstarted(body);
    }

    void waitFor(BooleanSupplier condition, long until, boolean untilInterrupted) {
        awaited = condition;
        deadline = until;
        interruptible = untilInterrupted;
    }

    /** Asked of every strand at every step, so it asks first what costs least. */
    boolean isReady(long now) {
        if (host.isFrozen(now)) {
            return false;
        }
        return deadline <= now || interruptible && thread.isInterrupted() || awaited != AT_NO_EVENT && awaited.getAsBoolean();
    }

    /** When to look at it again at the latest. */
    long wakesAt(long now) {
        return host.isFrozen(now) ? host.frozenUntil : deadline;
    }

    void giveTurn() {
        turn.release();
    }

    /** An interruption stays set, for who waits to see it. */
    void awaitTurn() {
        turn.acquireUninterruptibly();
    }
}
