package io.chargeonce.charge;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.Patiently;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.ledger.Told;
import io.chargeonce.payment.FailureClass;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what became of attempts and stages what follows: one transaction, under the operation's lock, and only for who
 * still holds the lease; {@link LateAnswers} takes what comes from whoever lost it. Safe for any thread;
 * concurrent resolutions share a commit.
 */
final class Resolutions implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Resolutions.class);

    /**
     * @param token  the lease under which the PSP was called or asked
     * @param source {@code call} or {@code question}
     */
    record Resolution(String operationId, UUID token, PspKey key, String source, Outcome outcome, NextStep next) {}

    private final RetrySchedule schedule;
    private final QuestionLadder ladder;
    private final Topics topics;
    private final MeterRegistry meters;
    private final Coalescer<Resolution, Boolean> coalescer;

    Resolutions(Database database, RetrySchedule schedule, QuestionLadder ladder, Topics topics, Runnable committed,
                MeterRegistry meters) {
        this.schedule = schedule;
        this.ladder = ladder;
        this.topics = topics;
        this.meters = meters;
        Incident.register(meters);
        this.coalescer = new Coalescer<>("resolve", database, 2, committed, this::resolveAll);
    }

    /** @return whether the lease still held, so that this resolution decided */
    boolean resolve(Resolution resolution) {
        try {
            return Patiently.insist(() -> coalescer.ask(resolution));
        } catch (RuntimeException bug) {
            if (!Bug.isRowsOwn(bug)) {
                throw bug;
            }
            meters.counter("chargeonce.bugs", "where", "resolve").increment();
            LOG.error("Bug! The answer about attempt {} could not be recorded; the payment stays unresolved and its PSP is asked again",
                    resolution.key, bug);
            return leaveUnresolved(resolution, Bug.digest(bug));
        }
    }

    /** The answer that ran into the bug is left out: whether money moved is found out as after any lost answer. */
    private boolean leaveUnresolved(Resolution resolution, String digest) {
        var unknown = new Outcome.Unknown(UnknownCause.INTERNAL_ERROR, digest, Optional.empty());
        try {
            return Patiently.insist(() -> coalescer.ask(new Resolution(resolution.operationId, resolution.token, resolution.key,
                    resolution.source, unknown, new NextStep.Resolve(unknown))));
        } catch (RuntimeException bug) {
            if (!Bug.isRowsOwn(bug)) {
                throw bug;
            }
            LOG.error("Bug! Attempt {} could not even be left unresolved; it is asked about when its lease ends", resolution.key, bug);
            return false;
        }
    }

    private List<Boolean> resolveAll(Connection connection, List<Resolution> resolutions) throws SQLException {
        var locked = OperationTable.lock(connection, resolutions.stream().map(Resolution::operationId).toList());
        var changes = new Changes(topics);
        // By identity: decided before anything moves, and cheap for large batches.
        Set<Resolution> held = Collections.newSetFromMap(new IdentityHashMap<>());
        resolutions.stream().filter(one -> locked.rows().get(one.operationId).isHeldUnder(one.token)).forEach(held::add);
        List<Told> told = held.stream().map(one -> Told.of(one.key, one.source, one.outcome)).toList();
        told.forEach(changes::heard);
        Map<PspKey, AttemptTable.Folded> folded = AttemptTable.fold(connection, told);
        for (Resolution resolution : resolutions) {
            Operation operation = locked.rows().get(resolution.operationId);
            if (held.contains(resolution)) {
                NextStep next = outranked(resolution, folded.get(resolution.key));
                settleListing(operation, next, changes);
                changes.save(operation);
                apply(connection, operation, next, locked.now(), changes);
            } else {
                LateAnswers.take(connection, operation, resolution.key, resolution.source, resolution.outcome, locked.now(), changes);
            }
        }
        changes.write(connection);
        changes.incidents().forEach(incident -> incident.count(meters));
        return resolutions.stream().map(held::contains).toList();
    }

    /** While this worker asked, an answer may have come that knows more: a capture is a capture. */
    private static NextStep outranked(Resolution resolution, AttemptTable.Folded folded) {
        return folded.state() == AttemptState.SUCCEEDED && !(resolution.next instanceof NextStep.SettleSucceeded)
                ? new NextStep.SettleSucceeded(new Outcome.Charged(folded.pspReference().orElseThrow()))
                : resolution.next;
    }

    private void apply(Connection connection, Operation operation, NextStep next, Instant now, Changes changes) throws SQLException {
        boolean capturedBefore = operation.lateCapture().isPresent();
        boolean endsAttempt = !(next instanceof NextStep.Resolve || next instanceof NextStep.SettleSucceeded);
        if (capturedBefore && endsAttempt) {
            LateAnswers.settleRemembered(connection, operation, now, changes);
            return;
        }
        switch (next) {
            case NextStep.SettleSucceeded end -> {
                operation.settleSucceeded(end.charged().pspReference(), now);
                changes.settled(operation);
                if (capturedBefore) {
                    LateAnswers.reverseRemembered(connection, operation, now, changes);
                }
            }
            case NextStep.SettleDeclined end -> decline(connection, operation, end.declined(), now, changes);
            case NextStep.RetryLater retry -> {
                avoidWhoRefused(operation, retry.failed(), changes);
                operation.retryIn(retry.tier(), retry.failed().cause().tag(), retry.failed().detail(), now);
                changes.stage(Staging.work(topics, operation));
            }
            case NextStep.Park park -> {
                operation.parkIn(park.tier(), park.failed().cause().tag(), park.failed().detail(), now);
                changes.stage(Staging.work(topics, operation));
            }
            case NextStep.DeadLetter end -> changes.bury(operation, end.failed().cause().tag(), end.failed().detail());
            case NextStep.Resolve ask -> {
                Outcome.Unknown unknown = ask.unknown();
                operation.leaveUnresolved(unknown.cause().tag(), unknown.detail(), now, ladder.pause(operation.resolveTries()));
                listWhenOld(operation, unknown, now, changes);
            }
        }
    }

    private void decline(Connection connection, Operation operation, Outcome.Declined declined, Instant now, Changes changes)
            throws SQLException {
        Optional<Instant> again = Representments.grant(connection, operation, declined, now);
        if (again.isPresent()) {
            operation.presentAgain(again.get(), Representments.DEADLINE, declined.code(), declined.message(), now);
            changes.audit("presented-again-later", operation);
        } else {
            operation.settleDeclined(declined.code(), declined.message(), declined.pspReference(), now);
            changes.settled(operation);
        }
    }

    private static void avoidWhoRefused(Operation operation, Outcome.Failed failed, Changes changes) {
        if (failed.cause().failureClass() == FailureClass.REFUSED_HERE) {
            String psp = operation.psp().orElseThrow();
            operation.neverAgainAt(psp);
            changes.incident(Incident.REFUSED_BY_PSP, operation, Map.of("psp", psp, "detail", failed.detail()));
            LOG.error("ALERT: PSP {} does not do payment {} ({}); it goes to another one. Correct CHARGEONCE_ROUTES",
                    psp, operation.id(), failed.detail());
        }
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

    @Override
    public void close() {
        coalescer.close();
    }
}
