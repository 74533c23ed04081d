// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.charge.bank.BankItems;
import io.chargeonce.charge.outcome.ByHand;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.Incident;
import io.chargeonce.charge.outcome.LateAnswers;
import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRetry;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.ledger.Observation;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Decision;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.Situation;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the outcomes of attempts and carries out the step that {@link Decision} chose: in one transaction, under the operation's lock,
 * and only for the holder of the lease. {@link LateAnswers} takes answers of workers that lost it. Any thread; concurrent resolutions share
 * a commit.
 */
final class OutcomeRecorder implements AutoCloseable {

    /** The source of an answer that is recorded already: it is no new observation. */
    static final String KNOWN = "known";
    private static final Logger LOG = LoggerFactory.getLogger(OutcomeRecorder.class);
    /** Never a merchant's id. */
    private static final String STATUS_QUERIES = "";

    /**
     * @param accepted as read when the lease was taken
     * @param token  the lease under which the PSP was called or asked
     * @param source {@code call} or {@code query}
     * @param pspWellForOthers whether the PSP was well for other payments meanwhile
     * @param failover present if the caller can make the next attempt at once, at another PSP
     * @param byHand what follows from a person's finding about the attempt, if there was one when the PSP was asked
     */
    record Resolution(Operation.Accepted accepted, UUID token, PspKey key, String source, Outcome outcome, boolean pspWellForOthers,
            Optional<Failover.FailoverRequest> failover, Optional<ByHand> byHand) {

        String operationId() {
            return accepted.operationId();
        }
    }

    /**
     * @param state     the operation's new state; empty if the lease had expired, and nothing was decided
     * @param elsewhere the attempt at another PSP that the caller must make now
     */
    record Resolved(Optional<OperationState> state, Optional<Claim.Claimed> elsewhere) {}

    private final RetrySchedule schedule;
    private final Failover failover;
    private final NextStepExecutor steps;
    private final Topics topics;
    private final boolean ourReceipts;
    private final MeterRegistry meters;
    private final OutcomeMeters outcomes;
    private final Coalescer<Resolution, Resolved> coalescer;

    OutcomeRecorder(Database database, RetrySchedule schedule, Failover failover, StatusQueryPauses ladder,
                    Topics topics, boolean ourReceipts, Runnable committed, MeterRegistry meters) {
        this.schedule = schedule;
        this.failover = failover;
        this.steps = new NextStepExecutor(failover, ladder, schedule.total(), topics);
        this.topics = topics;
        this.ourReceipts = ourReceipts;
        this.meters = meters;
        this.outcomes = new OutcomeMeters(meters);
        Incident.register(meters);
        this.coalescer = new Coalescer<>("resolve", database, 2, committed, this::resolveAll);
    }

    /** For status queries about unknown outcomes: all of them together have one turn beside each merchant's calls. */
    Resolved resolve(Resolution resolution) {
        return resolve(STATUS_QUERIES, resolution);
    }

    /** @param merchant takes turns with the others */
    Resolved resolve(String merchant, Resolution resolution) {
        try {
            return DatabaseRetry.insist(() -> coalescer.ask(merchant, resolution));
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            meters.counter("chargeonce.bugs", "where", "resolve").increment();
            LOG.error("Bug! The answer about attempt {} could not be recorded. The payment stays unresolved, and its PSP is asked again",
                    resolution.key, bug);
            return leaveUnresolved(merchant, resolution, Bug.digest(bug));
        }
    }

    /** The answer that hit the bug is dropped. Whether money moved is then found out as after any lost answer. */
    private Resolved leaveUnresolved(String merchant, Resolution resolution, String digest) {
        var unknown = new Outcome.Unknown(UnknownCause.INTERNAL_ERROR, digest, Optional.empty());
        try {
            return DatabaseRetry
                    .insist(() -> coalescer.ask(merchant, new Resolution(resolution.accepted, resolution.token, resolution.key,
                            resolution.source, unknown, false, Optional.empty(), Optional.empty())));
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            LOG.error("Bug! Attempt {} could not even be marked unresolved. The resolver asks about it when its lease expires",
                    resolution.key, bug);
            return new Resolved(Optional.empty(), Optional.empty());
        }
    }

    private List<Resolved> resolveAll(Connection connection, List<Resolution> resolutions) throws SQLException {
        var locked = OperationTable.lock(connection,
                resolutions.stream().collect(Collectors.toMap(Resolution::token, Resolution::accepted, (one, same) -> one)));
        var changes = UnitOfWork.ofAnswers(connection, locked.now(), topics, ourReceipts, meters);
        // By identity: decided before anything changes, and cheap for large batches.
        Set<Resolution> held = Collections.newSetFromMap(new IdentityHashMap<>());
        resolutions.stream().filter(one -> locked.rows().get(one.operationId()).isHeldUnder(one.token)).forEach(held::add);
        Map<Resolution, Resolved> answers = new IdentityHashMap<>();
        for (Resolution late : resolutions) {
            if (!held.contains(late)) {
                answers.put(late, resolveLate(late, locked.rows().get(late.operationId()), changes));
            }
        }
        answers.putAll(decide(resolutions.stream().filter(held::contains).toList(), locked.rows(), changes));
        changes.write();
        return resolutions.stream().map(answers::get).toList();
    }

    private Resolved resolveLate(Resolution late, Operation operation, UnitOfWork changes) throws SQLException {
        if (late.failover.isPresent() && operation.isHeldUnder(late.failover.get().token())) {
            return new Resolved(Optional.of(operation.state()), Optional.of(failover.repeated(operation, late.failover.get(), changes)));
        }
        if (!late.source.equals(KNOWN)) {
            new LateAnswers(changes, operation).take(late.key, late.source, late.outcome);
        }
        return new Resolved(Optional.empty(), Optional.empty());
    }

    /** With a person's finding, a resolution may be replaced by another one; its answer goes to the original. */
    private Map<Resolution, Resolved> decide(List<Resolution> held, Map<String, Operation> rows, UnitOfWork changes) throws SQLException {
        var resolutions = new ArrayList<Resolution>();
        for (Resolution one : held) {
            resolutions.add(one.byHand.isEmpty() ? one : withFinding(one, rows.get(one.operationId()), changes));
        }
        List<Observation> observations = resolutions.stream().map(one -> Observation.of(one.key, one.source, one.outcome)).toList();
        Map<PspKey, AttemptTable.Folded> folded = AttemptTable.settle(changes.connection(), observations);
        observations.stream().filter(one -> !one.source().equals(KNOWN))
                .filter(one -> !(folded.get(one.key()).chargedAtOnce() && one.answersItsCall())).forEach(changes::observe);
        // A first attempt has no earlier ones, so a success at once costs no further query.
        Map<String, List<Attempt>> late = AttemptTable.lateCaptures(changes.connection(), resolutions.stream()
                .map(one -> rows.get(one.operationId())).filter(operation -> operation.sequence() > 1).toList());
        Map<Resolution, Resolved> answers = new IdentityHashMap<>();
        for (int i = 0; i < resolutions.size(); i++) {
            Resolution one = resolutions.get(i);
            Operation operation = rows.get(one.operationId());
            List<Attempt> others = late.getOrDefault(operation.id(), List.of()).stream()
                    .filter(attempt -> !attempt.key().equals(one.key)).toList();
            var at = new NextStepExecutor.At(operation, others, one.failover, changes);
            Optional<Claim.Claimed> elsewhere = decide(one, folded.get(one.key), at);
            outcomes.decided(operation, changes.now());
            answers.put(held.get(i), new Resolved(Optional.of(operation.state()), elsewhere));
        }
        return answers;
    }

    private Optional<Claim.Claimed> decide(Resolution one, AttemptTable.Folded known, NextStepExecutor.At at) throws SQLException {
        Operation operation = at.operation();
        at.changes().save(operation);
        if (one.outcome instanceof Outcome.Charged charged && !known.pspReference().equals(Optional.of(charged.pspReference()))) {
            // A webhook reported another reference while this worker asked.
            at.late().succeededAgain(AttemptTable.lock(at.changes().connection(), one.key),
                    Observation.of(one.key, one.source, charged));
        }
        Optional<String> capturedAs = known.state() == AttemptState.SUCCEEDED
                ? Optional.of(known.pspReference().orElseThrow()) : Optional.empty();
        var situation = new Situation(operation.kind(), operation.progress(), operation.represented(),
                operation.state() == OperationState.PURGED, operation.cancelRequestedAt().isPresent(), one.pspWellForOthers, capturedAs,
                known.state() == AttemptState.FAILED_DEFINITE, !at.earlier().isEmpty(), one.failover.isPresent());
        return steps.take(Decision.after(one.outcome, situation, schedule), at);
    }

    /** A person's finding counts only while the PSP has not decided the attempt, and no newer finding has replaced it. */
    private static Resolution withFinding(Resolution one, Operation operation, UnitOfWork changes) throws SQLException {
        Connection connection = changes.connection();
        ByHand byHand = one.byHand.orElseThrow();
        Attempt attempt = AttemptTable.lock(connection, one.key);
        boolean isOpen = attempt.state() == AttemptState.IN_FLIGHT || attempt.state() == AttemptState.UNKNOWN;
        boolean goesOut = byHand.decides() && isOpen && !byHand.settlement().saysCharged() && !BankItems.giveUp(connection, one.key);
        // The PSP may have named it only after the person did.
        Optional<String> named = attempt.pspReference()
                .filter(reference -> byHand.settlement().saysCharged() && !byHand.settlement().reference().equals(Optional.of(reference)));
        boolean holds = isOpen && !goesOut && named.isEmpty();
        ByHand answered = !byHand.decides() || holds ? byHand
                : byHand.refused(!isOpen ? "the PSP reported the outcome in another way meanwhile"
                        : goesOut ? "its file still goes to the bank: see bank batches"
                                : "the PSP itself named the attempt %s meanwhile".formatted(named.orElseThrow()));
        if (!HandSettlementTable.answered(connection, byHand.settlement(), answered.state(), answered.answer())) {
            return one;
        }
        if (answered.state() != HandSettlement.State.WAITING) {
            changes.settlementAnswered(answered, operation);
        }
        return answered.decides()
                ? new Resolution(one.accepted, one.token, one.key, "hand", answered.outcome(), one.pspWellForOthers, Optional.empty(),
                        one.byHand)
                : one;
    }

    @Override
    public void close() {
        coalescer.close();
    }
}
