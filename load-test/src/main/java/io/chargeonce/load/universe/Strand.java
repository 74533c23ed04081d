package io.chargeonce.load.universe;

import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/** A thread of a process. It runs only while it has the turn, which it gives up whenever it would wait. */
final class Strand {

    static final long NEVER = Long.MAX_VALUE;
    static final BooleanSupplier AT_ONCE = () -> true;

    final String name;
    final Host host;
    final Thread thread;
    private final Semaphore turn = new Semaphore(0);
    private BooleanSupplier awaited = AT_ONCE;
    private long deadline = NEVER;
    boolean killed;
    boolean ended;

    Strand(String name, Host host, Runnable body) {
        this.name = name;
        this.host = host;
        this.thread = Thread.ofVirtual().name(name).unstarted(body);
    }

    void waitFor(BooleanSupplier condition, long until) {
        awaited = condition;
        deadline = until;
    }

    boolean isReady(long now) {
        return !host.isFrozen(now) && (deadline <= now || awaited.getAsBoolean());
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
