package io.chargeonce.charge;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.Patiently;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.psp.Gateway;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.PoisonCause;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Takes operations for an attempt: in one transaction the step, the due time and the deadline are checked, the lease is
 * taken and the attempt stored, all before the first byte goes to a PSP. Safe for any thread; concurrent claims share a
 * commit.
 */
final class Claims implements AutoCloseable {

    /** The token is the caller's, so that a claim whose answer got lost recognises itself when it is repeated. */
    private record Ask(PaymentRecord record, UUID token) {}

    private static final Set<OperationState> CLAIMABLE =
            EnumSet.of(OperationState.ACCEPTED, OperationState.SCHEDULED, OperationState.PARKED);

    private final Routing routing;
    private final RetrySchedule schedule;
    private final Topics topics;
    private final Duration lease;
    private final Coalescer<Ask, Claim> coalescer;

    Claims(Database database, Routing routing, RetrySchedule schedule, Topics topics, Duration lease, Runnable committed) {
        this.routing = routing;
        this.schedule = schedule;
        this.topics = topics;
        this.lease = lease;
        this.coalescer = new Coalescer<>("claim", database, 2, committed, this::claimAll);
    }

    /** @throws io.chargeonce.database.DatabaseRefused for what is wrong with this one operation */
    Claim claim(PaymentRecord record) {
        var ask = new Ask(record, UUID.randomUUID());
        return Patiently.ask(() -> coalescer.ask(ask));
    }

    private List<Claim> claimAll(Connection connection, List<Ask> asks) throws SQLException {
        var locked = OperationTable.lock(connection, asks.stream().map(ask -> ask.record.operationId()).toList());
        var changes = new Changes(topics);
        var claims = new ArrayList<Claim>();
        for (Ask ask : asks) {
            Operation operation = locked.rows().get(ask.record.operationId());
            claims.add(operation == null
                    ? new Claim.Refused(PoisonCause.UNKNOWN_PAYMENT, "no such payment was ever accepted")
                    : claim(connection, ask, operation, locked.now(), changes));
        }
        changes.write(connection);
        return claims;
    }

    private Claim claim(Connection connection, Ask ask, Operation operation, Instant now, Changes changes) throws SQLException {
        if (!ask.record.saysTheSameAs(Staging.record(operation))) {
            return new Claim.Refused(PoisonCause.DIFFERS_FROM_PAYMENT, "the record says something else than the accepted payment");
        }
        if (operation.isHeldUnder(ask.token)) {
            return repeated(connection, ask, operation);
        }
        if (ask.record.step() != operation.step() || !CLAIMABLE.contains(operation.state())) {
            return new Claim.Superseded();
        }
        if (now.isBefore(operation.notBefore())) {
            return new Claim.NotDue(Duration.between(now, operation.notBefore()));
        }
        if (now.isAfter(operation.chargeBefore())) {
            return bury(operation, "expired", "not charged before its deadline " + operation.chargeBefore(), changes);
        }
        return switch (operation.kind()) {
            case CHARGE -> choose(ask, operation, now, changes);
            case REFUND, REVERSAL -> switch (RefundTarget.find(connection, operation)) {
                case CAPTURED -> choose(ask, operation, now, changes);
                case STILL_CHARGING -> park(operation, "waits_for_payment", "its payment is still being charged", now, changes);
                case NEVER_CAPTURED -> refuse(operation, now, changes);
            };
        };
    }

    private Claim choose(Ask ask, Operation operation, Instant now, Changes changes) {
        List<String> candidates = routing.candidates(operation);
        if (candidates.isEmpty()) {
            return bury(operation, "no_route", "no PSP of its routes takes such a payment of %s: see CHARGEONCE_ROUTES"
                    .formatted(operation.accepted().request().money()), changes);
        }
        Optional<Gateway> gateway = routing.firstHealthy(candidates);
        if (gateway.isEmpty()) {
            return park(operation, "breaker_open", "no PSP is well", now, changes);
        }
        return operation.kind() == OperationKind.CHARGE || gateway.get().refunds().isPresent()
                ? take(ask, operation, gateway.get(), now, changes)
                : bury(operation, "psp_cannot_refund", gateway.get().psp() + " has no way to give money back", changes);
    }

    private Claim take(Ask ask, Operation operation, Gateway gateway, Instant now, Changes changes) {
        operation.claim(ask.token, gateway.psp(), now.plus(lease));
        Attempt attempt = Attempt.inFlight(operation, PspCalls.render(operation, gateway), now, now.plus(gateway.keyLife()));
        changes.save(operation);
        changes.insert(attempt);
        return claimed(ask, operation, attempt);
    }

    /** The answer to our COMMIT got lost and we ask again: the attempt is ours already. */
    private Claim repeated(Connection connection, Ask ask, Operation operation) throws SQLException {
        return claimed(ask, operation, AttemptTable.find(connection, List.of(operation.attemptKey().value())).getFirst());
    }

    private Claim claimed(Ask ask, Operation operation, Attempt attempt) {
        var call = PspCalls.of(operation, attempt, routing.named(attempt.psp()), true);
        return new Claim.Claimed(operation.id(), ask.token, call, operation.progress());
    }

    private Claim park(Operation operation, String cause, String message, Instant now, Changes changes) {
        operation.parkIn(schedule.parkingTier(operation.progress()), cause, message, now);
        changes.save(operation);
        changes.stage(Staging.work(topics, operation));
        return new Claim.Parked();
    }

    private Claim refuse(Operation operation, Instant now, Changes changes) {
        operation.settleDeclined("payment_not_captured", "there is nothing to give back", Optional.empty(), now);
        changes.settled(operation);
        return new Claim.Ended(false);
    }

    private Claim bury(Operation operation, String cause, String message, Changes changes) {
        changes.bury(operation, cause, message);
        return new Claim.Ended(true);
    }

    @Override
    public void close() {
        coalescer.close();
    }
}
