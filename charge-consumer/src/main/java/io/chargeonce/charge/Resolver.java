package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.Progress;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    /** One operation, taken under a lease of its own for one question. */
    private record Question(String operationId, UUID token, Gateway gateway, Charge charge, Progress progress) {}

    private final Database database;
    private final Gateways gateways;
    private final RetrySchedule schedule;
    private final Resolutions resolutions;
    private final Duration lease;

    Resolver(Database database, Gateways gateways, RetrySchedule schedule, Resolutions resolutions, Duration lease) {
        this.database = database;
        this.gateways = gateways;
        this.schedule = schedule;
        this.resolutions = resolutions;
        this.lease = lease;
    }

    /** Asks about everything that is due, up to a batch, and returns how many that were. */
    int runOnce() {
        List<Question> questions = database.inTransaction(this::take);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            questions.forEach(question -> threads.submit(() -> ask(question)));
        }
        return questions.size();
    }

    private List<Question> take(Connection connection) throws SQLException {
        var due = OperationTable.lockDueForAQuestion(connection, BATCH);
        var operations = List.copyOf(due.rows().values());
        Map<String, Attempt> attempts = AttemptTable.find(connection,
                        operations.stream().map(operation -> operation.attemptKey().value()).toList())
                .stream().collect(Collectors.toMap(Attempt::operationId, Function.identity()));
        var questions = new ArrayList<Question>();
        for (Operation operation : operations) {
            UUID token = UUID.randomUUID();
            operation.claimForQuestion(token, due.now(), due.now().plus(lease));
            questions.add(question(operation, attempts.get(operation.id()), token, due.now()));
        }
        OperationTable.save(connection, operations);
        return questions;
    }

    private Question question(Operation operation, Attempt attempt, UUID token, Instant now) {
        var charge = new Charge(attempt.key(), attempt.payment(), operation.accepted().request().money(), attempt.request(),
                attempt.pspReference(), now.isBefore(attempt.keyValidUntil()));
        return new Question(operation.id(), token, gateways.named(attempt.psp()), charge, operation.progress());
    }

    private void ask(Question question) {
        Outcome outcome = question.gateway.findOut(question.charge);
        resolutions.resolve(new Resolutions.Resolution(question.operationId, question.token, question.charge.key(),
                "question", outcome, schedule.after(question.progress, outcome)));
    }
}
