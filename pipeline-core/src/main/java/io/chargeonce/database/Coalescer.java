// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.chargeonce.fairness.FairQueue;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

/**
 * Gathers requests of concurrent threads into one batch and one commit, and returns each caller its own answer. While a batch commits, the
 * next one gathers, so batches grow with the load and a lone caller never waits for others. Under load a batch waits for more requests
 * while some come, for as long as the one before took, because each commit costs as much as dozens of rows.
 *
 * <p>Each request has a share: its owner, mostly a merchant. Shares take turns in the batches, so that the flood of one delays no other.
 * Only a share whose own requests wait too long is refused.
 *
 * <p>A batch that fails is halved until the row at fault fails alone, whether Postgres refuses the row or our own code throws. A row that
 * another transaction has locked waits alone, and the batches behind it go on. Only an error that no single row can cause fails the whole
 * batch: an outage, or a process without memory. Such an error would fail each half again, a thousand times for a full batch. Rows are
 * bounded in size, so none of them exhausts the memory. Callers may be any thread, virtual ones too. A few platform threads write, and no
 * exception ends them. It holds at most six connections more than it has writers.
 *
 * @param <A> the request
 * @param <R> the answer
 */
public final class Coalescer<A, R> implements AutoCloseable {

    /** Answers every request, in order, within one transaction. Repeating a request that had committed must be harmless. */
    public interface Batch<A, R> {
        List<R> answer(Connection connection, List<A> requests) throws SQLException;
    }

    /** More callers wait than can be answered in time. New requests are refused until that changes. */
    public static final class Overloaded extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final boolean databaseIsAway;

        Overloaded(String name) {
            this(name, false);
        }

        private Overloaded(String name, boolean databaseIsAway) {
            super((databaseIsAway ? "Postgres has answered none of the callers (" : "too many callers wait for Postgres (") + name
                    + "): try again shortly");
            this.databaseIsAway = databaseIsAway;
        }

        /** Whether they wait because no batch has had an answer, and not because there are too many of them. */
        public boolean isDatabaseAway() {
            return databaseIsAway;
        }
    }

    private record Asked<A, R>(Object share, A ask, CompletableFuture<R> answer, long sinceNanos) {}

    private static final int LARGEST_BATCH = 500;
    /** A previous batch of this size means that more requests are on their way. */
    private static final int CROWDED = 4;
    private static final int WORTH_A_COMMIT = 64;
    private static final Duration GATHER = Duration.ofMillis(2);
    private static final Duration LONGEST_GATHER = Duration.ofMillis(20);
    private static final int LONGEST_QUEUE = 20_000;
    private static final Duration FOR_EVER = Duration.ofDays(1);
    private static final Duration LONE_WAIT = Duration.ofMillis(500);
    /** Waiting must not exhaust the connection pool: when this many rows wait alone, one more is refused as busy at once. */
    private static final int MOST_LONE_WAITS = 4;
    private static final int MOST_SET_ASIDE = 2;

    private final String name;
    private final Database database;
    private final Batch<A, R> batch;
    private final Runnable committed;
    private final Duration longestWait;
    private final Duration longestGather;
    private final FairQueue<Asked<A, R>> queue = new FairQueue<>(LONGEST_QUEUE);
    private final List<Thread> writers = new ArrayList<>();
    private final Semaphore loneWaits = new Semaphore(MOST_LONE_WAITS);
    private final Semaphore setAside = new Semaphore(MOST_SET_ASIDE);
    private volatile boolean closed;
    /** When Postgres last answered a batch, or refused it. */
    private volatile long answeredAt = System.nanoTime();

    /**
     * @param writers   how many batches may run at once
     * @param committed called after every commit, so that a relay in this process need not wait for its next poll
     */
    public Coalescer(String name, Database database, int writers, Runnable committed, Batch<A, R> batch) {
        this(name, database, writers, FOR_EVER, LONGEST_GATHER, committed, batch);
    }

    /**
     * For callers that somebody outside waits for: no batch waits longer than a moment for more of them.
     *
     * @param longestWait while the first request of a share has waited longer than this, new requests of that share are refused
     */
    public Coalescer(String name, Database database, int writers, Duration longestWait, Runnable committed, Batch<A, R> batch) {
        this(name, database, writers, longestWait, GATHER, committed, batch);
    }

    private Coalescer(String name, Database database, int writers, Duration longestWait, Duration longestGather, Runnable committed,
                      Batch<A, R> batch) {
        this.name = name;
        this.database = database;
        this.batch = batch;
        this.committed = committed;
        this.longestWait = longestWait;
        this.longestGather = longestGather;
        for (int i = 1; i <= writers; i++) {
            this.writers.add(Thread.ofPlatform().name(name + "-writer-" + i).daemon().start(this::write));
        }
    }

    /**
     * Returns once the answer's transaction is durable.
     *
     * @param share                the request's owner
     * @throws DatabaseUnavailable repeat the same request later: it may have been committed
     * @throws DatabaseRefused     this request alone was refused and left nothing behind
     * @throws Overloaded          nothing was tried
     * @throws RuntimeException    a bug that this request alone runs into, {@link BrokenWork} too; it left nothing behind
     * @throws Error               the process is in trouble; the request is not at fault and may be repeated
     */
    public R ask(Object share, A ask) {
        var asked = new Asked<A, R>(share, ask, new CompletableFuture<>(), System.nanoTime());
        Optional<Asked<A, R>> late = queue.first(share).filter(this::isLate);
        if (late.isPresent()) {
            throw new Overloaded(name, answeredAt - late.get().sinceNanos < 0);
        }
        queue.offer(share, asked).ifPresent(out -> out.answer.completeExceptionally(new Overloaded(name)));
        if (closed && queue.remove(share, asked)) {
            throw new Overloaded(name);
        }
        try {
            return asked.answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error trouble) {
                throw trouble;
            }
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** The same, with one share for all callers. */
    public R ask(A ask) {
        return ask(name, ask);
    }

    private boolean isLate(Asked<A, R> first) {
        return System.nanoTime() - first.sinceNanos > longestWait.toNanos();
    }

    private void write() {
        var asks = new ArrayList<Asked<A, R>>(LARGEST_BATCH);
        Optional<Throwable> trouble = Optional.empty();
        Duration mayGather = Duration.ZERO;
        while (!closed || trouble.isPresent()) {
            try {
                trouble.ifPresent(why -> fail(asks, why));
                trouble = Optional.empty();
                asks.clear();
                if (!closed) {
                    gather(asks, mayGather);
                    long begin = System.nanoTime();
                    answer(List.copyOf(asks));
                    // The busier the machine, the longer a batch takes, and the more the next one has to be worth.
                    mayGather = asks.size() < CROWDED ? Duration.ZERO
                            : Duration.ofNanos(Math.clamp(System.nanoTime() - begin, GATHER.toNanos(), longestGather.toNanos()));
                }
            } catch (InterruptedException closing) {
                trouble = Optional.of(new Overloaded(name));
            } catch (RuntimeException | Error e) {
                // Even answering the callers may throw when the memory is full. It is tried again before anything else, also at the end.
                trouble = Optional.of(e);
            }
        }
    }

    /** @param most for how long it waits at most while more and more come */
    private void gather(List<Asked<A, R>> asks, Duration most) throws InterruptedException {
        asks.add(queue.take());
        long end = System.nanoTime() + most.toNanos();
        int before = -1;
        while (System.nanoTime() - end < 0 && queue.size() > before && queue.size() < WORTH_A_COMMIT) {
            before = queue.size();
            Thread.sleep(GATHER);
        }
        queue.takeInto(asks, LARGEST_BATCH - 1, WORTH_A_COMMIT);
    }

    /** Requests that already have an answer keep it. */
    private static <A, R> void fail(List<Asked<A, R>> asks, Throwable why) {
        asks.forEach(asked -> asked.answer.completeExceptionally(why));
    }

    private void answer(List<Asked<A, R>> asks) {
        try {
            hand(asks, inOneTransaction(asks, Duration.ZERO));
        } catch (DatabaseUnavailable | VirtualMachineError e) {
            fail(asks, e);
        } catch (DatabaseRefused refused) {
            answeredAt = System.nanoTime();
            answerApart(asks, refused, refused.isRowBusy());
        } catch (RuntimeException | Error bug) {
            answerApart(asks, bug, false);
        }
    }

    private void answerApart(List<Asked<A, R>> asks, Throwable why, boolean rowIsBusy) {
        if (asks.size() > 1 && why instanceof DatabaseRefused refused && refused.isOurs()) {
            probe(asks, refused);
        } else if (asks.size() > 1) {
            // Every half with the locked row waits for the lock again: too long for the requests behind it.
            if (!rowIsBusy || !startAside(setAside, "-apart", asks, () -> halve(asks))) {
                halve(asks);
            }
        } else if (!rowIsBusy || !startAside(loneWaits, "-lone-wait", asks, () -> answerAlone(asks))) {
            asks.getFirst().answer.completeExceptionally(why);
        }
    }

    /**
     * A misfit of schema or rights seldom fails only one request of a batch. So the first one is tried alone: if it fails too, the others
     * need not be tried.
     */
    private void probe(List<Asked<A, R>> asks, DatabaseRefused refused) {
        List<Asked<A, R>> others = asks.subList(1, asks.size());
        answer(asks.subList(0, 1));
        if (asks.getFirst().answer.isCompletedExceptionally()) {
            fail(others, refused);
        } else if (others.size() == 1) {
            answer(others);
        } else {
            halve(others);
        }
    }

    private void halve(List<Asked<A, R>> asks) {
        answer(asks.subList(0, asks.size() / 2));
        answer(asks.subList(asks.size() / 2, asks.size()));
    }

    private boolean startAside(Semaphore permits, String suffix, List<Asked<A, R>> asks, Runnable work) {
        boolean permitted = permits.tryAcquire();
        if (permitted) {
            boolean started = false;
            try {
                Thread.ofVirtual().name(name + suffix).start(() -> workAside(permits, asks, work));
                started = true;
            } finally {
                if (!started) {
                    permits.release();
                }
            }
        }
        return permitted;
    }

    private static <A, R> void workAside(Semaphore permits, List<Asked<A, R>> asks, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            fail(asks, e);
        } finally {
            permits.release();
        }
    }

    private void answerAlone(List<Asked<A, R>> one) {
        try {
            hand(one, inOneTransaction(one, LONE_WAIT));
        } catch (RuntimeException | Error e) {
            one.getFirst().answer.completeExceptionally(e);
        }
    }

    private List<R> inOneTransaction(List<Asked<A, R>> asks, Duration lockPatience) {
        List<R> answers = answers(asks, lockPatience);
        answeredAt = System.nanoTime();
        return answers;
    }

    private List<R> answers(List<Asked<A, R>> asks, Duration lockPatience) {
        return database.inTransaction(connection -> {
            if (!lockPatience.isZero()) {
                Database.waitForLocks(connection, lockPatience);
            }
            List<R> answers = batch.answer(connection, asks.stream().map(Asked::ask).toList());
            if (answers.size() != asks.size()) {
                throw new IllegalStateException("Bug! %s got %d answers for %d requests".formatted(name, answers.size(), asks.size()));
            }
            return answers;
        });
    }

    private void hand(List<Asked<A, R>> asks, List<R> answers) {
        committed.run();
        for (int i = 0; i < asks.size(); i++) {
            asks.get(i).answer.complete(answers.get(i));
        }
    }

    /** Callers that still wait get {@link Overloaded}. A running batch finishes first. */
    @Override
    public void close() {
        closed = true;
        writers.forEach(Thread::interrupt);
        for (Thread writer : writers) {
            try {
                writer.join(Duration.ofSeconds(10));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        queue.takeAll().forEach(asked -> asked.answer.completeExceptionally(new Overloaded(name)));
    }
}
