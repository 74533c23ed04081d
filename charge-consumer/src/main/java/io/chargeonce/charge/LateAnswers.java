package io.chargeonce.charge;

import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.Told;
import io.chargeonce.payment.OneSend;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * What comes from a worker whose lease has ended, or from the PSP by itself. It is never lost: it is appended and folded into its attempt. While the
 * attempt is open the resolver settles it from there; a success after a definite failure stops the retries, or is given
 * back if another attempt captured too. Every method runs under the operation's lock.
 */
final class LateAnswers {

    private LateAnswers() {}

    static void take(Connection connection, Operation operation, PspKey key, String source, Outcome heard, Instant now,
                     Changes changes) throws SQLException {
        Attempt before = AttemptTable.lock(connection, key);
        Told told = Told.of(key, source, OneSend.judge(heard, before.sends() - 1));
        changes.heard(told);
        AttemptTable.fold(connection, List.of(told));
        boolean wasOpen = before.state() == AttemptState.IN_FLIGHT || before.state() == AttemptState.UNKNOWN;
        if (wasOpen && told.state() != AttemptState.UNKNOWN && operation.attemptKey().equals(key)) {
            // Who asks just now hears of it when the answer is folded; else the resolver is sent at once.
            operation.askNow(now);
            changes.save(operation);
        }
        if (before.state() == AttemptState.SUCCEEDED && told.state() == AttemptState.FAILED_DEFINITE
                && operation.kind() != OperationKind.CHARGE) {
            Reversals.reportNotGivenBackAfterAll(operation, before, told.detail(), changes);
        }
        if (before.state() == AttemptState.FAILED_DEFINITE && told.state() == AttemptState.SUCCEEDED) {
            succeeded(connection, operation, before, told.pspReference(), now, changes);
        }
    }

    private static void succeeded(Connection connection, Operation operation, Attempt attempt, String reference, Instant now,
                                  Changes changes) throws SQLException {
        switch (operation.state()) {
            case PROCESSING, UNRESOLVED -> {
                // Another attempt is open: only when it is known can this one be judged.
                operation.rememberLateCapture(attempt.key());
                changes.save(operation);
                changes.audit("late-success", operation);
            }
            case SUCCEEDED -> movedTwice(connection, operation, attempt, reference, now, changes);
            case ACCEPTED, SCHEDULED, PARKED, DECLINED, DEAD, PURGED -> {
                operation.settleLate(new Capture(attempt.psp(), reference), now);
                changes.settleLetter(operation.id());
                changes.settled(operation);
            }
        }
    }

    /** The open attempt has failed for good, so the late one is the payment's only capture. */
    static void settleRemembered(Connection connection, Operation operation, Instant now, Changes changes) throws SQLException {
        Attempt late = remembered(connection, operation);
        operation.settleLate(new Capture(late.psp(), late.pspReference().orElseThrow()), now);
        changes.settleLetter(operation.id());
        changes.settled(operation);
    }

    /** The open attempt has captured too. */
    static void reverseRemembered(Connection connection, Operation operation, Instant now, Changes changes) throws SQLException {
        Attempt late = remembered(connection, operation);
        movedTwice(connection, operation, late, late.pspReference().orElseThrow(), now, changes);
    }

    private static Attempt remembered(Connection connection, Operation operation) throws SQLException {
        return AttemptTable.lock(connection, operation.lateCapture().orElseThrow());
    }

    private static void movedTwice(Connection connection, Operation operation, Attempt attempt, String reference, Instant now,
                                   Changes changes) throws SQLException {
        if (operation.kind() == OperationKind.CHARGE) {
            Reversals.reverse(connection, operation, attempt, reference, now, changes);
        } else {
            Reversals.reportGivenBackTwice(operation, attempt, reference, changes);
        }
    }
}
