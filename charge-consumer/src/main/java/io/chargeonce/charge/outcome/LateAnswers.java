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
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What comes from a worker whose lease has ended, or from the PSP by itself. It is never lost: in whatever state the operation
 * is, it is appended and folded into its attempt. A failure of the attempt that the resolver watches is settled by the resolver.
 * A success settles the operation wherever it stands, or waits for another attempt that is open, or is given back if another
 * attempt succeeded too. Every method runs under the operation's lock.
 */
public final class LateAnswers {

    private LateAnswers() {}

    public static void take(Connection connection, Operation operation, PspKey key, String source, Outcome heard, Instant now,
                            Changes changes)
            throws SQLException {
        Attempt before = AttemptTable.lock(connection, key);
        Observation told = Observation.of(key, source, OneSend.judge(heard, before.sends() - 1));
        changes.heard(told);
        AttemptTable.fold(connection, List.of(told));
        switch (told.state()) {
            case IN_FLIGHT, UNKNOWN -> {
            }
            case FAILED_DEFINITE -> failed(connection, operation, before, told, now, changes);
            case SUCCEEDED -> succeeded(connection, operation, before, told, now, changes);
        }
    }

    private static void failed(Connection connection, Operation operation, Attempt before, Observation told, Instant now, Changes changes)
            throws SQLException {
        if (before.state() == AttemptState.SUCCEEDED) {
            reportIfByHand(connection, operation, told, changes);
            if (operation.kind() != OperationKind.CHARGE) {
                Reversals.reportNotGivenBackAfterAll(operation, before, told.detail(), changes);
            }
        } else if (before.state() != AttemptState.FAILED_DEFINITE && isWatched(operation, before)) {
            askNow(operation, now, changes);
        }
    }

    private static void succeeded(Connection connection, Operation operation, Attempt before, Observation told, Instant now,
                                  Changes changes)
            throws SQLException {
        if (before.state() == AttemptState.SUCCEEDED) {
            succeededAgain(connection, operation, before, told, now, changes);
            return;
        }
        if (before.state() == AttemptState.FAILED_DEFINITE) {
            reportIfByHand(connection, operation, told, changes);
            reportIfTheRefundFailedToo(operation, before, changes);
        }
        switch (operation.state()) {
            case PROCESSING, UNRESOLVED -> {
                if (isWatched(operation, before)) {
                    askNow(operation, now, changes);
                } else {
                    // Another attempt is open: only when it is known can this one be judged.
                    changes.audit("late-success", operation);
                }
            }
            case SUCCEEDED -> movedTwice(connection, operation, before, told.pspReference(), now, changes);
            case ACCEPTED, SCHEDULED, PARKED, DECLINED, DEAD, PURGED ->
                settle(connection, operation, before, told.pspReference(), now, changes);
        }
    }

    /** A PSP may fail a refund after it has given it back, and its messages keep no order: which one came last in truth is not known. */
    private static void reportIfTheRefundFailedToo(Operation operation, Attempt before, Changes changes) {
        boolean byThePsp = !before.cause().equals(Optional.of(FailureCause.SETTLED_NOT_CHARGED.tag()));
        if (operation.kind() != OperationKind.CHARGE && byThePsp) {
            Reversals.reportToldBothWays(operation, before, changes);
        }
    }

    private static boolean isWatched(Operation operation, Attempt attempt) {
        return operation.isWatched() && operation.attemptKey().equals(attempt.key());
    }

    /** Who asks just now hears of it when the answer is folded; else the resolver is sent at once. */
    private static void askNow(Operation operation, Instant now, Changes changes) {
        operation.askNow(now);
        changes.save(operation);
    }

    private static void settle(Connection connection, Operation operation, Attempt attempt, String reference, Instant now, Changes changes)
            throws SQLException {
        reportAfterTheEnd(operation, attempt.psp(), attempt.key(), reference, changes);
        Optional<PspKey> open = AttemptTable.open(connection, operation);
        if (open.isPresent()) {
            // It was purged with an attempt of unknown outcome. That one must be known before this one is judged.
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

    /** Before it is settled as succeeded: nothing, unless it had come to another end. */
    public static void reportAfterTheEnd(Operation operation, String psp, PspKey key, String reference, Changes changes) {
        if (operation.state() == OperationState.PURGED) {
            Reversals.reportAfterTheEnd(Incident.SUCCEEDED_AFTER_PURGE, operation, psp, key, reference, changes);
        }
        if (operation.state() == OperationState.DECLINED) {
            Reversals.reportAfterTheEnd(Incident.SUCCEEDED_AFTER_DECLINE, operation, psp, key, reference, changes);
        }
    }

    private static void settleAs(Operation operation, Attempt attempt, String reference, Instant now, Changes changes) {
        operation.settleLate(new Capture(attempt.psp(), reference), now);
        changes.settleLetter(operation.id());
        changes.settled(operation);
    }

    /** The open attempt has failed for good: the oldest of these is what the operation comes to, and the others moved money beside it. */
    public static void settleOneOf(Connection connection, Operation operation, List<Attempt> late, Instant now, Changes changes)
            throws SQLException {
        Attempt first = late.getFirst();
        reportAfterTheEnd(operation, first.psp(), first.key(), first.pspReference().orElseThrow(), changes);
        settleAs(operation, first, first.pspReference().orElseThrow(), now, changes);
        movedBeside(connection, operation, late.subList(1, late.size()), now, changes);
    }

    /** The operation has succeeded by another attempt, and each of these moved its money too. */
    public static void movedBeside(Connection connection, Operation operation, List<Attempt> late, Instant now, Changes changes)
            throws SQLException {
        for (Attempt attempt : late) {
            movedTwice(connection, operation, attempt, attempt.pspReference().orElseThrow(), now, changes);
        }
    }

    private static void movedTwice(Connection connection, Operation operation, Attempt attempt, String reference, Instant now,
                                   Changes changes)
            throws SQLException {
        if (operation.kind() == OperationKind.CHARGE) {
            Reversals.reverse(connection, operation, attempt, reference, now, changes);
        } else {
            Reversals.reportGivenBackTwice(operation, attempt, reference, changes);
        }
    }

    private static void reportIfByHand(Connection connection, Operation operation, Observation told, Changes changes) throws SQLException {
        HandSettlementTable.decided(connection, told.key())
                .ifPresent(settled -> Reversals.reportAgainstEvidence(operation, settled, told, changes));
    }

    /**
     * An attempt that is known to have succeeded is told under another reference. Where a person named the first one, the PSP's is
     * from now on the one that is given back; else the PSP moved money twice under one key.
     */
    public static void succeededAgain(Connection connection, Operation operation, Attempt before, Observation told, Instant now,
                                      Changes changes)
            throws SQLException {
        if (before.pspReference().equals(Optional.of(told.pspReference()))) {
            return;
        }
        Optional<String> byHand = HandSettlementTable.decided(connection, told.key()).flatMap(HandSettlement::reference);
        if (byHand.isPresent() && before.pspReference().equals(byHand)) {
            reportIfByHand(connection, operation, told, changes);
            AttemptTable.correctReference(connection, told.key(), told.pspReference());
            if (operation.correctReference(byHand.get(), told.pspReference())) {
                changes.save(operation);
            }
        } else if (operation.kind() == OperationKind.CHARGE) {
            Reversals.reverseUnderOneKey(connection, operation, before, told.pspReference(), now, changes);
        } else {
            Reversals.reportGivenBackTwice(operation, before, told.pspReference(), changes);
        }
    }
}
