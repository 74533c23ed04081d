// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.Observation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OneSend;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Handles answers of workers whose lease has expired, and webhooks. They are never lost: in every state of the operation they are appended
 * and folded into the attempt. If the attempt that the resolver watches failed, the resolver settles it. A success settles the operation in
 * any state, or waits for another open attempt, or is given back if another attempt succeeded too. Every method runs under the operation's
 * lock.
 */
public final class LateAnswers {

    private LateAnswers() {}

    public static void take(Connection connection, Operation operation, PspKey key, String source, Outcome outcome, Instant now,
                            UnitOfWork changes)
            throws SQLException {
        Attempt before = AttemptTable.lock(connection, key);
        Observation observed = Observation.of(key, source, judge(operation, before, outcome));
        changes.observe(observed);
        AttemptTable.fold(connection, List.of(observed));
        switch (observed.state()) {
            case IN_FLIGHT, UNKNOWN -> {
            }
            case FAILED_DEFINITE -> failed(connection, operation, before, observed, now, changes);
            case SUCCEEDED -> succeeded(connection, operation, before, observed, now, changes);
        }
    }

    /** A PSP says that a refund failed only after it has taken it on. A success that comes later is older: messages come in any order. */
    private static Outcome judge(Operation operation, Attempt before, Outcome outcome) {
        boolean hasFailed = operation.kind() != OperationKind.CHARGE && before.state() == AttemptState.FAILED_DEFINITE
                && before.cause().equals(Optional.of(FailureCause.REFUND_FAILED.tag()));
        return hasFailed && outcome instanceof Outcome.Charged charged
                ? new Outcome.Unknown(UnknownCause.OVERTAKEN, "the PSP had said before that this refund failed",
                        Optional.of(charged.pspReference()))
                : OneSend.judge(outcome, before.sends() - 1);
    }

    private static void failed(Connection connection, Operation operation, Attempt before, Observation observed, Instant now,
                               UnitOfWork changes)
            throws SQLException {
        if (before.state() == AttemptState.SUCCEEDED) {
            reportIfByHand(connection, operation, observed, changes);
            if (operation.kind() != OperationKind.CHARGE && operation.state() != OperationState.FAILED) {
                failedAfterSuccess(connection, operation, before, observed, now, changes);
            }
        } else if (before.state() != AttemptState.FAILED_DEFINITE && isWatched(operation, before)) {
            askNow(operation, now, changes);
        }
    }

    /** What succeeded stays so unless the PSP, or the other bank, takes exactly that success back. */
    static void failedAfterSuccess(Connection connection, Operation operation, Attempt before, Observation observed, Instant now,
                                   UnitOfWork changes)
            throws SQLException {
        boolean isTakenBack = FailureCause.REFUND_FAILED.tag().equals(observed.cause()) || observed.source().equals("settlement");
        if (isTakenBack && isWatched(operation, before)) {
            settleFirst(connection, operation, before, now, changes);
        }
        boolean isIts = operation.state() == OperationState.SUCCEEDED && operation.pspReference().equals(before.pspReference());
        Reversals.reportNotGivenBackAfterAll(operation, before, observed.detail(), changes);
        if (isTakenBack && isIts) {
            operation.failAfterSuccess(observed.detail(), now);
            changes.settled(operation);
        }
    }

    /** The resolver has not settled the success yet. If an earlier attempt gave the money back too, it is that one that stays. */
    private static void settleFirst(Connection connection, Operation operation, Attempt known, Instant now, UnitOfWork changes)
            throws SQLException {
        List<Attempt> earlier = AttemptTable.lateCaptures(connection, List.of(operation)).getOrDefault(operation.id(), List.of());
        UnitOfWork first = changes.first();
        settleOneOf(connection, operation, earlier.isEmpty() ? List.of(known) : earlier, now, first);
        first.write(connection);
        changes.incidents().addAll(first.incidents());
    }

    static void succeeded(Connection connection, Operation operation, Attempt before, Observation observed, Instant now,
                          UnitOfWork changes)
            throws SQLException {
        if (before.state() == AttemptState.SUCCEEDED) {
            succeededAgain(connection, operation, before, observed, now, changes);
            return;
        }
        if (before.state() == AttemptState.FAILED_DEFINITE) {
            reportIfByHand(connection, operation, observed, changes);
            reportIfTheRefundFailedToo(operation, before, changes);
        }
        switch (operation.state()) {
            case PROCESSING, UNRESOLVED -> {
                if (isWatched(operation, before)) {
                    askNow(operation, now, changes);
                } else {
                    // Another attempt is open. This one can be judged only when that one's outcome is known.
                    changes.audit("late-success", operation);
                }
            }
            case SUCCEEDED, FAILED -> movedTwice(connection, operation, before, observed.pspReference(), now, changes);
            case ACCEPTED, SCHEDULED, PARKED, DECLINED, DEAD, PURGED ->
                settle(connection, operation, before, observed.pspReference(), now, changes);
        }
    }

    /** A PSP may report a refund as failed after it was paid. Its messages arrive in any order, so it is not known which one is newer. */
    private static void reportIfTheRefundFailedToo(Operation operation, Attempt before, UnitOfWork changes) {
        boolean byThePsp = !before.cause().equals(Optional.of(FailureCause.SETTLED_NOT_CHARGED.tag()));
        if (operation.kind() != OperationKind.CHARGE && byThePsp) {
            Reversals.reportContradiction(operation, before, changes);
        }
    }

    private static boolean isWatched(Operation operation, Attempt attempt) {
        return operation.isWatched() && operation.attemptKey().equals(attempt.key());
    }

    /** If a question is under way, its worker sees this when it folds the answer. If not, the resolver asks at once. */
    private static void askNow(Operation operation, Instant now, UnitOfWork changes) {
        operation.askNow(now);
        changes.save(operation);
    }

    private static void settle(Connection connection, Operation operation, Attempt attempt, String reference, Instant now,
                               UnitOfWork changes)
            throws SQLException {
        reportAfterTheEnd(operation, attempt.psp(), attempt.key(), reference, changes);
        Optional<PspKey> open = AttemptTable.open(connection, operation);
        if (open.isPresent()) {
            // It was purged with an attempt of unknown outcome. That outcome must be known before this one is judged.
            changes.audit("late-success", operation);
            operation.reopen(now);
            changes.save(operation);
            changes.bury(DeadLetter.of(operation, "unresolved", "an attempt took the money late while another one may have taken it too"));
        } else {
            boolean wasDeclined = operation.state() == OperationState.DECLINED;
            settleAs(operation, attempt, reference, now, changes);
            if (wasDeclined && operation.kind() == OperationKind.REFUND) {
                Reversals.reportIfTooMuch(connection, operation, changes);
            }
        }
    }

    /** Called before the operation is settled as succeeded. Reports nothing unless it had ended in another way. */
    public static void reportAfterTheEnd(Operation operation, String psp, PspKey key, String reference, UnitOfWork changes) {
        if (operation.state() == OperationState.PURGED) {
            Reversals.reportAfterTheEnd(Incident.SUCCEEDED_AFTER_PURGE, operation, psp, key, reference, changes);
        }
        if (operation.state() == OperationState.DECLINED) {
            Reversals.reportAfterTheEnd(Incident.SUCCEEDED_AFTER_DECLINE, operation, psp, key, reference, changes);
        }
    }

    private static void settleAs(Operation operation, Attempt attempt, String reference, Instant now, UnitOfWork changes) {
        operation.settleLate(new Capture(attempt.psp(), reference), now);
        changes.settleLetter(operation.id());
        changes.settled(operation);
    }

    /** The open attempt has definitely failed. The operation settles by the oldest of these, and the others moved money beside it. */
    public static void settleOneOf(Connection connection, Operation operation, List<Attempt> late, Instant now, UnitOfWork changes)
            throws SQLException {
        Attempt first = late.getFirst();
        reportAfterTheEnd(operation, first.psp(), first.key(), first.pspReference().orElseThrow(), changes);
        settleAs(operation, first, first.pspReference().orElseThrow(), now, changes);
        movedBeside(connection, operation, late.subList(1, late.size()), now, changes);
    }

    /** The operation has succeeded by another attempt, and each of these moved its money too. */
    public static void movedBeside(Connection connection, Operation operation, List<Attempt> late, Instant now, UnitOfWork changes)
            throws SQLException {
        for (Attempt attempt : late) {
            movedTwice(connection, operation, attempt, attempt.pspReference().orElseThrow(), now, changes);
        }
    }

    private static void movedTwice(Connection connection, Operation operation, Attempt attempt, String reference, Instant now,
                                   UnitOfWork changes)
            throws SQLException {
        if (operation.kind() == OperationKind.CHARGE) {
            Reversals.reverse(connection, operation, attempt, reference, now, changes);
        } else {
            Reversals.reportGivenBackTwice(operation, attempt, reference, changes);
        }
    }

    private static void reportIfByHand(Connection connection, Operation operation, Observation observed, UnitOfWork changes)
            throws SQLException {
        HandSettlementTable.decided(connection, observed.key())
                .ifPresent(settled -> Reversals.reportAgainstEvidence(operation, settled, observed, changes));
    }

    /**
     * An attempt that is known to have succeeded is reported with another reference. If a person gave the first one, refunds use the PSP's
     * reference from now on. If not, the PSP moved money twice under one key.
     */
    public static void succeededAgain(Connection connection, Operation operation, Attempt before, Observation observed, Instant now,
                                      UnitOfWork changes)
            throws SQLException {
        if (before.pspReference().equals(Optional.of(observed.pspReference()))) {
            return;
        }
        Optional<String> byHand = HandSettlementTable.decided(connection, observed.key()).flatMap(HandSettlement::reference);
        if (byHand.isPresent() && before.pspReference().equals(byHand)) {
            reportIfByHand(connection, operation, observed, changes);
            AttemptTable.correctReference(connection, observed.key(), observed.pspReference());
            if (operation.correctReference(byHand.get(), observed.pspReference())) {
                changes.save(operation);
            }
        } else if (operation.kind() == OperationKind.CHARGE) {
            Reversals.reverseUnderOneKey(connection, operation, before, observed.pspReference(), now, changes);
        } else {
            Reversals.reportGivenBackTwice(operation, before, observed.pspReference(), changes);
        }
    }
}
