package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.ledger.ObservationTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.Progress;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.PspCall;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.wire.TraceContext;
import io.opentelemetry.api.trace.SpanKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Finds out what became of attempts whose outcome nobody knows: those a PSP left open, and those whose process died.
 * Driven by due times in Postgres alone, so it survives any restart; any number of processes may run one.
 */
final class Resolver {

    private static final int BATCH = 100;

    /**
     * One operation, taken under a lease of its own for one question.
     *
     * @param answer what was heard meanwhile: then nobody needs to be asked
     * @param found  what a person found out about the attempt
     */
    private record Question(String operationId, UUID token, PspCall call, Progress progress, boolean mayFence,
                            Optional<Outcome> answer, Optional<String> traceparent, Optional<Found> found) {}

    /** @param forgotten whether the PSP can no longer execute the attempt by itself: its key's life and the visibility lag are over */
    private record Found(HandSettlement settlement, boolean forgotten) {}

    private final Database database;
    private final Gateways gateways;
    private final Exchange exchange;
    private final RetrySchedule schedule;
    private final Resolutions resolutions;
    private final Tracing tracing;
    private final Duration lease;

    Resolver(Database database, Gateways gateways, Exchange exchange, RetrySchedule schedule, Resolutions resolutions,
             Tracing tracing, Duration lease) {
        this.database = database;
        this.gateways = gateways;
        this.exchange = exchange;
        this.schedule = schedule;
        this.resolutions = resolutions;
        this.tracing = tracing;
        this.lease = lease;
    }

    /** Asks about everything that is due, up to a batch, and returns how many that were. */
    int runOnce() {
        List<Question> questions = database.inTransaction(this::take);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            questions.forEach(question -> threads.submit(() -> tracing.span(
                    "resolve", SpanKind.INTERNAL, TraceContext.of(question.traceparent), () -> ask(question))));
        }
        return questions.size();
    }

    private List<Question> take(Connection connection) throws SQLException {
        var due = OperationTable.lockDueForAQuestion(connection, BATCH);
        var operations = List.copyOf(due.rows().values());
        Map<String, Attempt> attempts = AttemptTable.find(connection,
                        operations.stream().map(operation -> operation.attemptKey().value()).toList())
                .stream().collect(Collectors.toMap(Attempt::operationId, Function.identity()));
        Map<PspKey, HandSettlement> found = HandSettlementTable.toExecute(connection, operations);
        var questions = new ArrayList<Question>();
        for (Operation operation : operations) {
            UUID token = UUID.randomUUID();
            operation.claimForQuestion(token, due.now(), due.now().plus(lease));
            Attempt attempt = attempts.get(operation.id());
            questions.add(question(connection, operation, attempt, token, due.now(), Optional.ofNullable(found.get(attempt.key()))));
        }
        OperationTable.save(connection, operations);
        return questions;
    }

    private Question question(Connection connection, Operation operation, Attempt attempt, UUID token, Instant now,
                              Optional<HandSettlement> byHand) throws SQLException {
        Gateway gateway = gateways.named(attempt.psp());
        boolean mayBeSent = now.isBefore(attempt.keyValidUntil()) && now.isBefore(operation.chargeBefore());
        boolean mayFence = !mayBeSent && attempt.notFound() >= 1 && attempt.sentAt().plus(gateway.visibilityLag()).isBefore(now);
        boolean forgotten = !now.isBefore(attempt.keyValidUntil()) && attempt.sentAt().plus(gateway.visibilityLag()).isBefore(now);
        // A reference that a person names is what the PSP is asked about.
        PspCall call = PspCalls.of(operation, attempt, gateway, mayBeSent).told(byHand.flatMap(HandSettlement::reference));
        return new Question(operation.id(), token, call, operation.progress(), mayFence, heardAlready(connection, attempt),
                operation.accepted().traceparent(), byHand.map(settlement -> new Found(settlement, forgotten)));
    }

    private static Optional<Outcome> heardAlready(Connection connection, Attempt attempt) throws SQLException {
        return switch (attempt.state()) {
            case IN_FLIGHT, UNKNOWN -> Optional.empty();
            case SUCCEEDED, FAILED_DEFINITE -> ObservationTable.strongest(connection, attempt.key());
        };
    }

    private boolean ask(Question question) {
        Outcome outcome = question.answer.orElseGet(() -> exchange.ask(question.call));
        if (question.mayFence && outcome instanceof Outcome.Unknown unknown && unknown.cause() == UnknownCause.NOT_FOUND) {
            outcome = exchange.fence(question.call);
        }
        Outcome said = outcome;
        Optional<ByHand> byHand = question.found.map(found ->
                ByHand.after(found.settlement, said, question.call.gateway().canBeAsked(), found.forgotten));
        if (byHand.isPresent() && outcome instanceof Outcome.Unknown unknown) {
            // The reference that we asked about is a person's word: it is not the attempt's until it is settled.
            outcome = new Outcome.Unknown(unknown.cause(), unknown.detail(), Optional.empty());
        }
        return resolutions.resolve(new Resolutions.Resolution(question.operationId, question.token, question.call.key(),
                "question", outcome, schedule.after(question.progress, outcome), byHand));
    }
}
