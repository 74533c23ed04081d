// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.call.PspCalls;
import io.chargeonce.charge.call.PspExchange;
import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.charge.outcome.ByHand;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.ledger.LateOperations;
import io.chargeonce.ledger.ObservationTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.PspCall;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.wire.Topics;
import io.chargeonce.wire.TraceContext;
import io.opentelemetry.api.trace.SpanKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out the outcome of attempts that a PSP left open or whose process died. It is driven only by due times in Postgres, so it survives
 * any restart, and any number of processes may run one. Each PSP has its own limit of status queries under way, so that a PSP that does not
 * answer never delays status queries to another. A status query is claimed only when it can be asked at once. Status queries about a PSP
 * that is not set up here are left to processes that have it. {@link #start} and {@link #runOnce} are for one thread.
 */
final class Resolver implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Resolver.class);
    /** Status queries under way at once at one PSP. */
    private static final int PLACES = 100;
    private static final Duration AFTER_A_BUG = Duration.ofMinutes(1);
    private static final String ATTEMPT_LOST = "attempt_lost";
    /** How often it is looked at whether a lost attempt is there again. */
    private static final Duration LOOK_FOR_LOST = Duration.ofDays(1);
    private static final Duration TO_CLOSE = Duration.ofSeconds(20);
    /** An attempt under way for longer is listed, so that it is found when its lease expires. */
    static final Duration SLOW = Duration.ofSeconds(5);

    /**
     * One operation, claimed under its own lease for one status query.
     *
     * @param answer an answer that arrived meanwhile, so that the PSP need not be asked
     * @param sentAt when the attempt was sent, by this process's clock
     * @param found  what a person found out about the attempt
     */
    private record StatusQuery(Operation.Accepted accepted, UUID token, PspCall call, boolean mayFence, Optional<Outcome> answer,
            Instant sentAt, Optional<Found> found) {}

    /**
     * @param forgotten whether the PSP can no longer execute the attempt: its key's life and the visibility lag are over
     * @param mayTell   whether the PSP may tell the outcome when the key is sent again
     */
    private record Found(HandSettlement settlement, boolean forgotten, boolean mayTell) {}

    private final Database database;
    private final Gateways gateways;
    private final PspExchange exchange;
    private final OutcomeRecorder resolutions;
    private final Topics topics;
    private final Tracing tracing;
    private final Duration lease;
    private final Map<String, AtomicInteger> underWay = new LinkedHashMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    Resolver(Database database, Gateways gateways, PspExchange exchange, OutcomeRecorder resolutions, Topics topics,
             Tracing tracing, Duration lease) {
        this.database = database;
        this.gateways = gateways;
        this.exchange = exchange;
        this.resolutions = resolutions;
        this.topics = topics;
        this.tracing = tracing;
        this.lease = lease;
        gateways.psps().forEach(psp -> underWay.put(psp, new AtomicInteger()));
    }

    /** Starts all due status queries within the limits, without waiting for answers. Returns how many. */
    int start() {
        return begin().size();
    }

    /** The same, and waits for the answers. */
    int runOnce() {
        List<CompletableFuture<Void>> begun = begin();
        begun.forEach(query -> query.join());
        return begun.size();
    }

    private List<CompletableFuture<Void>> begin() {
        LateOperations.listClaims(database, SLOW);
        var begun = new ArrayList<CompletableFuture<Void>>();
        Set<String> due = database.withConnection(connection -> OperationTable.pspsToAsk(connection, underWay.keySet()));
        underWay.forEach((psp, places) -> {
            int free = PLACES - places.get();
            List<StatusQuery> queries = free == 0 || !due.contains(psp) ? List.of() : take(psp, free);
            queries.forEach(query -> begun.add(begin(query, places)));
        });
        return begun;
    }

    private CompletableFuture<Void> begin(StatusQuery query, AtomicInteger places) {
        var answered = new CompletableFuture<Void>();
        places.incrementAndGet();
        threads.execute(() -> {
            try {
                tracing.span("resolve", SpanKind.INTERNAL, TraceContext.of(query.accepted.traceparent()), () -> ask(query));
            } catch (RuntimeException e) {
                LOG.warn("The status query about {} failed, and is repeated when its lease expires: {}", query.accepted.operationId(),
                        e.toString());
            } finally {
                places.decrementAndGet();
                answered.complete(null);
            }
        });
        return answered;
    }

    private List<StatusQuery> take(String psp, int most) {
        try {
            return database.inTransaction(connection -> take(connection, OperationTable.lockDueForStatusQuery(connection, psp, most)));
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            return database.withConnection(connection -> OperationTable.dueForStatusQuery(connection, psp, most)).stream()
                    .flatMap(id -> takeAlone(id).stream()).toList();
        }
    }

    /** A bug in one operation delays only that operation: it is tried again later, and status queries about the others go on. */
    private List<StatusQuery> takeAlone(String id) {
        try {
            return database.inTransaction(connection -> take(connection, OperationTable.lockDueForStatusQuery(connection, id)));
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            LOG.error("Bug! The PSP cannot be queried about operation {}, which stays unresolved. The next try is in {}", id, AFTER_A_BUG,
                    bug);
            database.inTransaction(connection -> {
                OperationTable.askLater(connection, id, AFTER_A_BUG);
                return id;
            });
            return List.of();
        }
    }

    private List<StatusQuery> take(Connection connection, OperationTable.Locked due) throws SQLException {
        Lease held = Lease.of(lease);
        var operations = List.copyOf(due.rows().values());
        if (operations.isEmpty()) {
            return List.of();
        }
        Map<String, Attempt> attempts = AttemptTable.find(connection,
                operations.stream().map(operation -> operation.attemptKey().value()).toList())
                .stream().collect(Collectors.toMap(Attempt::operationId, Function.identity()));
        Map<PspKey, HandSettlement> found = HandSettlementTable.toExecute(connection, operations);
        var queries = new ArrayList<StatusQuery>();
        var listed = new ArrayList<DeadLetter>();
        for (Operation operation : operations) {
            Attempt attempt = attempts.get(operation.id());
            if (attempt == null) {
                setAside(operation, due.now(), listed);
                continue;
            }
            UUID token = UUID.randomUUID();
            operation.claimForStatusQuery(token, due.now(), due.now().plus(lease));
            queries.add(query(connection, operation, attempt, token, due.now(), held, Optional.ofNullable(found.get(attempt.key()))));
        }
        OperationTable.save(connection, operations);
        DeadLetterTable.bury(connection, topics, listed);
        return queries;
    }

    /** Without its attempt nothing can be asked, and nothing may be charged either. A person sees it in the dead-letter queue. */
    private static void setAside(Operation operation, Instant now, List<DeadLetter> listed) {
        boolean isNew = !operation.failureCause().equals(Optional.of(ATTEMPT_LOST));
        String message =
                "the database has lost attempt %d at %s, as after a restore of some tables: restore its row of payment_attempt, or "
                        .formatted(operation.sequence(), operation.psp().orElseThrow())
                        + "look there for %s; nothing is charged meanwhile".formatted(operation.attemptKey());
        operation.leaveUnresolved(ATTEMPT_LOST, message, now, LOOK_FOR_LOST);
        if (operation.state() != OperationState.PURGED) {
            listed.add(DeadLetter.of(operation, "unresolved", ATTEMPT_LOST + ": " + message));
        }
        if (isNew) {
            LOG.error("ALERT: the PSP cannot be queried about operation {}: {}", operation.id(), message);
        }
    }

    /**
     * A status query is no new charge, so the payment's deadline does not forbid it. What forbids sending is a key that the PSP has
     * forgotten, and a purge or a cancel.
     */
    private StatusQuery query(Connection connection, Operation operation, Attempt attempt, UUID token, Instant now, Lease held,
                              Optional<HandSettlement> byHand)
            throws SQLException {
        Gateway gateway = gateways.named(attempt.psp());
        boolean keyIsKnown = now.isBefore(attempt.keyValidUntil());
        boolean visible = attempt.sentAt().plus(PspCalls.said(gateway, Gateway::visibilityLag)).isBefore(now);
        // After a purge or a cancel no status query may execute it.
        boolean isPurged = operation.state() == OperationState.PURGED;
        boolean isUnwanted = isPurged || operation.cancelRequestedAt().isPresent();
        PspCall asUsual = PspCalls.of(operation, attempt, gateway, keyIsKnown);
        // A PSP that can look it up is asked about the reference that a person gave.
        PspCall call =
                (isPurged || isUnwanted && asUsual.statusQueryMayExecute() ? PspCalls.of(operation, attempt, gateway, false) : asUsual)
                        .withReference(byHand.filter(finding -> gateway.canBeAsked()).flatMap(HandSettlement::reference)).during(held);
        boolean mayTell = asUsual.mayBeSent();
        boolean mayFence = !keyIsKnown && attempt.notFound() >= 1 && visible && !(isUnwanted && call.fenceMayExecute());
        return new StatusQuery(operation.accepted(), token, call, mayFence, knownAlready(connection, attempt),
                gateways.now().minus(Duration.between(attempt.sentAt(), now)),
                byHand.map(settlement -> new Found(settlement, !keyIsKnown && visible, mayTell)));
    }

    private static Optional<Outcome> knownAlready(Connection connection, Attempt attempt) throws SQLException {
        return switch (attempt.state()) {
            case IN_FLIGHT, UNKNOWN -> Optional.empty();
            case SUCCEEDED, FAILED_DEFINITE -> ObservationTable.strongest(connection, attempt.key());
        };
    }

    private boolean ask(StatusQuery query) {
        Outcome outcome = query.answer.orElseGet(() -> exchange.ask(query.call));
        if (query.mayFence && outcome instanceof Outcome.Unknown unknown && unknown.cause() == UnknownCause.NOT_FOUND) {
            outcome = exchange.fence(query.call);
        }
        Outcome answered = outcome;
        boolean canBeAsked = query.call.gateway().canBeAsked();
        Optional<ByHand> byHand = query.found
                .map(found -> ByHand.after(found.settlement, answered, canBeAsked, found.forgotten, found.mayTell));
        if (byHand.isPresent() && canBeAsked && outcome instanceof Outcome.Unknown unknown) {
            // The reference that we asked about is a person's claim. It is not the attempt's until it is settled.
            outcome = new Outcome.Unknown(unknown.cause(), unknown.detail(), Optional.empty());
        }
        boolean failedByItself = gateways.wasWellForOthers(query.call.gateway().psp(), query.sentAt);
        return resolutions.resolve(new OutcomeRecorder.Resolution(query.accepted, query.token, query.call.key(),
                query.answer.isPresent() ? OutcomeRecorder.KNOWN : "query", outcome, failedByItself, Optional.empty(), byHand))
                .state()
                .isPresent();
    }

    /** Waits for the status queries under way for a while. The rest are asked again when their leases expire. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(TO_CLOSE.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("PSPs have not answered {} status queries; they are repeated when their leases expire",
                        underWay.values().stream().mapToInt(AtomicInteger::get).sum());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
