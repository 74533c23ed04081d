// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the outbox: read, send, await the acknowledgements, delete. Each record at least once, and those of a key in order.
 *
 * <p>Each pass begins where no row can have appeared since the last one ({@link OutboxCursor}). So a row that commits late, behind higher
 * ids, is found when it commits. Now and then a pass reads everything all the same. No transaction is open while sending. Any number of
 * processes may run a relay; they divide the shards fairly. No failure of Kafka or Postgres and no bug ends its thread before {@link
 * #close}.
 */
public final class OutboxRelay implements Runnable, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OutboxRelay.class);

    /** Rows that other processes staged for our shards are found within this time; rows of this process at once. */
    private static final Duration LONGEST_IDLE = Duration.ofMillis(8);
    /** Payments seldom come alone. For a moment after one, rows of other processes are found within the shorter time. */
    private static final Duration MOMENT = Duration.ofMillis(50);
    private static final Duration LONGEST_IDLE_THEN = Duration.ofMillis(2);
    private static final Duration SHARD_HUNT = Duration.ofMillis(200);
    private static final Duration FULL_LOOK = Duration.ofSeconds(30);
    /** A previous pass of this size means that more rows are on their way. */
    private static final int CROWDED = 4;
    /** Under load, passes with fewer rows than this are followed by a pause as long as they took: more rows gather, and each costs less. */
    private static final int WORTH_A_PASS = 200;
    private static final Duration GATHER = Duration.ofMillis(2);
    private static final Duration LONGEST_GATHER = Duration.ofMillis(20);
    /** How often to check whether a slow or held topic still is. */
    private static final Duration WHILE_HELD = Duration.ofMillis(50);
    private static final Duration AFTER_AN_ERROR = Duration.ofMillis(500);
    /** Refused rows are offered again after this time, because a limit may have been raised. */
    private static final Duration OFFER_AGAIN = Duration.ofMinutes(10);
    /** Failed passes in a row; one may be an accident. */
    private static final int NOT_HEALTHY_AFTER = 3;
    /** Longer than a pass in which Postgres is silent and each topic has to be waited for. */
    private static final Duration STANDS_STILL_AFTER = Duration.ofMinutes(3);

    private final Database database;
    private final OutboxSender sender;
    private final Semaphore nudged = new Semaphore(0);
    private final Counter published;
    private final AtomicInteger failedPasses = new AtomicInteger();
    private volatile String lastFailure = "";
    private Set<String> held = Set.of();
    private long lastGone = System.nanoTime();
    private volatile long lastTurn = System.nanoTime();
    private volatile boolean closed;
    private volatile Thread thread;

    /**
     * @param rendering makes the record of a first request
     * @param producers makes a new producer, which the relay closes; called again whenever one has failed for good
     * @param source    of every event that it publishes, the same in all processes
     */
    public OutboxRelay(Database database, Function<Outbox.FirstRequest, OutboxRow> rendering,
                       Supplier<Producer<byte[], byte[]>> producers, String source, MeterRegistry meters) {
        this.database = database;
        this.sender = new OutboxSender(new RelayProducer(producers, meters), rendering, source);
        this.published = meters.counter("chargeonce.relay.published");
    }

    /** Rows were staged and committed in this process: read at once. Cheap; any thread. */
    public void nudge() {
        if (nudged.availablePermits() == 0) {
            nudged.release();
        }
    }

    /** Runs the relay on its own thread, and returns at once. */
    public OutboxRelay start() {
        thread = Thread.ofPlatform().name("outbox-relay").daemon().start(this);
        return this;
    }

    /** What keeps it from publishing, in one line, once that lasts; empty if nothing does. Any thread. */
    public Optional<String> problem() {
        return standstill().or(() -> Optional.of(failedPasses.get()).filter(failed -> failed >= NOT_HEALTHY_AFTER)
                .map(failed -> "the relay's last %d passes ended with an exception, see the log: %s".formatted(failed, lastFailure)))
                .or(sender::problem);
    }

    /** Why it will not recover by itself, in one line; empty if it makes progress, or waits for Kafka or Postgres. Any thread. */
    public Optional<String> standstill() {
        Thread running = thread;
        if (!closed && running != null && !running.isAlive()) {
            return Optional.of("the relay's thread has ended");
        }
        return Optional.of(Duration.ofNanos(System.nanoTime() - lastTurn)).filter(since -> since.compareTo(STANDS_STILL_AFTER) > 0)
                .map(since -> "the relay has done nothing for %d s".formatted(since.toSeconds()));
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        while (!closed) {
            try {
                database.withConnection(connection -> {
                    relayUntilClosed(connection);
                    return null;
                });
            } catch (DatabaseUnavailable | DatabaseRefused e) {
                LOG.warn("The relay lost its connection to Postgres and tries again; staged rows stay staged: {}", e.getMessage());
                awaitAfterAnError();
            } catch (RuntimeException | Error bug) {
                LOG.error("Bug! A pass of the relay ended with an exception. The relay goes on, and staged rows stay staged", bug);
                lastFailure = bug.toString();
                failedPasses.incrementAndGet();
                awaitAfterAnError();
            }
        }
        sender.close();
    }

    private void awaitAfterAnError() {
        lastTurn = System.nanoTime();
        await(AFTER_AN_ERROR);
    }

    private void relayUntilClosed(Connection connection) throws SQLException {
        var locks = new ShardLocks(connection);
        try (var fast = new RelaySession(connection)) {
            var frontier = new OutboxCursor();
            long fullLook = System.nanoTime();
            long offerAgain = fullLook;
            while (!closed) {
                boolean more = locks.share(!sender.isSending());
                if (more || System.nanoTime() - fullLook >= FULL_LOOK.toNanos()) {
                    frontier.restart();
                    fullLook = System.nanoTime();
                }
                if ((more || System.nanoTime() - offerAgain >= 0) && sender.isReady()) {
                    offerRefused(connection, locks.shards(), frontier);
                    offerAgain = System.nanoTime() + OFFER_AGAIN.toNanos();
                }
                if (locks.shards().isEmpty()) {
                    lastTurn = System.nanoTime();
                    await(SHARD_HUNT);
                } else {
                    relay(connection, locks.shards(), frontier);
                }
            }
        } finally {
            locks.release();
        }
    }

    private void offerRefused(Connection connection, List<Integer> shards, OutboxCursor frontier) throws SQLException {
        List<Outbox.Staged> rows = Outbox.refused(connection, shards, "");
        while (!rows.isEmpty() && !closed) {
            finish(connection, rows, frontier);
            rows = Outbox.refused(connection, shards, rows.getLast().key());
        }
    }

    /** Relays these shards until it is time to look for more shards. */
    private void relay(Connection connection, List<Integer> shards, OutboxCursor frontier) throws SQLException {
        long huntAgain = System.nanoTime() + SHARD_HUNT.toNanos();
        long idleMillis = 1;
        while (!closed && System.nanoTime() - huntAgain < 0) {
            long begin = System.nanoTime();
            int gone = runOnce(connection, shards, frontier);
            failedPasses.set(0);
            if (gone > 0) {
                lastGone = System.nanoTime();
                idleMillis = 1;
                gather(gone, System.nanoTime() - begin);
            } else if (!sender.isReady()) {
                await(AFTER_AN_ERROR);
            } else {
                await(held.isEmpty() ? Duration.ofMillis(idleMillis) : WHILE_HELD);
                boolean justNow = System.nanoTime() - lastGone < MOMENT.toNanos();
                idleMillis = Math.min(idleMillis * 2, (justNow ? LONGEST_IDLE_THEN : LONGEST_IDLE).toMillis());
            }
        }
    }

    private void gather(int gone, long passNanos) {
        if (gone >= CROWDED && gone < WORTH_A_PASS) {
            try {
                Thread.sleep(Duration.ofNanos(Math.clamp(passNanos, GATHER.toNanos(), LONGEST_GATHER.toNanos())));
            } catch (InterruptedException e) {
                closed = true;
            }
        }
    }

    /** One pass. Returns how many rows left the outbox. */
    private int runOnce(Connection connection, List<Integer> shards, OutboxCursor frontier) throws SQLException {
        lastTurn = System.nanoTime();
        if (!sender.isReady()) {
            return 0;
        }
        Set<String> before = held;
        held = sender.held();
        if (!held.containsAll(before)) {
            // The frontier has moved past the rows that were held.
            frontier.restart();
        }
        List<Outbox.Staged> rows = Outbox.read(connection, shards, frontier, held);
        return rows.isEmpty() && held.isEmpty() ? 0 : finish(connection, rows, frontier);
    }

    /** Sends these rows, and records the results of these and of earlier rows that were still under way. */
    private int finish(Connection connection, List<Outbox.Staged> rows, OutboxCursor frontier) throws SQLException {
        OutboxSender.Result result = sender.send(firstOfEachKey(rows));
        if (!result.acknowledged().isEmpty() && Outbox.delete(connection, result.acknowledged()) > 0) {
            frontier.ownTransactionEnded();
        }
        for (var refused : result.refused().entrySet()) {
            LOG.error(
                    "ALERT: Outbox row {} cannot be published ({}). It is set aside, holds back only its own key, and is offered again "
                            + "every {} minutes. Fix the cause. To offer it at once: chargeonce dlq refused --all --retry --yes",
                    refused.getKey(),
                    refused.getValue(), OFFER_AGAIN.toMinutes());
            Outbox.setAside(connection, refused.getKey(), refused.getValue());
        }
        keepUnpublished(rows, result, frontier);
        published.increment(result.acknowledged().size());
        return result.acknowledged().size() + result.refused().size();
    }

    private static void keepUnpublished(List<Outbox.Staged> rows, OutboxSender.Result result, OutboxCursor frontier) {
        var gone = new HashSet<>(result.acknowledged());
        rows.stream().map(Outbox.Staged::id).filter(id -> !gone.contains(id)).findFirst().ifPresent(frontier::keep);
    }

    /** A later row of a key waits for a pass after its predecessor's acknowledgement, so a failed send cannot reorder them. */
    private static List<Outbox.Staged> firstOfEachKey(List<Outbox.Staged> rows) {
        return List.copyOf(rows.stream()
                .collect(Collectors.toMap(Outbox.Staged::key, row -> row, (first, later) -> first, LinkedHashMap::new))
                .values());
    }

    private void await(Duration atMost) {
        try {
            if (nudged.tryAcquire(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                nudged.drainPermits();
            }
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    /** Finishes the current pass. Another relay publishes what is left, or this one after its next start. */
    @Override
    public void close() {
        closed = true;
        nudge();
        Thread running = thread;
        if (running != null && running != Thread.currentThread()) {
            try {
                running.join(Duration.ofSeconds(10));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
