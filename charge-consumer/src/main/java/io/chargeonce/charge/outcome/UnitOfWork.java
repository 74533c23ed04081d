// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.ObservationTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.ledger.Observation;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One transaction: its connection, its time, and what its batch writes, collected row by row and written table by table, in the order in
 * which locks are taken.
 */
public final class UnitOfWork {

    public static final String ACTOR = "charge-consumer";

    private final Connection connection;
    private final Instant now;
    private final Topics topics;
    private final Set<Operation> operations = new LinkedHashSet<>();
    private final List<Attempt> newAttempts = new ArrayList<>();
    private final List<Observation> observations = new ArrayList<>();
    private final List<DeadLetter> deadLetters = new ArrayList<>();
    private final List<String> settledLetters = new ArrayList<>();
    private final List<OutboxRow> staged = new ArrayList<>();
    private final List<AuditLog.Entry> audit = new ArrayList<>();
    private final List<Incident> incidents = new ArrayList<>();
    private final Optional<Receipts> receipts;
    private final Optional<MeterRegistry> meters;

    /**
     * For changes among which no operation succeeds, and which bring no incident.
     *
     * @param now the database's, from when the rows were locked
     */
    public UnitOfWork(Connection connection, Instant now, Topics topics) {
        this(connection, now, topics, Optional.empty(), Optional.empty());
    }

    private UnitOfWork(Connection connection, Instant now, Topics topics, Optional<Receipts> receipts, Optional<MeterRegistry> meters) {
        this.connection = connection;
        this.now = now;
        this.topics = topics;
        this.receipts = receipts;
        this.meters = meters;
    }

    /**
     * @param ourReceipts whether we send customers the receipts of successes
     * @param meters      where incidents are counted
     */
    public static UnitOfWork ofAnswers(Connection connection, Instant now, Topics topics, boolean ourReceipts, MeterRegistry meters) {
        return new UnitOfWork(connection, now, topics, ourReceipts ? Optional.of(new Receipts(topics)) : Optional.empty(),
                Optional.of(meters));
    }

    /** For what happens before this in the same transaction, and is written first. */
    UnitOfWork first() {
        return ofAnswers(connection, now, topics, receipts.isPresent(), meters.orElseThrow());
    }

    public Connection connection() {
        return connection;
    }

    public Instant now() {
        return now;
    }

    public void save(Operation operation) {
        operations.add(operation);
    }

    public void insert(Attempt attempt) {
        newAttempts.add(attempt);
    }

    public void observe(Observation observation) {
        observations.add(observation);
    }

    public void bury(DeadLetter letter) {
        deadLetters.add(letter);
    }

    /** Takes it out of the dead-letter queue, if it is listed there. */
    public void settleLetter(String id) {
        settledLetters.add(id);
    }

    public void stage(OutboxRow row) {
        staged.add(row);
    }

    /** Its next record, for the topic of where it stands. */
    public void stageWork(Operation operation) {
        stage(Staging.work(topics, operation));
    }

    public void audit(AuditLog.Entry entry) {
        audit.add(entry);
    }

    public void audit(String action, Operation operation) {
        audit(AuditLog.Entry.of(ACTOR, action, operation, Optional.empty(), Map.of("attempts", operation.sequence(),
                "step", operation.step(), "cause", operation.failureCause().orElse(""))));
    }

    /** The PSP's answer to a person's finding, for the audit log. */
    public void settlementAnswered(ByHand byHand, Operation operation) {
        var settlement = byHand.settlement();
        var money = operation.accepted().request().money();
        audit(AuditLog.Entry.of(ACTOR, "dlq.settlement_" + byHand.state().tag(), operation, Optional.of(byHand.answer()),
                Map.of("run", settlement.run(), "verdict", settlement.verdict(), "psp_reference", settlement.reference().orElse(""),
                        "attempt", settlement.key().value(), "amount", money.minorUnits(), "currency", money.currency())));
    }

    /** Records something that a person must act on: in the audit log, and counted for an alert. */
    public void incident(Incident incident, Operation operation, Map<String, ?> data) {
        audit(AuditLog.Entry.of(ACTOR, "incident." + incident.tag(), operation, Optional.empty(), data));
        incidents.add(incident);
    }

    /** A dispute of a charge has changed: that is published and audited. */
    public void disputed(Operation charge, Dispute dispute) {
        stage(Staging.dispute(topics, charge, dispute, now));
        audit(AuditLog.Entry.of(ACTOR, "dispute." + dispute.stage().tag(), charge, Optional.empty(), Map.of("psp", dispute.psp(),
                "psp_reference", dispute.reference(), "funds", dispute.funds().tag())));
    }

    /** The operation has ended: its outcome is published and audited. */
    public void settled(Operation operation) {
        save(operation);
        stage(Staging.outcome(topics, operation));
        receipts.ifPresent(ours -> ours.add(operation));
        audit(operation.state().tag(), operation);
        if (operation.state() == OperationState.SUCCEEDED && operation.cancelRequestedAt().isPresent()) {
            audit("cancel-too-late", operation);
        }
    }

    /**
     * It is not presented again, so its last decline is its end.
     *
     * @return false if it was never declined, and nothing changed
     */
    public boolean settledByItsDecline(Operation operation) throws SQLException {
        return settledBy(ObservationTable.lastDecline(connection, operation), operation);
    }

    /** It cannot go on at the PSP to which it went after another one's decline, so that decline is its end. As above. */
    public boolean settledByTheDeclineElsewhere(Operation operation) throws SQLException {
        return settledBy(ObservationTable.declineElsewhere(connection, operation), operation);
    }

    private boolean settledBy(Optional<Outcome.Declined> declined, Operation operation) {
        declined.ifPresent(last -> {
            settleLetter(operation.id());
            operation.settleDeclined(last.code(), last.message(), last.pspReference(), now);
            settled(operation);
        });
        return declined.isPresent();
    }

    public void bury(Operation operation, String cause, String message) {
        operation.bury(cause, message);
        save(operation);
        bury(DeadLetter.of(operation, cause, message));
        audit("dead-lettered", operation);
    }

    public void write() throws SQLException {
        OperationTable.save(connection, List.copyOf(operations));
        AttemptTable.insert(connection, newAttempts);
        ObservationTable.append(connection, observations);
        DeadLetterTable.release(connection, topics, "settled", settledLetters);
        DeadLetterTable.bury(connection, topics, deadLetters);
        AuditLog.append(connection, audit);
        if (receipts.isPresent()) {
            staged.addAll(receipts.get().staged(connection));
        }
        Outbox.stage(connection, staged);
        // A transaction that is repeated counts twice. An alert asks whether there was any.
        incidents.forEach(incident -> incident.count(meters.orElseThrow()));
    }
}
