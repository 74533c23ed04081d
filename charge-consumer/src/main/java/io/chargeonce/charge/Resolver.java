package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.ObservationTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.Progress;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import io.chargeonce.psp.Lease;
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
     */
    private record Question(String operationId, UUID token, PspCall call, Progress progress, boolean mayFence,
                            Optional<Outcome> answer, Optional<String> traceparent) {}

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
        Lease held = Lease.of(lease);
        var due = OperationTable.lockDueForAQuestion(connection, BATCH);
        var operations = List.copyOf(due.rows().values());
        Map<String, Attempt> attempts = AttemptTable.find(connection,
                        operations.stream().map(operation -> operation.attemptKey().value()).toList())
                .stream().collect(Collectors.toMap(Attempt::operationId, Function.identity()));
        var questions = new ArrayList<Question>();
        for (Operation operation : operations) {
            UUID token = UUID.randomUUID();
            operation.claimForQuestion(token, due.now(), due.now().plus(lease));
            questions.add(question(connection, operation, attempts.get(operation.id()), token, due.now(), held));
        }
        OperationTable.save(connection, operations);
        return questions;
    }

    /** A question is no new charge, so the payment's deadline does not forbid it: only a key that the PSP has forgotten does. */
    private Question question(Connection connection, Operation operation, Attempt attempt, UUID token, Instant now, Lease held)
            throws SQLException {
        Gateway gateway = gateways.named(attempt.psp());
        boolean keyIsKnown = now.isBefore(attempt.keyValidUntil());
        boolean mayFence = !keyIsKnown && attempt.notFound() >= 1 && attempt.sentAt().plus(gateway.visibilityLag()).isBefore(now);
        return new Question(operation.id(), token, PspCalls.of(operation, attempt, gateway, keyIsKnown).during(held),
                operation.progress(), mayFence, heardAlready(connection, attempt), operation.accepted().traceparent());
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
        return resolutions.resolve(new Resolutions.Resolution(question.operationId, question.token, question.call.key(),
                "question", outcome, schedule.after(question.progress, outcome)));
    }
}
