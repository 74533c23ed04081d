// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.SplittableRandom;

/**
 * Time and order of one universe. Of all its strands one has the turn at any moment; who is next follows from the seed, and
 * time passes only when none can go on. So the seed decides every step. Only the strand that has the turn calls its methods.
 */
public final class Kernel {

    /** The year is long past, so that nothing of a universe is in the future of a clock outside. */
    private static final Instant BEGINNING = Instant.parse("2020-01-01T00:00:00Z");
    private static final long START = BEGINNING.getEpochSecond() * 1_000_000;
    private static final double GO_ON_WITH_THE_SAME = 0.6;
    private static final int LONGEST_STEP_MICROS = 60;
    private static final long MOST_STEPS = 2_000_000;

    private static Kernel current;

    private final SplittableRandom random;
    private final List<SimulatedThread> strands = new ArrayList<>();
    private final Map<String, Integer> done = new HashMap<>();
    private final Map<String, Integer> names = new HashMap<>();
    private final List<String> log = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private final Semaphore over = new Semaphore(0);
    private final Host world = new Host("world", Duration.ZERO);
    private SimulatedThread running;
    private Throwable failure;
    private Optional<RuntimeException> bug = Optional.empty();
    private Crashes crashes = (host, point) -> false;
    private long micros = START;
    private long daysMicros;
    private long hash = 1;
    private long steps;
    private long mishaps;
    private long copies;

    /** Who decides whether a process dies here. */
    public interface Crashes {
        boolean at(Host host, String point);
    }

    public Kernel(long seed) {
        this.random = new SplittableRandom(seed);
    }

    public static Kernel it() {
        return current;
    }

    /** Returns when the body and everything that it started has ended. */
    public void run(Runnable body) {
        current = this;
        SimulatedThread root = strand("root", world, () -> {
            try {
                body.run();
            } finally {
                strands.forEach(strand -> strand.killed = strand != running);
            }
        });
        running = root;
        root.giveTurn();
        over.acquireUninterruptibly();
        current = null;
        switch (failure) {
            case null -> {
            }
            case RuntimeException bug -> throw bug;
            case Error bug -> throw bug;
            default -> throw new IllegalStateException("Bug! The simulation broke", failure);
        }
    }

    /** What the first thread of a service ended with that let something escape; the others went on. */
    public Optional<RuntimeException> bug() {
        return bug;
    }

    /** The simulation itself is at fault: everything ends. */
    public void breaks(Throwable fault) {
        failure = failure == null ? fault : failure;
        strands.forEach(strand -> strand.killed = true);
    }

    public SimulatedThread spawn(Host host, String name, Runnable body) {
        dieIfKilled();
        return strand(host.name + "/" + name + "-" + names.merge(host.name + name, 1, Integer::sum), host, body);
    }

    private SimulatedThread strand(String name, Host host, Runnable body) {
        var made = new SimulatedThread[1];
        made[0] = new SimulatedThread(name, host, () -> live(made[0], body));
        strands.add(made[0]);
        made[0].thread.start();
        return made[0];
    }

    private void live(SimulatedThread self, Runnable body) {
        self.awaitTurn();
        try {
            if (!self.killed) {
                body.run();
            }
        } catch (Killed end) {
            // As it should.
        } catch (Throwable thrown) {
            if (self.host == world || thrown instanceof Error) {
                breaks(thrown);
            } else {
                bug = bug.or(() -> Optional.of((RuntimeException) thrown));
                tell(self.name + " ended with " + thrown);
            }
        } finally {
            self.ended = true;
            strands.remove(self);
            if (strands.isEmpty()) {
                over.release();
            } else {
                running = next();
                running.giveTurn();
            }
        }
    }

    /** A place where the process may die, but where nothing else comes between what is before and what is behind it. */
    public void mayDie(String label) {
        dieIfKilled();
        note(label);
        if (crashes.at(running.host, label)) {
            kill(running.host);
            throw new Killed();
        }
    }

    /** A place where others may go first, and where the process may die. */
    public void point(String label) {
        mayDie(label);
        if (random.nextDouble() > GO_ON_WITH_THE_SAME) {
            await(SimulatedThread.AT_ONCE, SimulatedThread.NEVER);
        }
    }

    /** Lets others go on until the condition holds or the time has come. */
    public void await(BooleanSupplier condition, long until) {
        await(condition, until, false);
    }

    /** The same, and an interruption of the thread ends the wait too. */
    void awaitInterruptibly(BooleanSupplier condition, long until) {
        await(condition, until, true);
    }

    private void await(BooleanSupplier condition, long until, boolean interruptible) {
        dieIfKilled();
        SimulatedThread self = running;
        self.waitFor(condition, until, interruptible);
        SimulatedThread next = next();
        if (next != self) {
            running = next;
            next.giveTurn();
            self.awaitTurn();
        }
        dieIfKilled();
    }

    public void sleep(Duration time) {
        await(SimulatedThread.AT_NO_EVENT, after(time));
    }

    private SimulatedThread next() {
        if (++steps > MOST_STEPS && failure == null) {
            throw new IllegalStateException("Bug! The universe never comes to rest");
        }
        for (SimulatedThread strand : strands) {
            if (strand.killed) {
                return strand;
            }
        }
        micros += 1 + random.nextInt(LONGEST_STEP_MICROS);
        List<SimulatedThread> ready = ready();
        while (ready.isEmpty()) {
            micros = nextWake();
            ready = ready();
        }
        SimulatedThread chosen = ready.get(random.nextInt(ready.size()));
        mix(chosen.name);
        return chosen;
    }

    private long nextWake() {
        long next = SimulatedThread.NEVER;
        for (SimulatedThread strand : strands) {
            next = Math.min(next, strand.wakesAt(micros));
        }
        if (next == SimulatedThread.NEVER) {
            throw new IllegalStateException("Bug! Everybody waits for ever");
        }
        return Math.max(micros, next);
    }

    private List<SimulatedThread> ready() {
        var ready = new ArrayList<SimulatedThread>();
        for (SimulatedThread strand : strands) {
            if (strand.isReady(micros)) {
                ready.add(strand);
            }
        }
        return ready;
    }

    /** The process is gone: its strands unwind before anything else happens. */
    public void kill(Host host) {
        host.died(micros);
        strands.forEach(strand -> strand.killed = strand.killed || strand.host == host);
    }

    private void dieIfKilled() {
        if (running.killed) {
            throw new Killed();
        }
    }

    boolean isKilled() {
        return running.killed;
    }

    public void crashes(Crashes decided) {
        crashes = decided;
    }

    /** What no process belongs to and no crash reaches. */
    public Host world() {
        return world;
    }

    public Host host() {
        return running.host;
    }

    SimulatedThread of(Thread thread) {
        return strands.stream().filter(strand -> strand.thread == thread).findFirst().orElse(null);
    }

    /**
     * What happened from outside: part of the trace, and told with a verdict.
     *
     * @param fault what it is counted as
     */
    public void tell(String fault, String event) {
        mishap(fault);
        tell(event);
    }

    /** Told with a verdict, and counted nowhere. */
    public void tell(String event) {
        note(event);
        log.add(Instant.ofEpochSecond(0, micros * 1_000) + "  " + event);
    }

    /** Something small of the kind after which a record may be sent again. */
    public void mishap(String fault) {
        mishaps++;
        done.merge(fault, 1, Integer::sum);
        note(fault);
    }

    /** Everything is well from here on. */
    public void healed() {
        tell("everything heals");
    }

    public void copied(int records) {
        copies += records;
    }

    public long mishaps() {
        return mishaps;
    }

    public long copies() {
        return copies;
    }

    public void note(String what) {
        mix(what);
        hash = hash * 31 + micros;
    }

    private void mix(String what) {
        hash = hash * 1_099_511_628_211L + what.hashCode();
        trace.add((micros - START) + " " + what);
    }

    public long now() {
        return micros;
    }

    public long after(Duration time) {
        return micros + time.toNanos() / 1_000;
    }

    /** By the clock of the process that asks. */
    public Instant clock() {
        return Instant.ofEpochSecond(0, (wall() + running.host.skewMicros) * 1_000);
    }

    /** By the clock that counts. */
    public Instant truth() {
        return Instant.ofEpochSecond(0, wall() * 1_000);
    }

    /** What clocks show if they are right, in microseconds: days that passed while all stood still are in it, and not in {@link #now}. */
    public long wall() {
        return micros + daysMicros;
    }

    /** As for machines that were all suspended: clocks go on, and nothing that waits for a while has waited. */
    public void daysPass(Duration days) {
        note("days pass");
        daysMicros += days.toNanos() / 1_000;
    }

    public RandomGenerator random() {
        return random;
    }

    public boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** From one to the other, both included. */
    public Duration between(Duration shortest, Duration longest) {
        return Duration.ofNanos(random.nextLong(shortest.toNanos(), longest.toNanos() + 1));
    }

    public long hash() {
        return hash;
    }

    public long steps() {
        return steps;
    }

    public List<String> log() {
        return List.copyOf(log);
    }

    /** Each step: when it was, by this universe's time, and what. */
    public List<String> trace() {
        return List.copyOf(trace);
    }

    public Map<String, Integer> done() {
        return Map.copyOf(done);
    }
}
