// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.payment.PaymentId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends the first of several simultaneous requests with one key to Postgres and lets the others wait here. So a hundred repeats of one
 * stuck key cost Postgres one wait and not a hundred. It decides nothing: once the first is answered, the others query Postgres too, and
 * other processes have instances of their own. Any thread.
 */
final class KeysInFlight {

    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final Map<PaymentId, CompletableFuture<Acceptance>> firsts = new ConcurrentHashMap<>();
    private final Coalescer<AcceptRequest, Acceptance> postgres;

    KeysInFlight(Coalescer<AcceptRequest, Acceptance> postgres) {
        this.postgres = postgres;
    }

    Acceptance accept(AcceptRequest ask) {
        var mine = new CompletableFuture<Acceptance>();
        CompletableFuture<Acceptance> first = firsts.putIfAbsent(ask.id(), mine);
        if (first != null) {
            return isBusy(first) ? new Acceptance.InUse() : askPostgres(ask);
        }
        try {
            Acceptance answer = askPostgres(ask);
            mine.complete(answer);
            return answer;
        } finally {
            firsts.remove(ask.id(), mine);
            // Does nothing once there is an answer. After a failure each waiting request queries Postgres itself.
            mine.completeExceptionally(new IllegalStateException("the first request with this key failed"));
        }
    }

    private Acceptance askPostgres(AcceptRequest ask) {
        try {
            return postgres.ask(ask.merchant(), ask);
        } catch (DatabaseRefused e) {
            if (e.isRowBusy()) {
                return new Acceptance.InUse();
            }
            throw e;
        }
    }

    private static boolean isBusy(CompletableFuture<Acceptance> first) {
        try {
            return first.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) instanceof Acceptance.InUse;
        } catch (TimeoutException e) {
            return true;
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
