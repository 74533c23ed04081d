// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.evidence;

import io.chargeonce.charge.evidence.MoneyLine.Said;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.LateAnswers;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.DuplicateCodes;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The one entry for evidence about money. A line becomes an observation of its attempt, like any late answer, and the fold decides what
 * follows; only a return after a success is more than that. The caller has locked the operation, and gives each line once.
 */
public final class Evidence {

    private static final String SOURCE = "settlement";

    private Evidence() {}

    /** @param returnedBefore whether an earlier line said that this attempt's money went back */
    public static Taken take(UnitOfWork changes, Operation operation, MoneyLine line, boolean returnedBefore) throws SQLException {
        Attempt attempt = AttemptTable.lock(changes.connection(), line.key());
        var late = new LateAnswers(changes, operation);
        Optional<String> strange = strange(operation, attempt, line);
        if (strange.isPresent()) {
            return new Taken.Unmatched(strange.get());
        }
        return switch (line.said()) {
            case Said.Booked booked -> {
                if (returnedBefore) {
                    yield new Taken.Nothing("its return was read before it, so nothing is left");
                }
                Optional<Taken> known = known(changes.connection(), attempt, booked);
                if (known.isPresent()) {
                    yield known.get();
                }
                late.take(line.key(), SOURCE, new Outcome.Charged(booked.reference()));
                yield new Taken.Recorded("the money moved");
            }
            case Said.Returned returned -> {
                if (attempt.state() == AttemptState.SUCCEEDED && operation.kind() == OperationKind.CHARGE) {
                    new Returns(changes, operation, attempt).take(returned);
                    yield new Taken.Recorded("the money went back: " + returned.code());
                }
                late.take(line.key(), SOURCE, new Outcome.Declined(returned.code(), "returned by the payer's bank",
                        Optional.of(returned.reference())));
                yield new Taken.Recorded("returned: " + returned.code());
            }
            case Said.Rejected rejected -> {
                if (rejected.code().isEmpty()) {
                    yield new Taken.Unmatched("it is rejected without a reason, so it may be a duplicate: ask the bank");
                }
                if (DuplicateCodes.isThereAlready(rejected.code())) {
                    yield new Taken.Nothing("a duplicate: what was sent before is there");
                }
                if (wasBooked(changes.connection(), attempt)) {
                    yield new Taken.Unmatched("it is rejected, and its money had moved before: ask the bank which of the two holds");
                }
                late.take(line.key(), SOURCE, new Outcome.Declined(rejected.code(), "rejected by the bank", rejected.reference()));
                yield new Taken.Recorded("rejected: " + rejected.code());
            }
            case Said.NotExecuted refused -> {
                if (refused.code().isEmpty()) {
                    yield new Taken.Unmatched("its whole file is rejected without a reason, so it may be a duplicate: ask the bank");
                }
                if (DuplicateCodes.isThereAlready(refused.code())) {
                    yield new Taken.Nothing("a duplicate: the file that was sent before is there");
                }
                if (wasBooked(changes.connection(), attempt)) {
                    yield new Taken.Unmatched("its file is rejected, and its money had moved before: ask the bank which of the two holds");
                }
                late.take(line.key(), SOURCE,
                        new Outcome.Failed(FailureCause.PSP_UNWELL, "the bank refused its whole file: " + refused.code()));
                yield new Taken.Recorded("its file was rejected");
            }
        };
    }

    /** Whether a line of a bank said that this attempt's money went back. */
    public static boolean wentBack(Connection connection, PspKey key) throws SQLException {
        return BankLineTable.wentBack(connection, key.value());
    }

    /**
     * A success that is on record under another reference, perhaps of a statement that was reconciled first. A bank may call one booking by
     * two names, so nothing is given back for that. What a person typed is corrected by the bank's.
     */
    private static Optional<Taken> known(Connection connection, Attempt attempt, Said.Booked booked) throws SQLException {
        Optional<String> before = attempt.state() == AttemptState.SUCCEEDED ? attempt.pspReference() : Optional.empty();
        if (before.isEmpty() || before.get().equals(booked.reference())
                || HandSettlementTable.decided(connection, attempt.key()).flatMap(HandSettlement::reference).equals(before)) {
            return Optional.empty();
        }
        String key = attempt.key().value();
        return Optional.of(booked.reference().equals(key) || before.get().equals(key)
                ? new Taken.Nothing("it was known that the money moved")
                : new Taken.Unmatched("known to have moved under the reference '%s': was it booked twice?".formatted(before.get())));
    }

    /** A rejection takes no booking back: that is a return. What a person has found is no booking. */
    private static boolean wasBooked(Connection connection, Attempt attempt) throws SQLException {
        return attempt.state() == AttemptState.SUCCEEDED && HandSettlementTable.decided(connection, attempt.key()).isEmpty();
    }

    /** Money that is not the attempt's decides nothing about it. */
    private static Optional<String> strange(Operation operation, Attempt attempt, MoneyLine line) {
        if (!attempt.psp().equals(line.psp())) {
            return Optional.of("it is an attempt at " + attempt.psp());
        }
        boolean charge = operation.kind() == OperationKind.CHARGE;
        return switch (line.said()) {
            case Said.Booked booked -> strange(operation, booked.money(), booked.toUs() != charge);
            case Said.Returned returned -> strange(operation, returned.money(), returned.toUs() == charge);
            case Said.Rejected rejected -> Optional.empty();
            case Said.NotExecuted refused -> Optional.empty();
        };
    }

    private static Optional<String> strange(Operation operation, Money money, boolean wrongWay) {
        Money expected = operation.accepted().request().money();
        return wrongWay ? Optional.of("the money went the wrong way for a " + operation.kind().tag())
                : money.equals(expected) ? Optional.empty()
                        : Optional.of("it says %s, and the attempt is about %s".formatted(money, expected));
    }
}
