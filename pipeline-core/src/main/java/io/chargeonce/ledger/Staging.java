// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.wire.DeadLetterRecord;
import io.chargeonce.wire.DisputeRecord;
import io.chargeonce.wire.OutcomeRecord;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.ReceiptRecord;
import io.chargeonce.wire.Topics;
import io.chargeonce.wire.WaitRecord;
import java.time.Instant;
import java.util.Optional;

/** Turns rows into the records that announce them. The caller stages the result in the transaction that changed the row. */
public final class Staging {

    private Staging() {}

    /** The record of an operation's first step, as {@link #work} makes it right after the acceptance. */
    public static OutboxRow request(Outbox.FirstRequest first) {
        var record = new PaymentRecord(PaymentRecord.TYPE, PaymentRecord.VERSION, first.payment(), first.kind(), first.operation(), 1,
                first.merchant(), first.idempotencyKey(), first.amount(), first.currency(), first.paymentMethod(), first.customer(),
                first.reference());
        var headers = PaymentHeaders
                .event(PaymentRecord.TYPE, PaymentRecord.VERSION, first.operation() + "/1", first.acceptedAt())
                .journey(1, 1, 0, first.acceptedAt()).traced(first.traceparent());
        return new OutboxRow(first.topic(), first.operation(), Optional.of(PaymentJson.write(record)), headers.toMap());
    }

    /** The record for an operation's next step, on the topic of its tier. */
    public static OutboxRow work(Topics topics, Operation operation) {
        return work(topics.ofTier(operation.tier()), operation);
    }

    /** The same on a given topic. The topic only decides when the record is processed. */
    public static OutboxRow work(String topic, Operation operation) {
        var accepted = operation.accepted();
        var headers = PaymentHeaders
                .event(PaymentRecord.TYPE, PaymentRecord.VERSION, operation.id() + "/" + operation.step(), operation.stagedAt())
                .journey(operation.step(), operation.sequence() + 1, operation.tier(), accepted.at()).traced(accepted.traceparent());
        operation.failureCause().ifPresent(cause -> headers.failure(operation.stagedAt(), cause, operation.failureMessage().orElse("")));
        return new OutboxRow(topic, operation.id(),
                Optional.of(PaymentJson.write(record(operation))), headers.toMap());
    }

    /** The record of this operation at its present step. */
    public static PaymentRecord record(Operation operation) {
        var accepted = operation.accepted();
        return PaymentRecord.of(accepted.payment().value(), accepted.kind(), operation.id(), operation.step(),
                accepted.merchant(), accepted.idempotencyKey(), accepted.request());
    }

    /** The outcome of a settled operation. All copies have the same event id. */
    public static OutboxRow outcome(Topics topics, Operation operation) {
        var accepted = operation.accepted();
        Instant settledAt = operation.settledAt()
                .orElseThrow(() -> new IllegalStateException("Bug! An outcome for an unsettled " + operation.id()));
        Money money = accepted.request().money();
        boolean declined = operation.state() == OperationState.DECLINED;
        var record = new OutcomeRecord(OutcomeRecord.TYPE, OutcomeRecord.VERSION, accepted.payment().value(), accepted.kind().tag(),
                accepted.merchant(), accepted.idempotencyKey(), operation.state().tag(), money.minorUnits(), money.currency(),
                operation.psp(), operation.pspReference(),
                declined ? operation.failureCause() : Optional.empty(), accepted.request().reference(),
                operation.sequence(), operation.step(), settledAt);
        var headers =
                PaymentHeaders.event(record.event(), OutcomeRecord.VERSION, accepted.eventSubject() + "/" + operation.step() + "/outcome",
                        settledAt).traced(accepted.traceparent());
        return new OutboxRow(topics.outcomes(), operation.id(), Optional.of(PaymentJson.write(record)), headers.toMap());
    }

    /** A dispute after a change. All copies have the same event id. */
    public static OutboxRow dispute(Topics topics, Operation charge, Dispute dispute, Instant now) {
        var accepted = charge.accepted();
        var record = new DisputeRecord(DisputeRecord.TYPE, DisputeRecord.VERSION, dispute.payment(), accepted.merchant(), dispute.psp(),
                dispute.reference(), dispute.money().map(Money::minorUnits), dispute.money().map(Money::currency), dispute.reason(),
                dispute.stage().tag(), dispute.funds().tag(), dispute.isFinal(), dispute.toAnswerBy(), dispute.revision(), now);
        var headers = PaymentHeaders.event(DisputeRecord.TYPE, DisputeRecord.VERSION,
                "%s/%s/%d".formatted(accepted.eventSubject(), dispute.id(), dispute.revision()), now)
                .traced(accepted.traceparent());
        return new OutboxRow(topics.disputes(), dispute.id(), Optional.of(PaymentJson.write(record)), headers.toMap());
    }

    /** The job to send a receipt of a success, or of the failure after it. All copies have the same event id. */
    public static OutboxRow receipt(Topics topics, Operation operation) {
        var accepted = operation.accepted();
        Money money = accepted.request().money();
        var record = new ReceiptRecord(ReceiptRecord.TYPE, ReceiptRecord.VERSION, accepted.payment().value(), operation.id(),
                accepted.kind().tag(), accepted.merchant(), money.minorUnits(), money.currency());
        var headers = PaymentHeaders
                .event(ReceiptRecord.TYPE, ReceiptRecord.VERSION,
                        accepted.eventSubject() + (operation.state() == OperationState.FAILED ? "/failed" : "") + "/receipt",
                        operation.settledAt().orElseThrow())
                .traced(accepted.traceparent());
        return new OutboxRow(topics.receipts(), accepted.payment().value(), Optional.of(PaymentJson.write(record)), headers.toMap());
    }

    /** Says until when an operation waits in the database alone. */
    public static OutboxRow waits(Topics topics, Operation operation, String why, Instant until, Instant now) {
        var accepted = operation.accepted();
        Money money = accepted.request().money();
        var record = new WaitRecord(WaitRecord.TYPE, WaitRecord.VERSION, accepted.payment().value(), accepted.kind().tag(), operation.id(),
                operation.step(), accepted.merchant(), money.minorUnits(), money.currency(), why, until);
        var headers =
                PaymentHeaders.event(WaitRecord.TYPE, WaitRecord.VERSION, "%s/%d/%s/%d".formatted(operation.id(), operation.step(), why,
                        until.toEpochMilli()), now).traced(accepted.traceparent());
        return new OutboxRow(topics.waiting(), operation.id(), Optional.of(PaymentJson.write(record)), headers.toMap());
    }

    static OutboxRow deadLetter(Topics topics, DeadLetter letter, int revision, Instant diedAt) {
        Optional<Operation> operation = letter.operation();
        Optional<Money> money = operation.map(op -> op.accepted().request().money());
        var record = new DeadLetterRecord(DeadLetterRecord.TYPE, DeadLetterRecord.VERSION, letter.id(),
                operation.map(op -> op.accepted().payment().value()), operation.map(op -> op.accepted().merchant()),
                money.map(Money::minorUnits), money.map(Money::currency), operation.flatMap(Operation::psp),
                letter.cause(), letter.message(), operation.map(Operation::generation).orElse(1), revision, diedAt,
                letter.source().map(source -> new DeadLetterRecord.Source(
                        source.topic(), source.partition(), source.offset(), source.sealed())));
        var headers =
                PaymentHeaders.event(DeadLetterRecord.TYPE, DeadLetterRecord.VERSION, letter.id() + "/" + revision + "/dead-letter", diedAt)
                        .traced(operation.flatMap(op -> op.accepted().traceparent()));
        return new OutboxRow(topics.deadLetters(), letter.id(), Optional.of(PaymentJson.write(record)), headers.toMap());
    }

    /** @param left how it left the queue; without a value the record could not say it */
    static OutboxRow tombstone(Topics topics, String deadLetterId, int revision, String left) {
        return new OutboxRow(topics.deadLetters(), deadLetterId, Optional.empty(), PaymentHeaders.tombstone(revision, left));
    }
}
