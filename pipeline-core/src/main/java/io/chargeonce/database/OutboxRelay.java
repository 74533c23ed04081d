package io.chargeonce.database;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes what the outbox holds: read, send, await the acknowledgements, delete. At least once, and per key in order.
 *
 * <p>Gap-safe: each pass begins where no row can have come to light since the last ({@link Frontier}), so one that commits
 * late, behind higher ids, is found when it does; now and then a pass takes in everything all the same. No transaction is
 * open while sending. Any number of processes may run a relay and share the shards fairly.
 */
public final class OutboxRelay implements Runnable, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OutboxRelay.class);

    /** What others staged for our shards is seen within this time; what this process staged, at once. */
    private static final Duration LONGEST_IDLE = Duration.ofMillis(8);
    private static final Duration SHARD_HUNT = Duration.ofMillis(200);
    private static final Duration FULL_LOOK = Duration.ofSeconds(30);
    /** Passes with fewer rows follow each other less closely: more rows gather, and each costs less. */
    private static final int WORTH_A_PASS = 200;
    private static final Duration GATHER = Duration.ofMillis(2);
    private static final Duration AFTER_AN_ERROR = Duration.ofMillis(500);

    private final Database database;
    private final OutboxSender sender;
    private final Semaphore nudged = new Semaphore(0);
    private final AtomicLong oldestMillis = new AtomicLong();
    private final Counter published;
    private volatile boolean closed;
    private volatile Thread thread;

    public OutboxRelay(Database database, Producer<byte[], byte[]> producer, MeterRegistry meters) {
        this.database = database;
        this.sender = new OutboxSender(producer);
        this.published = meters.counter("chargeonce.relay.published");
        meters.gauge("chargeonce.outbox.oldest.seconds", oldestMillis, age -> age.get() / 1000.0);
    }

    /** Something was staged and committed in this process: look now. Cheap; from any thread. */
    public void nudge() {
        if (nudged.availablePermits() == 0) {
            nudged.release();
        }
    }

    /** Runs the relay on a thread of its own, and returns at once. */
    public OutboxRelay start() {
        Thread.ofPlatform().name("outbox-relay").daemon().start(this);
        return this;
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
                LOG.warn("The relay lost Postgres and tries again; what is staged stays staged: {}", e.getMessage());
                await(AFTER_AN_ERROR);
            }
        }
    }

    private void relayUntilClosed(Connection connection) throws SQLException {
        var locks = new ShardLocks(connection);
        try (var fast = new RelaySession(connection)) {
            var frontier = new Frontier();
            long fullLook = System.nanoTime();
            while (!closed) {
                if (locks.share() || System.nanoTime() - fullLook >= FULL_LOOK.toNanos()) {
                    frontier.restart();
                    fullLook = System.nanoTime();
                }
                if (locks.shards().isEmpty()) {
                    await(SHARD_HUNT);
                } else {
                    relay(connection, locks.shards(), frontier);
                }
            }
        } finally {
            locks.release();
        }
    }

    /** Relays these shards until it is time to look for more of them. */
    private void relay(Connection connection, List<Integer> shards, Frontier frontier) throws SQLException {
        long huntAgain = System.nanoTime() + SHARD_HUNT.toNanos();
        long idleMillis = 1;
        while (!closed && System.nanoTime() < huntAgain) {
            int gone = runOnce(connection, shards, frontier);
            if (gone > 0) {
                idleMillis = 1;
                gather(gone);
            } else {
                await(Duration.ofMillis(idleMillis));
                idleMillis = Math.min(idleMillis * 2, LONGEST_IDLE.toMillis());
            }
        }
    }

    private void gather(int gone) {
        if (gone < WORTH_A_PASS) {
            try {
                Thread.sleep(GATHER);
            } catch (InterruptedException e) {
                closed = true;
            }
        }
    }

    /** One pass: returns how many rows left the outbox. */
    private int runOnce(Connection connection, List<Integer> shards, Frontier frontier) throws SQLException {
        List<Outbox.Staged> rows = Outbox.read(connection, shards, frontier);
        oldestMillis.set(rows.isEmpty() ? 0 : Math.max(0, System.currentTimeMillis() - rows.getFirst().stagedAtMillis()));
        if (rows.isEmpty()) {
            return 0;
        }
        OutboxSender.Result result = sender.send(firstOfEachKey(rows));
        if (Outbox.delete(connection, result.acknowledged()) > 0) {
            frontier.ownTransactionEnded();
        }
        for (var refused : result.refused().entrySet()) {
            LOG.error("ALERT: Kafka will never take outbox row {} ({}). It is set aside and holds back its own key only. "
                    + "Mend the cause, then clear its column 'refusal'.", refused.getKey(), refused.getValue());
            Outbox.setAside(connection, refused.getKey(), refused.getValue());
        }
        keepUnpublished(rows, result, frontier);
        if (result.acknowledged().isEmpty() && result.refused().isEmpty()) {
            await(AFTER_AN_ERROR);
        }
        published.increment(result.acknowledged().size());
        return result.acknowledged().size() + result.refused().size();
    }

    private static void keepUnpublished(List<Outbox.Staged> rows, OutboxSender.Result result, Frontier frontier) {
        var gone = new HashSet<>(result.acknowledged());
        rows.stream().map(Outbox.Staged::id).filter(id -> !gone.contains(id)).findFirst().ifPresent(frontier::keep);
    }

    /** A later row of a key waits for the pass after its predecessor's acknowledgement, so a failed send cannot reorder them. */
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

    /** Finishes the pass under way; what is left is another relay's, or the next start's. */
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
