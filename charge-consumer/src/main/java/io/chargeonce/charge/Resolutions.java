package io.chargeonce.charge;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.Patiently;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.ledger.Told;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what became of attempts and stages what follows: one transaction, under the operation's lock, and only for who
 * still holds the lease. Whoever lost it has its observation appended and changes nothing else. Safe for any thread;
 * concurrent resolutions share a commit.
 */
final class Resolutions implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Resolutions.class);
    private static final String ACTOR = "charge-consumer";

    /**
     * @param token  the lease under which the PSP was called or asked
     * @param source {@code call} or {@code question}
     */
    record Resolution(String operationId, UUID token, PspKey key, String source, Outcome outcome, NextStep next) {}

    private final RetrySchedule schedule;
    private final QuestionLadder ladder;
    private final Topics topics;
    private final Coalescer<Resolution, Boolean> coalescer;

    Resolutions(Database database, RetrySchedule schedule, QuestionLadder ladder, Topics topics, Runnable committed) {
        this.schedule = schedule;
        this.ladder = ladder;
        this.topics = topics;
        this.coalescer = new Coalescer<>("resolve", database, 2, committed, this::resolveAll);
    }

    /** @return whether the lease still held, so that this resolution decided */
    boolean resolve(Resolution resolution) {
        return Patiently.ask(() -> coalescer.ask(resolution));
    }

    private List<Boolean> resolveAll(Connection connection, List<Resolution> resolutions) throws SQLException {
        var locked = OperationTable.lock(connection, resolutions.stream().map(Resolution::operationId).toList());
        var changes = new Changes(topics);
        var answers = new ArrayList<Boolean>();
        for (Resolution resolution : resolutions) {
            Operation operation = locked.rows().get(resolution.operationId);
            Told told = Told.of(resolution.key, resolution.source, resolution.outcome);
            changes.heard(told);
            boolean held = operation.isHeldUnder(resolution.token);
            if (held) {
                changes.decide(told);
                settleListing(operation, resolution.next, changes);
                apply(operation, resolution, locked.now(), changes);
                changes.save(operation);
            } else {
                tooLate(operation, told);
            }
            answers.add(held);
        }
        changes.write(connection);
        return answers;
    }

    private void apply(Operation operation, Resolution resolution, Instant now, Changes changes) {
        switch (resolution.next) {
            case NextStep.SettleSucceeded end -> {
                operation.settleSucceeded(end.charged().pspReference(), now);
                settled(operation, changes);
            }
            case NextStep.SettleDeclined end -> {
                Outcome.Declined declined = end.declined();
                operation.settleDeclined(declined.code(), declined.message(), declined.pspReference(), now);
                settled(operation, changes);
            }
            case NextStep.RetryLater retry -> {
                operation.retryIn(retry.tier(), retry.failed().cause().tag(), retry.failed().detail(), now);
                changes.stage(Staging.work(topics, operation));
            }
            case NextStep.Park park -> {
                operation.parkIn(park.tier(), park.failed().cause().tag(), park.failed().detail(), now);
                changes.stage(Staging.work(topics, operation));
            }
            case NextStep.DeadLetter end -> {
                operation.bury(end.failed().cause().tag(), end.failed().detail());
                changes.bury(DeadLetter.of(operation, end.failed().cause().tag(), end.failed().detail()));
                changes.audit(entry("dead-lettered", operation));
            }
            case NextStep.Resolve ask -> {
                Outcome.Unknown unknown = ask.unknown();
                operation.leaveUnresolved(unknown.cause().tag(), unknown.detail(), now, ladder.pause(operation.resolveTries()));
                listWhenOld(operation, unknown, now, changes);
            }
        }
    }

    private void settled(Operation operation, Changes changes) {
        changes.stage(Staging.outcome(topics, operation));
        changes.audit(entry(operation.state().tag(), operation));
    }

    /** People see it in the dead-letter queue; the resolver goes on asking, and it leaves by itself. */
    private void listWhenOld(Operation operation, Outcome.Unknown unknown, Instant now, Changes changes) {
        if (operation.unresolvedSince().orElseThrow().plus(schedule.total()).isBefore(now)) {
            changes.bury(DeadLetter.of(operation, "unresolved", unknown.cause().tag() + ": " + unknown.detail()));
        }
    }

    private static void settleListing(Operation operation, NextStep next, Changes changes) {
        boolean staysListed = next instanceof NextStep.Resolve || next instanceof NextStep.DeadLetter;
        if (operation.unresolvedSince().isPresent() && !staysListed) {
            changes.settleLetter(operation.id());
        }
    }

    private static void tooLate(Operation operation, Told told) {
        boolean knownToBeCharged = operation.settledAt().isPresent() && operation.failureCause().isEmpty();
        if (told.state() == AttemptState.SUCCEEDED && !knownToBeCharged) {
            LOG.error("ALERT: {} says that attempt {} of payment {} succeeded, after its lease had ended with the payment {}. "
                    + "The resolver asks the PSP; check this payment with: dlq show {}",
                    operation.psp().orElse("the PSP"), told.key(), operation.id(), operation.state().tag(), operation.id());
        }
    }

    private static AuditLog.Entry entry(String action, Operation operation) {
        return AuditLog.Entry.of(ACTOR, action, operation, Optional.empty(), Map.of("attempts", operation.sequence(),
                "step", operation.step(), "cause", operation.failureCause().orElse("")));
    }

    @Override
    public void close() {
        coalescer.close();
    }
}
