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
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Handles answers of workers whose lease has expired, and webhooks. They are never lost: in every state of the operation they are appended
 * and folded into the attempt. If the attempt that the resolver watches failed, the resolver settles it. A success settles the operation in
 * any state, or waits for another open attempt, or is given back if another attempt succeeded too or the payment is canceled. Every method
 * runs under the operation's lock.
 */
public record LateAnswers(UnitOfWork changes, Operation operation) {

    public void take(PspKey key, String source, Outcome outcome) throws SQLException {
        Attempt before = AttemptTable.lock(changes.connection(), key);
        Observation observed = Observation.of(key, source, judge(before, outcome));
        changes.observe(observed);
        AttemptTable.fold(changes.connection(), List.of(observed));
        switch (observed.state()) {
            case IN_FLIGHT, UNKNOWN -> {
            }
            case FAILED_DEFINITE -> failed(before, observed);
            case SUCCEEDED -> succeeded(before, observed);
        }
    }

    /** A PSP says that a refund failed only after it has taken it on. A success that comes later is older: messages come in any order. */
    private Outcome judge(Attempt before, Outcome outcome) {
        boolean hasFailed = operation.kind() != OperationKind.CHARGE && before.state() == AttemptState.FAILED_DEFINITE
                && before.cause().equals(Optional.of(FailureCause.REFUND_FAILED.tag()));
        return hasFailed && outcome instanceof Outcome.Charged charged
                ? new Outcome.Unknown(UnknownCause.OVERTAKEN, "the PSP had said before that this refund failed",
                        Optional.of(charged.pspReference()))
                : OneSend.judge(outcome, before.sends() - 1);
    }

    private void failed(Attempt before, Observation observed) throws SQLException {
        if (before.state() == AttemptState.SUCCEEDED) {
            reportIfByHand(observed);
            if (operation.kind() != OperationKind.CHARGE && operation.state() != OperationState.FAILED) {
                failedAfterSuccess(before, observed);
            }
        } else if (before.state() != AttemptState.FAILED_DEFINITE && isWatched(before)) {
            askNow();
        }
    }

    /** What succeeded stays so unless the PSP, or the other bank, takes exactly that success back. */
    void failedAfterSuccess(Attempt before, Observation observed) throws SQLException {
        boolean isTakenBack = FailureCause.REFUND_FAILED.tag().equals(observed.cause()) || observed.source().equals("settlement");
        if (isTakenBack && isWatched(before)) {
            settleFirst(before);
        }
        boolean isIts = operation.state() == OperationState.SUCCEEDED && operation.pspReference().equals(before.pspReference());
        reversals().reportNotGivenBackAfterAll(before, observed.detail());
        if (isTakenBack && isIts) {
            operation.failAfterSuccess(observed.detail(), changes.now());
            changes.settled(operation);
        }
    }

    /** The resolver has not settled the success yet. If an earlier attempt gave the money back too, it is that one that stays. */
    private void settleFirst(Attempt known) throws SQLException {
        List<Attempt> earlier = AttemptTable.lateCaptures(changes.connection(), List.of(operation)).getOrDefault(operation.id(), List.of());
        UnitOfWork first = changes.first();
        new LateAnswers(first, operation).settleOneOf(earlier.isEmpty() ? List.of(known) : earlier);
        first.write();
    }

    void succeeded(Attempt before, Observation observed) throws SQLException {
        if (before.state() == AttemptState.SUCCEEDED) {
            succeededAgain(before, observed);
            return;
        }
        if (before.state() == AttemptState.FAILED_DEFINITE) {
            reportIfByHand(observed);
            reportIfTheRefundFailedToo(before);
        }
        switch (operation.state()) {
            case PROCESSING, UNRESOLVED -> {
                if (isWatched(before)) {
                    askNow();
                } else {
                    // Another attempt is open. This one can be judged only when that one's outcome is known.
                    changes.audit("late-success", operation);
                }
            }
            case SUCCEEDED, FAILED -> movedTwice(before, observed.pspReference());
            case CANCELED -> reversals().reverseAfterCancel(before, observed.pspReference());
            case ACCEPTED, SCHEDULED, PARKED, DECLINED, DEAD, PURGED -> settle(before, observed.pspReference());
        }
    }

    /** A PSP may report a refund as failed after it was paid. Its messages arrive in any order, so it is not known which one is newer. */
    private void reportIfTheRefundFailedToo(Attempt before) {
        boolean byThePsp = !before.cause().equals(Optional.of(FailureCause.SETTLED_NOT_CHARGED.tag()));
        if (operation.kind() != OperationKind.CHARGE && byThePsp) {
            reversals().reportContradiction(before);
        }
    }

    private boolean isWatched(Attempt attempt) {
        return operation.isWatched() && operation.attemptKey().equals(attempt.key());
    }

    /** If a status query is under way, its worker sees this when it folds the answer. If not, the resolver asks at once. */
    private void askNow() {
        operation.askNow(changes.now());
        changes.save(operation);
    }

    private void settle(Attempt attempt, String reference) throws SQLException {
        reportAfterTheEnd(attempt.psp(), attempt.key(), reference);
        Optional<PspKey> open = AttemptTable.open(changes.connection(), operation);
        if (open.isPresent()) {
            // It was purged with an attempt of unknown outcome. That outcome must be known before this one is judged.
            changes.audit("late-success", operation);
            operation.reopen(changes.now());
            changes.save(operation);
            changes.bury(DeadLetter.of(operation, "unresolved", "an attempt took the money late while another one may have taken it too"));
        } else {
            settleAs(attempt, reference);
        }
    }

    /** Called after the operation is settled as succeeded. */
    public void reportIfRefundedTooMuch() throws SQLException {
        if (operation.kind() == OperationKind.REFUND) {
            reversals().reportIfTooMuch();
        }
    }

    /** Called before the operation is settled as succeeded. Reports nothing unless it had ended in another way. */
    public void reportAfterTheEnd(String psp, PspKey key, String reference) {
        if (operation.state() == OperationState.PURGED) {
            reversals().reportAfterTheEnd(Incident.SUCCEEDED_AFTER_PURGE, psp, key, reference);
        }
        if (operation.state() == OperationState.DECLINED) {
            reversals().reportAfterTheEnd(Incident.SUCCEEDED_AFTER_DECLINE, psp, key, reference);
        }
    }

    private void settleAs(Attempt attempt, String reference) throws SQLException {
        operation.settleLate(new Capture(attempt.psp(), reference), changes.now());
        changes.settleLetter(operation.id());
        changes.settled(operation);
        reportIfRefundedTooMuch();
    }

    /** The open attempt has definitely failed. The operation settles by the oldest of these, and the others moved money beside it. */
    public void settleOneOf(List<Attempt> late) throws SQLException {
        Attempt first = late.getFirst();
        reportAfterTheEnd(first.psp(), first.key(), first.pspReference().orElseThrow());
        settleAs(first, first.pspReference().orElseThrow());
        movedBeside(late.subList(1, late.size()));
    }

    /** The operation has succeeded by another attempt, and each of these moved its money too. */
    public void movedBeside(List<Attempt> late) throws SQLException {
        for (Attempt attempt : late) {
            movedTwice(attempt, attempt.pspReference().orElseThrow());
        }
    }

    private void movedTwice(Attempt attempt, String reference) throws SQLException {
        if (operation.kind() == OperationKind.CHARGE) {
            reversals().reverse(attempt, reference);
        } else {
            reversals().reportGivenBackTwice(attempt, reference);
        }
    }

    private void reportIfByHand(Observation observed) throws SQLException {
        HandSettlementTable.decided(changes.connection(), observed.key())
                .ifPresent(settled -> reversals().reportAgainstEvidence(settled, observed));
    }

    /**
     * An attempt that is known to have succeeded is reported with another reference. If a person gave the first one, refunds use the PSP's
     * reference from now on. If not, the PSP moved money twice under one key.
     */
    public void succeededAgain(Attempt before, Observation observed) throws SQLException {
        if (before.pspReference().equals(Optional.of(observed.pspReference()))) {
            return;
        }
        Optional<String> byHand = HandSettlementTable.decided(changes.connection(), observed.key()).flatMap(HandSettlement::reference);
        if (byHand.isPresent() && before.pspReference().equals(byHand)) {
            reportIfByHand(observed);
            AttemptTable.correctReference(changes.connection(), observed.key(), observed.pspReference());
            if (operation.correctReference(byHand.get(), observed.pspReference())) {
                changes.save(operation);
            }
        } else if (operation.kind() == OperationKind.CHARGE) {
            reversals().reverseUnderOneKey(before, observed.pspReference());
        } else {
            reversals().reportGivenBackTwice(before, observed.pspReference());
        }
    }

    private Reversals reversals() {
        return new Reversals(changes, operation);
    }
}
