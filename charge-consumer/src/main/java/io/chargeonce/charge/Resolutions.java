package io.chargeonce.charge;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.Patiently;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.ledger.Told;
import io.chargeonce.payment.FailureClass;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
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
     * @param byHand what comes of a person's finding about the attempt, if there was one when the PSP was asked
     */
    record Resolution(String operationId, UUID token, PspKey key, String source, Outcome outcome, NextStep next, Optional<ByHand> byHand) {

        Resolution(String operationId, UUID token, PspKey key, String source, Outcome outcome, NextStep next) {
            this(operationId, token, key, source, outcome, next, Optional.empty());
        }
    }

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
        return Patiently.ask(() -> coalescer.ask(resolution));
    }

    private List<Boolean> resolveAll(Connection connection, List<Resolution> resolutions) throws SQLException {
        var locked = OperationTable.lock(connection, resolutions.stream().map(Resolution::operationId).toList());
        var changes = new Changes(topics);
        // By identity: decided before anything moves, and cheap for large batches.
        Set<Resolution> held = Collections.newSetFromMap(new IdentityHashMap<>());
        resolutions.stream().filter(one -> locked.rows().get(one.operationId).isHeldUnder(one.token)).forEach(held::add);
        for (Resolution late : resolutions) {
            if (!held.contains(late)) {
                LateAnswers.take(connection, locked.rows().get(late.operationId), late.key, late.source, late.outcome, locked.now(), changes);
            }
        }
        decide(connection, resolutions.stream().filter(held::contains).toList(), locked, changes);
        changes.write(connection);
        changes.incidents().forEach(incident -> incident.count(meters));
        return resolutions.stream().map(held::contains).toList();
    }

    private void decide(Connection connection, List<Resolution> held, OperationTable.Locked locked, Changes changes) throws SQLException {
        var resolutions = new ArrayList<Resolution>();
        for (Resolution one : held) {
            resolutions.add(one.byHand.isEmpty() ? one : withFinding(connection, one, locked.rows().get(one.operationId), changes));
        }
        List<Told> told = resolutions.stream().map(one -> Told.of(one.key, one.source, one.outcome)).toList();
        told.forEach(changes::heard);
        Map<PspKey, AttemptTable.Folded> folded = AttemptTable.fold(connection, told);
        // A first attempt has none before it: what succeeds at once is not looked at again.
        Map<String, List<Attempt>> late = AttemptTable.lateCaptures(connection, resolutions.stream()
                .map(one -> locked.rows().get(one.operationId)).filter(operation -> operation.sequence() > 1).toList());
        for (Resolution one : resolutions) {
            Operation operation = locked.rows().get(one.operationId);
            AttemptTable.Folded known = folded.get(one.key);
            NextStep next = outranked(one, known);
            settleListing(operation, next, changes);
            changes.save(operation);
            apply(connection, operation, next, late.getOrDefault(operation.id(), List.of()).stream()
                    .filter(attempt -> !attempt.key().equals(one.key)).toList(), locked.now(), changes);
            if (next instanceof NextStep.Resolve && known.state() == AttemptState.FAILED_DEFINITE) {
                // It was told by another way while this worker asked.
                operation.askNow(locked.now());
            }
        }
    }

    /** A person's finding counts only while the PSP has not decided the attempt by any way, and no newer finding has come. */
    private static Resolution withFinding(Connection connection, Resolution one, Operation operation, Changes changes) throws SQLException {
        ByHand byHand = one.byHand.orElseThrow();
        AttemptState known = AttemptTable.lock(connection, one.key).state();
        boolean isOpen = known == AttemptState.IN_FLIGHT || known == AttemptState.UNKNOWN;
        if (!HandSettlementTable.answered(connection, byHand.settlement(), byHand.decides() && !isOpen ? HandSettlement.State.REFUSED : byHand.state(),
                byHand.decides() && !isOpen ? "the PSP told by another way meanwhile" : byHand.answer())) {
            return one;
        }
        if (byHand.state() != HandSettlement.State.WAITING) {
            changes.settlementAnswered(byHand, operation);
        }
        return byHand.decides() && isOpen
                ? new Resolution(one.operationId, one.token, one.key, "hand", byHand.outcome(), byHand.next(), one.byHand) : one;
    }

    /** While this worker asked, an answer may have come that knows more: a capture is a capture. */
    private static NextStep outranked(Resolution resolution, AttemptTable.Folded folded) {
        return folded.state() == AttemptState.SUCCEEDED && !(resolution.next instanceof NextStep.SettleSucceeded)
                ? new NextStep.SettleSucceeded(new Outcome.Charged(folded.pspReference().orElseThrow()))
                : resolution.next;
    }

    /** @param late earlier attempts that succeeded while this one was open */
    private void apply(Connection connection, Operation operation, NextStep next, List<Attempt> late, Instant now, Changes changes)
            throws SQLException {
        boolean endsAttempt = !(next instanceof NextStep.Resolve || next instanceof NextStep.SettleSucceeded);
        if (!late.isEmpty() && endsAttempt) {
            LateAnswers.settleOneOf(connection, operation, late, now, changes);
            return;
        }
        switch (next) {
            case NextStep.SettleSucceeded end -> {
                operation.settleSucceeded(end.charged().pspReference(), now);
                changes.settled(operation);
                LateAnswers.movedBeside(connection, operation, late, now, changes);
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
