// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.years;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.audit.SealCheck;
import io.chargeonce.audit.SealTable;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.RoundSpread;
import io.chargeonce.charge.due.OldestDue;
import io.chargeonce.charge.settlement.LastReconciliations;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Listing;
import io.chargeonce.dlq.query.Order;
import io.chargeonce.dlq.query.PaymentSearch;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.query.UnresolvedSum;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.Watch;
import io.chargeonce.dlq.story.AuditTrail;
import io.chargeonce.dlq.story.Life;
import io.chargeonce.dlq.topic.Agreement;
import io.chargeonce.endpoints.Caller;
import io.chargeonce.endpoints.DeliveryBook;
import io.chargeonce.ingest.accept.Reaper;
import io.chargeonce.ledger.LateOperations;
import io.chargeonce.notifications.receipt.ReceiptBook;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** What people and caretakers do, each by its own class, timed by the clock. For one thread. */
final class Deeds implements AutoCloseable {

    /** The first one of each finds nothing cached, and is not counted. */
    private static final int ROUNDS = 5;
    private static final int PAGE = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** What the reaper deletes in all rounds. */
    static final int FORGOTTEN = 1_000 * (ROUNDS + 1);

    private final Map<String, Runnable> deeds = new LinkedHashMap<>();
    private final Database command;
    private final Database service;

    /** @param recent so many payments have just gone through the services */
    Deeds(Ground.Plot plot, long recent) {
        this.command = Database.openForCommand(plot.jdbcUrl(), "postgres", "");
        this.service = Database.openForService(plot.jdbcUrl(), "postgres", "", 2);
        people(new DeadLetterQueue(command, plot.topics()), recent);
        var meters = new SimpleMeterRegistry();
        var reaper = new Reaper(service, meters);
        deeds.put("reaper: forget a thousand", reaper::runOnce);
        deeds.put("sweeper: list late acceptances", () -> LateOperations.listAcceptances(service, PATIENCE));
        deeds.put("resolver: list late claims", () -> LateOperations.listClaims(service, PATIENCE));
        var due = new OldestDue(service, plot.topics(), meters);
        deeds.put("gauge: oldest due", due::runOnce);
        var reconciliations = new LastReconciliations(service, meters);
        deeds.put("gauge: last reconciliations", reconciliations::runOnce);
    }

    private void people(DeadLetterQueue queue, long recent) {
        String letter = queue.database().withConnection(connection -> Sql.one(connection,
                "SELECT max(operation_id) FROM dead_letter WHERE state = 'dead'", row -> row.getString(1)));
        deeds.put("dlq list", () -> new Listing(queue).pages(DeadLetterFilter.everything(), Order.NEWEST_FIRST, PAGE, page -> {}));
        deeds.put("dlq summary", () -> {
            Summary.of(queue, DeadLetterFilter.everything());
            UnresolvedSum.of(queue);
        });
        deeds.put("dlq watch", () -> Watch.now(queue));
        deeds.put("dlq why", () -> Life.of(queue, PaymentSearch.find(queue, letter).getFirst().id()));
        deeds.put("dlq runs", () -> new DlqRuns(queue).newest(PAGE));
        deeds.put("dlq audit", () -> AuditTrail.ask(queue, new AuditTrail.Criteria(Optional.empty(), Optional.empty(), Optional.empty(),
                Duration.ofDays(1))));
        deeds.put("dlq verify", () -> verify(queue, recent));
        deeds.put("dlq audit --verify --after-seal", () -> new SealCheck(command, AuditKeys.NONE, finding -> {}).check(lastButOne()));
        var book = new ReceiptBook(command, "bench");
        deeds.put("receipt list", () -> book.list(filter(Optional.empty()), PAGE));
        deeds.put("receipt list --failed", () -> book.list(filter(Optional.of("dead")), PAGE));
        var deliveries = new DeliveryBook(command, new Caller.Person("bench"));
        deeds.put("webhook deliveries", () -> deliveries.list(deliveries(Optional.empty()), PAGE));
        deeds.put("webhook deliveries --state dead", () -> deliveries.list(deliveries(Optional.of("dead")), PAGE));
    }

    private static DeliveryBook.Filter deliveries(Optional<String> state) {
        return new DeliveryBook.Filter(Optional.empty(), Optional.empty(), state, Optional.empty(), Optional.empty());
    }

    private static void verify(DeadLetterQueue queue, long recent) {
        var read = new AtomicLong();
        boolean unordered = Agreement.isOfAnotherServer(queue);
        Agreement.differences(queue, Optional.of(Duration.ofDays(7)), PAGE, read::addAndGet);
        if (unordered || read.get() < recent) {
            throw new IllegalStateException("of %d new payments %d were read".formatted(recent, read.get()));
        }
    }

    private static ReceiptBook.Filter filter(Optional<String> state) {
        return new ReceiptBook.Filter(Optional.empty(), state, Optional.empty(), Optional.empty());
    }

    private SealCheck.Start lastButOne() {
        long last = SealCheck.olderThan(command, Duration.ZERO);
        return command.withConnection(connection -> SealTable.numbered(connection, List.of(last - 1))).stream().findFirst()
                .map(SealCheck.Start::after).orElse(SealCheck.Start.AT_THE_FIRST);
    }

    /** The median of each in milliseconds. */
    Map<String, Double> times() {
        var medians = new LinkedHashMap<String, Double>();
        deeds.forEach((name, deed) -> {
            deed.run();
            var times = new ArrayList<Double>();
            for (int i = 0; i < ROUNDS; i++) {
                long start = System.nanoTime();
                deed.run();
                times.add((System.nanoTime() - start) / 1e6);
            }
            medians.put(name, RoundSpread.of(times).median());
        });
        return medians;
    }

    @Override
    public void close() {
        command.close();
        service.close();
    }
}
