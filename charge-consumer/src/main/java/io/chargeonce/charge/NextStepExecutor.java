// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.Incident;
import io.chargeonce.charge.outcome.LateAnswers;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.ObservationTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.RetryBudget;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.Rail;
import io.chargeonce.wire.Topics;
import io.chargeonce.wire.WaitRecord;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the step that {@link io.chargeonce.payment.Decision} chose, under the operation's lock. Any thread. */
final class NextStepExecutor {

    private static final Logger LOG = LoggerFactory.getLogger(NextStepExecutor.class);
    /** How long after its due time a presentation may begin. */
    private static final Duration TO_PRESENT = Duration.ofDays(1);

    /**
     * One operation whose attempt was just decided.
     *
     * @param earlier attempts before this one that turned out to have moved money
     * @param failover present if the caller can make the next attempt at once, at another PSP
     */
    record At(Operation operation, List<Attempt> earlier, Optional<Failover.FailoverRequest> failover, UnitOfWork changes) {

        Instant now() {
            return changes.now();
        }

        LateAnswers late() {
            return new LateAnswers(changes, operation);
        }
    }

    private final Failover failover;
    private final StatusQueryPauses ladder;
    private final Duration listUnknownAfter;
    private final Topics topics;

    /** @param listUnknownAfter how long an outcome may be unknown before people see it in the dead-letter queue */
    NextStepExecutor(Failover failover, StatusQueryPauses ladder, Duration listUnknownAfter, Topics topics) {
        this.failover = failover;
        this.ladder = ladder;
        this.listUnknownAfter = listUnknownAfter;
        this.topics = topics;
    }

    /** @return the attempt at another PSP that the caller must make now */
    Optional<Claim.Claimed> take(NextStep step, At at) throws SQLException {
        if (mayHaveLostTheNextAttempt(at) && (step.isOfADecline() || step instanceof NextStep.DeadLetter
                && ObservationTable.declineElsewhere(at.changes.connection(), at.operation).isPresent())) {
            leaveTheQueue(at);
            at.operation.queryBeforeDecline(at.now());
            return Optional.empty();
        }
        switch (step) {
            case NextStep.LeavePsp leave -> {
                leavePsp(leave.failed(), at);
                return take(leave.then(), at);
            }
            case NextStep.ElsewhereIfWell first -> {
                Optional<Claim.Claimed> elsewhere = failover.take(at.operation, at.failover.orElseThrow(), at.changes,
                        Failover.Permission.GIVEN);
                return elsewhere.isPresent() ? elsewhere : take(first.otherwise(), at);
            }
            case NextStep.PresentElsewhereIfGranted first -> {
                Optional<Claim.Claimed> elsewhere = presentElsewhere(first, at);
                return elsewhere.isPresent() ? elsewhere : take(first.otherwise(), at);
            }
            case NextStep.PresentAgainIfGranted again -> presentAgain(again, at);
            case NextStep.SettleSucceeded end -> succeed(end.charged(), at);
            case NextStep.SettleByEarlierCapture end -> at.late().settleOneOf(at.earlier);
            case NextStep.SettleDeclined end -> decline(end.declined(), at);
            case NextStep.Cancel end -> cancel(at);
            case NextStep.StayPurged end -> {
                at.operation.endStatusQueries();
                at.changes.audit("failed-after-purge", at.operation);
            }
            case NextStep.DeadLetter end -> {
                if (!at.changes.settledByTheDeclineElsewhere(at.operation)) {
                    at.changes.bury(at.operation, end.failed().cause().tag(), end.failed().detail());
                }
            }
            case NextStep.RetryLater retry -> retry(retry, at);
            case NextStep.Park park -> park(park, at);
            case NextStep.Resolve ask -> leaveUnresolved(ask, at);
        }
        return Optional.empty();
    }

    /** What a status query says is about an attempt that may be older than the loss. A call's answer is about one made after the query. */
    private boolean mayHaveLostTheNextAttempt(At at) {
        Operation operation = at.operation;
        return at.failover.isEmpty() && operation.kind() == OperationKind.CHARGE && operation.state() != OperationState.PURGED
                && Rail.of(operation.accepted().request().paymentMethod()) != Rail.BANK_DEBIT && failover.asksFirst(at.now());
    }

    private void succeed(Outcome.Charged charged, At at) throws SQLException {
        leaveTheQueue(at);
        at.late().reportAfterTheEnd(at.operation.psp().orElseThrow(), at.operation.attemptKey(), charged.pspReference());
        at.operation.settleSucceeded(charged.pspReference(), at.now());
        at.changes.settled(at.operation);
        at.late().reportIfRefundedTooMuch();
        at.late().movedBeside(at.earlier);
    }

    private static void decline(Outcome.Declined declined, At at) {
        leaveTheQueue(at);
        at.operation.settleDeclined(declined.code(), declined.message(), declined.pspReference(), at.now());
        at.changes.settled(at.operation);
    }

    private void presentAgain(NextStep.PresentAgainIfGranted again, At at) throws SQLException {
        Operation.Accepted accepted = at.operation.accepted();
        boolean granted = RetryBudget.isOptedIn(at.changes.connection(), accepted.merchant())
                && RetryBudget.take(at.changes.connection(), accepted.request(), again.mostIn30Days());
        Outcome.Declined declined = again.otherwise().declined();
        if (granted) {
            leaveTheQueue(at);
            at.operation.presentAgain(at.now().plus(again.pause()), TO_PRESENT, declined.code(), declined.message(), at.now());
            at.changes.stage(Staging.waits(topics, at.operation, WaitRecord.PRESENTED_AGAIN, at.now().plus(again.pause()), at.now()));
            at.changes.audit("presented-again-later", at.operation);
        } else {
            decline(declined, at);
        }
    }

    private Optional<Claim.Claimed> presentElsewhere(NextStep.PresentElsewhereIfGranted first, At at) throws SQLException {
        Operation.Accepted accepted = at.operation.accepted();
        Optional<Claim.Claimed> elsewhere = failover.take(at.operation, at.failover.orElseThrow(), at.changes,
                () -> RetryBudget.declineFailover(at.changes.connection(), accepted.merchant()).compareTo(first.least()) >= 0
                        && RetryBudget.take(at.changes.connection(), accepted.request(), first.mostIn30Days()));
        if (elsewhere.isPresent()) {
            at.operation.countPresentation();
            at.changes.audit("presented-elsewhere", at.operation);
        }
        return elsewhere;
    }

    private void cancel(At at) {
        at.changes.settleLetter(at.operation.id());
        if (failover.asksFirst(at.now()) && at.operation.state() != OperationState.PURGED) {
            at.operation.queryBeforeCancel(at.now());
        } else {
            at.operation.cancel(at.now());
            at.changes.settled(at.operation);
        }
    }

    private void retry(NextStep.RetryLater retry, At at) {
        leaveTheQueue(at);
        at.operation.retryIn(retry.tier(), retry.failed().cause().tag(), retry.failed().detail(), at.now());
        at.changes.stageWork(at.operation);
    }

    private void park(NextStep.Park park, At at) {
        leaveTheQueue(at);
        at.operation.parkIn(park.tier(), List.of(), park.failed().cause().tag(), park.failed().detail(), at.now());
        at.changes.stageWork(at.operation);
    }

    private void leaveUnresolved(NextStep.Resolve ask, At at) {
        Operation operation = at.operation;
        Outcome.Unknown unknown = ask.unknown();
        operation.leaveUnresolved(unknown.cause().tag(), unknown.detail(), at.now(),
                unknown.answersWithin().orElseGet(() -> ladder.pause(operation.resolveTries())));
        if (unknown.answersWithin().isPresent()) {
            // The PSP answers in its own time, and that time is not over.
            at.changes.settleLetter(operation.id());
        }
        boolean isOld =
                unknown.answersWithin().isEmpty() && operation.unresolvedSince().orElseThrow().plus(listUnknownAfter).isBefore(at.now());
        if (isOld && operation.state() != OperationState.PURGED) {
            // People see it in the dead-letter queue. The resolver goes on asking, and when it knows the outcome the letter leaves.
            at.changes.bury(DeadLetter.of(operation, "unresolved", unknown.cause().tag() + ": " + unknown.detail()));
        }
        if (ask.atOnce()) {
            operation.askNow(at.now());
        }
        if (operation.state() != OperationState.PURGED) {
            at.changes.stage(Staging.waits(topics, operation, WaitRecord.UNKNOWN_OUTCOME, operation.leaseEnds(), at.now()));
        }
    }

    /** Reported once, however often the PSP says it. */
    private static void leavePsp(Outcome.Failed failed, At at) {
        String psp = at.operation.psp().orElseThrow();
        if (!at.operation.refusedBy().contains(psp)) {
            at.operation.neverAgainAt(psp);
            at.changes.incident(Incident.REFUSED_BY_PSP, at.operation, Map.of("psp", psp, "detail", failed.detail()));
            LOG.error("ALERT: PSP {} does not take payment {} ({}); another one of its routes may get it. Correct CHARGEONCE_ROUTES",
                    psp, at.operation.id(), failed.detail());
        }
    }

    /** An operation whose outcome was unknown for long is listed there. Now the outcome is known. */
    private static void leaveTheQueue(At at) {
        if (at.operation.unresolvedSince().isPresent()) {
            at.changes.settleLetter(at.operation.id());
        }
    }
}
