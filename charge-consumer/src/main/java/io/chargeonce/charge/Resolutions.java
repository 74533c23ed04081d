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
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.UnknownCause;
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
    /** No merchant's id. */
    private static final String QUESTIONS = "";

    /**
     * @param token  the lease under which the PSP was called or asked
     * @param source {@code call} or {@code question}
     * @param ask    if the caller would make the next attempt at once, at another PSP
     * @param byHand what comes of a person's finding about the attempt, if there was one when the PSP was asked
     */
    record Resolution(String operationId, UUID token, PspKey key, String source, Outcome outcome, NextStep next,
                      Optional<Failover.Ask> ask, Optional<ByHand> byHand) {}

    /**
     * @param decided   whether the lease still held
     * @param elsewhere the attempt at another PSP that the caller has to make now
     */
    record Resolved(boolean decided, Optional<Claim.Claimed> elsewhere) {}

    private final RetrySchedule schedule;
    private final Failover failover;
    private final QuestionLadder ladder;
    private final Topics topics;
    private final MeterRegistry meters;
    private final Coalescer<Resolution, Resolved> coalescer;

    Resolutions(Database database, RetrySchedule schedule, Failover failover, QuestionLadder ladder, Topics topics, Runnable committed,
                MeterRegistry meters) {
        this.schedule = schedule;
        this.failover = failover;
        this.ladder = ladder;
        this.topics = topics;
        this.meters = meters;
        Incident.register(meters);
        this.coalescer = new Coalescer<>("resolve", database, 2, committed, this::resolveAll);
    }

    /** For who asks PSPs about what is unknown: all questions together take turns with each merchant's calls. */
    Resolved resolve(Resolution resolution) {
        return resolve(QUESTIONS, resolution);
    }

    /** @param merchant takes turns with others, whatever it has much of */
    Resolved resolve(String merchant, Resolution resolution) {
        try {
            return Patiently.insist(() -> coalescer.ask(merchant, resolution));
        } catch (RuntimeException bug) {
            if (!Bug.isRowsOwn(bug)) {
                throw bug;
            }
            meters.counter("chargeonce.bugs", "where", "resolve").increment();
            LOG.error("Bug! The answer about attempt {} could not be recorded; the payment stays unresolved and its PSP is asked again",
                    resolution.key, bug);
            return leaveUnresolved(merchant, resolution, Bug.digest(bug));
        }
    }

    /** The answer that ran into the bug is left out: whether money moved is found out as after any lost answer. */
    private Resolved leaveUnresolved(String merchant, Resolution resolution, String digest) {
        var unknown = new Outcome.Unknown(UnknownCause.INTERNAL_ERROR, digest, Optional.empty());
        try {
            return Patiently.insist(() -> coalescer.ask(merchant, new Resolution(resolution.operationId, resolution.token, resolution.key,
                    resolution.source, unknown, new NextStep.Resolve(unknown), Optional.empty(), Optional.empty())));
        } catch (RuntimeException bug) {
            if (!Bug.isRowsOwn(bug)) {
                throw bug;
            }
            LOG.error("Bug! Attempt {} could not even be left unresolved; it is asked about when its lease ends", resolution.key, bug);
            return new Resolved(false, Optional.empty());
        }
    }

    private List<Resolved> resolveAll(Connection connection, List<Resolution> resolutions) throws SQLException {
        var locked = OperationTable.lock(connection, resolutions.stream().map(Resolution::operationId).toList());
        var changes = new Changes(topics);
        // By identity: decided before anything moves, and cheap for large batches.
        Set<Resolution> held = Collections.newSetFromMap(new IdentityHashMap<>());
        resolutions.stream().filter(one -> locked.rows().get(one.operationId).isHeldUnder(one.token)).forEach(held::add);
        Map<Resolution, Resolved> answers = new IdentityHashMap<>();
        for (Resolution late : resolutions) {
            if (!held.contains(late)) {
                answers.put(late, resolveLate(connection, late, locked, changes));
            }
        }
        answers.putAll(decide(connection, resolutions.stream().filter(held::contains).toList(), locked, changes));
        changes.write(connection);
        changes.incidents().forEach(incident -> incident.count(meters));
        return resolutions.stream().map(answers::get).toList();
    }

    private Resolved resolveLate(Connection connection, Resolution late, OperationTable.Locked locked, Changes changes) throws SQLException {
        Operation operation = locked.rows().get(late.operationId);
        if (late.ask.isPresent() && operation.isHeldUnder(late.ask.get().token())) {
            return new Resolved(true, Optional.of(failover.repeated(connection, operation, late.ask.get(), locked.now())));
        }
        LateAnswers.take(connection, operation, late.key, late.source, late.outcome, locked.now(), changes);
        return new Resolved(false, Optional.empty());
    }

    /** What is asked with a person's finding may be decided as another resolution; its answer goes to the one that was asked. */
    private Map<Resolution, Resolved> decide(Connection connection, List<Resolution> held, OperationTable.Locked locked, Changes changes)
            throws SQLException {
        var resolutions = new ArrayList<Resolution>();
        for (Resolution one : held) {
            resolutions.add(one.byHand.isEmpty() ? one : withFinding(connection, one, locked.rows().get(one.operationId), changes));
        }
        List<Told> told = resolutions.stream().map(one -> Told.of(one.key, one.source, one.outcome)).toList();
        Map<PspKey, AttemptTable.Folded> folded = AttemptTable.settle(connection, told);
        told.stream().filter(one -> !(folded.get(one.key()).chargedAtOnce() && one.answersItsCall())).forEach(changes::heard);
        // A first attempt has none before it: what succeeds at once is not looked at again.
        Map<String, List<Attempt>> late = AttemptTable.lateCaptures(connection, resolutions.stream()
                .map(one -> locked.rows().get(one.operationId)).filter(operation -> operation.sequence() > 1).toList());
        Map<Resolution, Resolved> answers = new IdentityHashMap<>();
        for (int i = 0; i < resolutions.size(); i++) {
            Resolution one = resolutions.get(i);
            Operation operation = locked.rows().get(one.operationId);
            List<Attempt> others = late.getOrDefault(operation.id(), List.of()).stream()
                    .filter(attempt -> !attempt.key().equals(one.key)).toList();
            answers.put(held.get(i), new Resolved(true, decide(connection, operation, one, folded.get(one.key), others, locked.now(), changes)));
        }
        return answers;
    }

    private Optional<Claim.Claimed> decide(Connection connection, Operation operation, Resolution one, AttemptTable.Folded known,
                                           List<Attempt> late, Instant now, Changes changes) throws SQLException {
        NextStep next = outranked(one, known);
        changes.save(operation);
        if (one.outcome instanceof Outcome.Charged charged && !known.pspReference().equals(Optional.of(charged.pspReference()))) {
            // It was told by another way, and otherwise, while this worker asked.
            LateAnswers.succeededAgain(connection, operation, AttemptTable.lock(connection, one.key), Told.of(one.key, one.source, charged), now, changes);
        }
        if (one.ask.isPresent() && late.isEmpty()) {
            avoidWhoRefused(operation, next, changes);
            Optional<Claim.Claimed> elsewhere = failover.take(connection, operation, next, one.ask.get(), changes);
            if (elsewhere.isPresent()) {
                return elsewhere;
            }
        }
        settleListing(operation, next, changes);
        apply(connection, operation, next, late, now, changes);
        if (next instanceof NextStep.Resolve && known.state() == AttemptState.FAILED_DEFINITE) {
            // It was told by another way while this worker asked.
            operation.askNow(now);
        }
        return Optional.empty();
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
                ? new Resolution(one.operationId, one.token, one.key, "hand", byHand.outcome(), byHand.next(), Optional.empty(), one.byHand) : one;
    }

    /** While this worker asked, an answer may have come that knows more: a capture is a capture. */
    private static NextStep outranked(Resolution resolution, AttemptTable.Folded folded) {
        return folded.state() == AttemptState.SUCCEEDED
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
        if (operation.state() == OperationState.PURGED && endsAttempt) {
            operation.endQuestion();
            changes.audit("failed-after-purge", operation);
            return;
        }
        switch (next) {
            case NextStep.SettleSucceeded end -> {
                LateAnswers.reportAfterTheEnd(operation, operation.psp().orElseThrow(), operation.attemptKey(), end.charged().pspReference(), changes);
                operation.settleSucceeded(end.charged().pspReference(), now);
                changes.settled(operation);
                LateAnswers.movedBeside(connection, operation, late, now, changes);
            }
            case NextStep.SettleDeclined end -> decline(connection, operation, end.declined(), now, changes);
            case NextStep.RetryLater retry -> {
                avoidWhoRefused(operation, retry, changes);
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

    /** Once, however often it is said. */
    private static void avoidWhoRefused(Operation operation, NextStep next, Changes changes) {
        Optional<Outcome.Failed> failing = Failover.failed(next).filter(one -> one.cause().failureClass() == FailureClass.REFUSED_HERE);
        String psp = operation.psp().orElseThrow();
        if (failing.isPresent() && !operation.refusedBy().contains(psp)) {
            Outcome.Failed failed = failing.get();
            operation.neverAgainAt(psp);
            changes.incident(Incident.REFUSED_BY_PSP, operation, Map.of("psp", psp, "detail", failed.detail()));
            LOG.error("ALERT: PSP {} does not do payment {} ({}); it goes to another one. Correct CHARGEONCE_ROUTES",
                    psp, operation.id(), failed.detail());
        }
    }

    /** People see it in the dead-letter queue; the resolver goes on asking, and it leaves by itself. */
    private void listWhenOld(Operation operation, Outcome.Unknown unknown, Instant now, Changes changes) {
        if (operation.state() != OperationState.PURGED && operation.unresolvedSince().orElseThrow().plus(schedule.total()).isBefore(now)) {
            changes.bury(DeadLetter.of(operation, "unresolved", unknown.cause().tag() + ": " + unknown.detail()));
        }
    }

    private static void settleListing(Operation operation, NextStep next, Changes changes) {
        boolean staysListed = next instanceof NextStep.Resolve || next instanceof NextStep.DeadLetter
                || operation.state() == OperationState.PURGED && !(next instanceof NextStep.SettleSucceeded);
        if (operation.unresolvedSince().isPresent() && !staysListed) {
            changes.settleLetter(operation.id());
        }
    }

    @Override
    public void close() {
        coalescer.close();
    }
}
