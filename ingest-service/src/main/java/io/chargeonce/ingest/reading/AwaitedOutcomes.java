// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.http.Seats;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Waits for payments to settle. One query serves all waiting requests. The pause after a query is three times as long as the query took,
 * so the queries use a quarter of one connection: a single waiting request learns of its outcome within a few milliseconds, two thousand
 * within fifty. Any thread may wait and may end all waiting; one worker queries.
 */
public final class AwaitedOutcomes {

    public static final Duration LONGEST_PAUSE = Duration.ofMillis(50);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
    private static final int PAUSE_PER_QUERY = 3;
    /** Half of the requests that may be under way: while no payment settles, waiting requests must not keep out all others. */
    private static final int MOST_WAITING = 2_000;

    /** @param cause why it was declined */
    public record Settled(OperationState state, Optional<String> cause) {}

    /** @param waiters how many requests wait for it; at zero the entry goes */
    private record Awaited(CompletableFuture<Optional<Settled>> outcome, int waiters) {

        Awaited plus(int more) {
            return new Awaited(outcome, waiters + more);
        }
    }

    private final Database database;
    private final Semaphore seats;
    private final Seats ofMerchants;
    private final Map<PaymentId, Awaited> awaited = new ConcurrentHashMap<>();
    private final Semaphore arrived = new Semaphore(0);
    private volatile boolean ended;

    public AwaitedOutcomes(Database database) {
        this(database, MOST_WAITING);
    }

    /** @param seats how many may wait at once; half of them for one merchant */
    public AwaitedOutcomes(Database database, int seats) {
        this.database = database;
        this.seats = new Semaphore(seats);
        this.ofMerchants = new Seats(Math.max(1, seats / 2));
    }

    /** Ends all waiting, now and later: each request gets its acceptance. */
    public void end() {
        ended = true;
        awaited.values().forEach(waiting -> waiting.outcome().complete(Optional.empty()));
    }

    /** Empty if the payment has not settled by then, if too many wait already, or if all waiting has ended. */
    public Optional<Settled> await(String merchant, PaymentId payment, Duration longest) {
        if (!ofMerchants.take(merchant)) {
            return Optional.empty();
        }
        try {
            return awaitWithOthers(payment, longest);
        } finally {
            ofMerchants.giveBack(merchant);
        }
    }

    private Optional<Settled> awaitWithOthers(PaymentId payment, Duration longest) {
        if (!seats.tryAcquire()) {
            return Optional.empty();
        }
        try {
            return awaitSeated(payment, longest);
        } finally {
            seats.release();
        }
    }

    private Optional<Settled> awaitSeated(PaymentId payment, Duration longest) {
        Awaited mine =
                awaited.compute(payment, (id, waiting) -> waiting == null ? new Awaited(new CompletableFuture<>(), 1) : waiting.plus(1));
        if (arrived.availablePermits() == 0) {
            arrived.release();
        }
        try {
            return ended ? Optional.empty() : mine.outcome().get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new IllegalStateException("Bug! An outcome was awaited and failed", e);
        } finally {
            awaited.computeIfPresent(payment, (id, waiting) -> waiting.waiters() > 1 ? waiting.plus(-1) : null);
        }
    }

    /** Answers the requests whose payments have settled, and pauses until the next query is due. Returns 1; 0 if interrupted. */
    public int runOnce() {
        try {
            Set<PaymentId> ids = Set.copyOf(awaited.keySet());
            if (ids.isEmpty()) {
                arrived.tryAcquire(LONGEST_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
            } else {
                long begun = System.nanoTime();
                complete(database.withConnection(connection -> settled(connection, ids)));
                Thread.sleep(pause(Duration.ofNanos(System.nanoTime() - begun)));
            }
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private static Duration pause(Duration query) {
        Duration pause = query.multipliedBy(PAUSE_PER_QUERY);
        return pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    private void complete(Map<PaymentId, Settled> settled) {
        settled.forEach((id, outcome) -> {
            Awaited waiting = awaited.get(id);
            if (waiting != null) {
                waiting.outcome().complete(Optional.of(outcome));
            }
        });
    }

    private static final String SETTLED = """
            SELECT operation_id, state, failure_cause
              FROM settled_among(?)
            """;

    private static Map<PaymentId, Settled> settled(Connection connection, Collection<PaymentId> ids) throws SQLException {
        return Sql.all(connection, SETTLED, row -> Map.entry(new PaymentId(row.getString(1)),
                new Settled(OperationState.fromTag(row.getString(2)), Optional.ofNullable(row.getString(3)))),
                ids.stream().map(PaymentId::value).toList()).stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
