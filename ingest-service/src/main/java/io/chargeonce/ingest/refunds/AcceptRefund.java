// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.refunds;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.ingest.accept.RequestFingerprint;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.ingest.reading.RefundJson;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Accepts refunds in one transaction: operation, audit record, outbox row and the key, if the client sent one. Payment and reference name
 * a refund, so a repeat is the same refund with the same key, another one or none. Any thread.
 */
public final class AcceptRefund {

    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final Database database;
    private final Topics topics;
    private final Duration deadline;
    private final KnownPsps known;
    private final Runnable staged;

    /** @param deadline how long a refund may wait for its payment and its PSP */
    public AcceptRefund(Database database, Topics topics, Duration deadline, KnownPsps known, Runnable staged) {
        this.database = database;
        this.topics = topics;
        this.deadline = deadline;
        this.known = known;
        this.staged = staged;
    }

    /** Another request took the key between our check and our insert. Rolls this transaction back. */
    private static final class KeyTaken extends RuntimeException {
        private static final long serialVersionUID = 1;

        KeyTaken() {
            super("the key was taken meanwhile", null, false, false);
        }
    }

    Answer accept(Refunds.RefundRequest ask, Optional<IdempotencyKey> key) {
        try {
            return once(ask, key);
        } catch (KeyTaken seenNow) {
            return once(ask, key);
        }
    }

    private Answer once(Refunds.RefundRequest ask, Optional<IdempotencyKey> key) {
        try {
            Answer answer = database.inTransaction(connection -> accept(connection, ask, key));
            staged.run();
            return answer;
        } catch (DatabaseRefused e) {
            if (e.isRowBusy()) {
                return Problems.keyInUse().answer();
            }
            throw e;
        }
    }

    private Answer accept(Connection connection, Refunds.RefundRequest ask, Optional<IdempotencyKey> key) throws SQLException {
        Database.waitForLocks(connection, PATIENCE);
        RequestFingerprint command = RefundBody.command(ask);
        Optional<RequestFingerprint.Stored> named =
                key.isPresent() ? RefundKeys.find(connection, ask.merchant(), key.get()) : Optional.empty();
        if (named.isPresent() && !command.isTheSameAs(named.get())) {
            RequestFingerprint.Conflict conflict = command.conflictWith(named.get());
            return Problems.keyReused(RequestForm.REFUND, conflict.names(), conflict.fields()).answer();
        }
        return switch (Refunds.accept(connection, topics, ask, deadline, known)) {
            case Refunds.Answer.Accepted accepted -> {
                if (key.isPresent() && named.isEmpty() && !RefundKeys.insert(connection, ask, key.get(), command)) {
                    throw new KeyTaken();
                }
                yield RefundJson.accepted(accepted.refund(), accepted.isNew());
            }
            case Refunds.Answer.NoSuchPayment ignored -> Problems.notFound().answer();
            case Refunds.Answer.NotCaptured never -> (never.payment() == OperationState.CANCELED
                    ? Problems.paymentCanceled(ask.payment()) : Problems.notCaptured(ask.payment())).answer();
            case Refunds.Answer.Disputed disputed -> Problems.paymentDisputed(ask.payment()).answer();
            case Refunds.Answer.TooMuch tooMuch ->
                Problems.refundTooLarge(ask.payment(), tooMuch.refundable(), ask.amount().isPresent()).answer();
            case Refunds.Answer.NotRepresentable not -> Problems.refundNotRepresentable(not.money().currency()).answer();
            case Refunds.Answer.Differs differs -> Problems.refundDiffers(ask.payment(), differs.refund()).answer();
        };
    }
}
