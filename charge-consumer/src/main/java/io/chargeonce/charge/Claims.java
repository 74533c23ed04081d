// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.call.PspCalls;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.LateAnswers;
import io.chargeonce.database.Coalescer;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRetry;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Hold;
import io.chargeonce.ledger.Observation;
import io.chargeonce.ledger.ObservationTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.RetryBudget;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.Decision;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.RetryTier;
import io.chargeonce.payment.Situation;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways.Choice;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.Traces;
import io.chargeonce.settlement.SettlementLines;
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
 * Claims operations for an attempt. One transaction checks step, due time and deadline, takes the lease and stores the attempt, all before
 * the first byte goes to a PSP. Any thread; concurrent claims share a commit.
 */
final class Claims implements AutoCloseable {

    /** The caller makes the token, so that a repeated claim whose answer was lost recognises itself. */
    private record ClaimRequest(PaymentRecord record, String topic, Optional<Instant> at, Optional<AskFirst.Asked> asked, UUID token) {}

    private static final String NO_ROUTE = "no_route";
    /** How long after its due time work may wait as a record in its loop until its PSP takes more. */
    private static final Duration LONGEST_TURN = Duration.ofSeconds(30);
    /** For a record of a paused tier that reached a claim. Its loop starts none until the tier is resumed. */
    private static final Duration WHILE_PAUSED = Duration.ofSeconds(1);
    private static final Set<OperationState> CLAIMABLE =
            EnumSet.of(OperationState.ACCEPTED, OperationState.SCHEDULED, OperationState.PARKED);

    private final Database database;
    private final Routing routing;
    private final KnownHolds holds;
    private final AskFirst askFirst;
    private final RetrySchedule schedule;
    private final Topics topics;
    private final Duration lease;
    private final boolean ourReceipts;
    private final Coalescer<ClaimRequest, Claim> coalescer;

    /** @param ourReceipts whether we send customers the receipts of successes: what is asked first may be found to be one */
    Claims(Database database, Routing routing, KnownHolds holds, AskFirst askFirst, RetrySchedule schedule, Topics topics, Duration lease,
           boolean ourReceipts, Runnable committed) {
        this.database = database;
        this.routing = routing;
        this.holds = holds;
        this.askFirst = askFirst;
        this.schedule = schedule;
        this.topics = topics;
        this.lease = lease;
        this.ourReceipts = ourReceipts;
        this.coalescer = new Coalescer<>("claim", database, 2, committed, this::claimAll);
    }

    /**
     * @param topic where the record was: what is on a paused tier's topic waits, and what a person sent to the main topic goes on
     * @param at    when it was put there; empty if it does not say so, and then it counts as new
     * @throws io.chargeonce.database.DatabaseRefused because of this operation, a lock on it, or a schema that does not fit
     * @throws RuntimeException                       a bug that this operation alone runs into
     */
    Claim claim(PaymentRecord record, String topic, Optional<Instant> at) {
        return claim(record, topic, at, Optional.empty());
    }

    /** The same, after {@link Claim.AskFirst}. */
    Claim claim(PaymentRecord record, String topic, Optional<Instant> at, AskFirst.Asked asked) {
        return claim(record, topic, at, Optional.of(asked));
    }

    private Claim claim(PaymentRecord record, String topic, Optional<Instant> at, Optional<AskFirst.Asked> asked) {
        var request = new ClaimRequest(record, topic, at, asked, UUID.randomUUID());
        return DatabaseRetry.call(() -> coalescer.ask(record.merchant(), request));
    }

    /**
     * A bug kept this operation from being claimed. It waits in the next tier, and after the last one it becomes a dead letter.
     *
     * @param digest the exception and its place
     */
    Claim setBack(PaymentRecord record, String digest) {
        return DatabaseRetry.insist(() -> database.inTransaction(connection -> setBack(connection, record, digest)));
    }

    private Claim setBack(Connection connection, PaymentRecord record, String digest) throws SQLException {
        var locked = OperationTable.lock(connection, List.of(record.operationId()));
        Operation operation = locked.rows().get(record.operationId());
        if (operation == null || record.step() != operation.step() || !CLAIMABLE.contains(operation.state())) {
            return new Claim.Superseded();
        }
        var changes = new UnitOfWork(topics);
        var bug = new Outcome.Failed(FailureCause.INTERNAL_ERROR, digest);
        var situation = Situation.beforeAnAttempt(operation.kind(), operation.progress(), operation.represented());
        Claim claim = Decision.after(bug, situation, schedule) instanceof NextStep.RetryLater later
                ? retry(operation, later, locked.now(), changes)
                : bury(operation, bug.cause().tag(), bug.detail(), changes);
        changes.write(connection);
        return claim;
    }

    private Claim retry(Operation operation, NextStep.RetryLater later, Instant now, UnitOfWork changes) {
        operation.retryIn(later.tier(), later.failed().cause().tag(), later.failed().detail(), now);
        changes.save(operation);
        changes.stage(Staging.work(topics, operation));
        return new Claim.Parked();
    }

    private List<Claim> claimAll(Connection connection, List<ClaimRequest> requests) throws SQLException {
        Lease held = Lease.of(lease);
        var locked = OperationTable.lock(connection, requests.stream().map(request -> request.record.operationId()).toList());
        StoredTokens.read(connection, locked.rows().values());
        holds.refreshIfOld(connection);
        var changes = UnitOfWork.ofAnswers(topics, ourReceipts);
        var claims = new ArrayList<Claim>();
        for (ClaimRequest request : requests) {
            Operation operation = locked.rows().get(request.record.operationId());
            claims.add(operation == null
                    ? UnknownPayment.refused(connection, request.record, request.at)
                    : during(held, operation, locked.now(), claim(connection, request, operation, locked.now(), changes)));
        }
        changes.write(connection);
        return claims;
    }

    private static Claim during(Lease held, Operation operation, Instant now, Claim claim) {
        return claim instanceof Claim.Claimed claimed ? claimed.during(bounded(held, operation, now)) : claim;
    }

    /** A repeated claim has the rest of its lease. No attempt is sent for the first time after its payment's deadline. */
    static Lease bounded(Lease held, Operation operation, Instant now) {
        return held.noLongerThan(Duration.between(now, operation.leaseEnds()))
                .noLongerThan(Duration.between(now, operation.chargeBefore()));
    }

    private Claim claim(Connection connection, ClaimRequest request, Operation operation, Instant now, UnitOfWork changes)
            throws SQLException {
        if (!request.record.saysTheSameAs(Staging.record(operation))) {
            return new Claim.Refused(PoisonCause.DIFFERS_FROM_PAYMENT, "the record differs from the accepted payment");
        }
        if (operation.isHeldUnder(request.token)) {
            return repeated(connection, request, operation);
        }
        if (request.record.step() != operation.step() || !CLAIMABLE.contains(operation.state())) {
            return new Claim.Superseded();
        }
        if (now.isBefore(operation.notBefore())) {
            return new Claim.NotDue(Duration.between(now, operation.notBefore()));
        }
        if (now.isAfter(operation.chargeBefore())) {
            return expire(connection, operation, now, changes);
        }
        if (operation.tier() > 0 && request.topic.equals(topics.ofTier(operation.tier())) && holds.isTierPaused(operation.tier())) {
            return new Claim.NotDue(WHILE_PAUSED);
        }
        if (askFirst.keepsBack(operation, now)) {
            return park(operation, "psp_unasked", "a bank cannot be asked what it has, so it waits until CHARGEONCE_ASK_FIRST_UNTIL", now,
                    changes);
        }
        return switch (operation.kind()) {
            case CHARGE -> askedOrChosen(connection, request, operation, now, changes);
            case REFUND, REVERSAL -> switch (RefundTarget.find(connection, operation)) {
                case CAPTURED -> askedOrChosen(connection, request, operation, now, changes);
                case MAY_YET_BE_CAPTURED -> park(operation, "waits_for_payment", "its payment has not ended yet", now, changes);
                case NEVER_CAPTURED -> refuse(operation, "payment_not_captured", "there is nothing to give back", now, changes);
            };
            case RETURN -> new Claim.Superseded();
        };
    }

    private Claim askedOrChosen(Connection connection, ClaimRequest request, Operation operation, Instant now, UnitOfWork changes)
            throws SQLException {
        return askFirst.concerns(operation, now) ? afterAsking(connection, request, operation, now, changes)
                : choose(connection, request, operation, now, changes);
    }

    private Claim afterAsking(Connection connection, ClaimRequest request, Operation operation, Instant now, UnitOfWork changes)
            throws SQLException {
        if (request.asked.isEmpty()) {
            return new Claim.AskFirst(operation);
        }
        AskFirst.Asked asked = request.asked.get();
        if (asked.unanswered().isPresent()) {
            return park(operation, "psp_unasked", asked.unanswered().get(), now, changes);
        }
        return switch (ForgottenAttempt.among(connection, operation, asked.traces())) {
            case ForgottenAttempt.None none -> {
                List<String> silent = askFirst.silent(operation.capture().map(capture -> List.of(capture.psp()))
                        .orElseGet(() -> routing.routed(operation)));
                yield silent.isEmpty() ? choose(connection, request, operation, now, changes)
                        : park(operation, "psp_unasked", ("%s cannot be asked about a payment: record its report, then name it in "
                                + "CHARGEONCE_ASK_FIRST_COMPARED").formatted(String.join(", ", silent)), now, changes);
            }
            case ForgottenAttempt.Lost lost -> adopt(connection, request, operation, lost, now, changes);
            case ForgottenAttempt.Contradicts one -> captured(connection, operation, one, now, changes);
            case ForgottenAttempt.Foreign foreign -> bury(operation, "found_at_psp",
                    "%s has %s of this payment under a key that is none of its next attempts: look there whether it took the money"
                            .formatted(foreign.trace().psp(), foreign.trace().reference()),
                    changes);
        };
    }

    /** The PSP has the money of an attempt whose row says that it failed: as when its webhook comes late. */
    private Claim captured(Connection connection, Operation operation, ForgottenAttempt.Contradicts one, Instant now, UnitOfWork changes)
            throws SQLException {
        if (!one.trace().sameMoney()) {
            return bury(operation, "found_at_psp", "%s says that %s captured, and another amount than this payment's: look there"
                    .formatted(one.trace().psp(), one.trace().reference()), changes);
        }
        LateAnswers.take(connection, operation, one.trace().key().orElseThrow(), "found", new Outcome.Charged(one.trace().reference()), now,
                changes);
        return CLAIMABLE.contains(operation.state())
                ? bury(operation, "found_at_psp", "%s says that %s captured, and the rows have it as captured already: look there"
                        .formatted(one.trace().psp(), one.trace().reference()), changes)
                : new Claim.Ended(operation.state() == OperationState.DEAD);
    }

    /** The lost attempt is a row again, as after the death of the process that sent it. Its PSP tells what became of it. */
    private Claim adopt(Connection connection, ClaimRequest request, Operation operation, ForgottenAttempt.Lost lost, Instant now,
                        UnitOfWork changes)
            throws SQLException {
        Gateway gateway = routing.named(lost.trace().psp());
        if (operation.kind() == OperationKind.CHARGE && operation.tokens().at(gateway.psp()).isEmpty()) {
            return bury(operation, "found_at_psp", "%s has %s of this payment, and its payment method was detached since: look there"
                    .formatted(gateway.psp(), lost.trace().reference()), changes);
        }
        int missing = lost.sequence() - operation.sequence() - 1;
        operation.claimForgotten(request.token, gateway.psp(), lost.sequence(), now.plus(lease));
        Instant sent = lost.trace().at().isBefore(now) ? lost.trace().at() : now;
        Attempt attempt = Attempt.inFlight(operation, PspCalls.render(operation, gateway), now, sent.plus(gateway.keyLife()));
        changes.save(operation);
        changes.insert(attempt);
        changes.observe(Observation.of(attempt.key(), "found", new Outcome.Unknown(UnknownCause.STILL_PROCESSING,
                "the database had lost this attempt, and %d before it that failed".formatted(missing),
                Optional.of(lost.trace().reference()))));
        changes.audit("attempt-found", operation);
        SettlementLines.lookSoon(connection, attempt.psp(), attempt.key());
        return claimed(request, operation, attempt, Duration.ZERO);
    }

    /** A declined operation that could not be presented again in time stays declined. */
    private Claim expire(Connection connection, Operation operation, Instant now, UnitOfWork changes) throws SQLException {
        return changes.settledByItsDecline(connection, operation, now) ? new Claim.Ended(false)
                : bury(operation, "expired", "not charged before its deadline " + operation.chargeBefore(), changes);
    }

    /** How long ago the failure was after which it waited. */
    private Duration waited(Operation operation, Instant now) {
        Duration waited = operation.tier() == 0 ? Duration.ZERO
                : Duration.between(operation.notBefore().minus(schedule.delayOf(operation.tier())), now);
        return waited.isNegative() ? Duration.ZERO : waited;
    }

    private Claim choose(Connection connection, ClaimRequest request, Operation operation, Instant now, UnitOfWork changes)
            throws SQLException {
        if (routing.wasPspsFault(operation, waited(operation, now))) {
            operation.pardon();
        }
        Optional<Hold> merchantPaused = holds.ofMerchant(operation.accepted().merchant());
        if (merchantPaused.isPresent()) {
            return park(operation, FailureCause.MERCHANT_PAUSED.tag(), KnownHolds.words(merchantPaused.get()), now, changes);
        }
        if (operation.kind() == OperationKind.CHARGE && operation.tokens().areDetached()) {
            return refuse(operation, "payment_method_detached", "its payment method was detached before this attempt", now, changes);
        }
        List<String> candidates = routing.candidates(operation, ObservationTable.lastDecline(connection, operation).isPresent());
        if (candidates.isEmpty()) {
            return withoutRoute(operation, now, changes);
        }
        return switch (routing.choose(candidates)) {
            case Choice.At at -> operation.kind() == OperationKind.CHARGE || at.gateway().refunds().isPresent()
                    ? take(connection, request, operation, at.gateway(), now, changes)
                    : bury(operation, "psp_cannot_refund", at.gateway().psp() + " has no way to give money back", changes);
            case Choice.Later later -> waitForItsTurn(operation, candidates, later.pause(), now, changes);
            case Choice.NoneIsWell none -> park(operation, candidates, "breaker_open", "no PSP is well", now, changes);
            case Choice.Paused paused -> park(operation, candidates, FailureCause.PSP_PAUSED.tag(), holds.words(paused), now, changes);
            case Choice.NoneIsSetUp none -> park(operation, candidates, AbsentPsps.CAUSE, AbsentPsps.message(candidates), now, changes);
        };
    }

    /** While routes are changed, some processes have the new ones already. So it dies only after it has waited in every tier. */
    private Claim withoutRoute(Operation operation, Instant now, UnitOfWork changes) {
        String message = ("no PSP of its routes takes such a payment of %s: see CHARGEONCE_ROUTES, for which PSPs its payment method has "
                + "a token, and what Adyen takes as customer and payment_method").formatted(operation.accepted().request().money());
        boolean hasWaited = operation.tier() >= schedule.tiers().size() && operation.failureCause().equals(Optional.of(NO_ROUTE));
        return hasWaited ? bury(operation, NO_ROUTE, message, changes) : park(operation, NO_ROUTE, message, now, changes);
    }

    /** A waiting record takes room in its loop's buffer. So work that waits for long waits in a tier instead. */
    private Claim waitForItsTurn(Operation operation, List<String> psps, Duration pause, Instant now, UnitOfWork changes) {
        boolean comesSoon = pause.compareTo(LONGEST_TURN) < 0;
        if (comesSoon && now.isBefore(operation.notBefore().plus(LONGEST_TURN))) {
            return new Claim.NotDue(pause);
        }
        // If many wait for a PSP that takes some each second, the longest tier would be too long.
        RetryTier tier = comesSoon ? schedule.tiers().getFirst() : schedule.parkingTier(operation.progress());
        return park(operation, tier, psps, FailureCause.RATE_LIMITED.tag(), "its PSP takes no more for now", now, changes);
    }

    private Claim take(Connection connection, ClaimRequest request, Operation operation, Gateway gateway, Instant now, UnitOfWork changes)
            throws SQLException {
        Optional<String> refusal = RetryBudget.refusal(connection, operation, Decision.MOST_IN_30_DAYS);
        if (refusal.isPresent()) {
            return bury(operation, "retry_budget", refusal.get(), changes);
        }
        Duration waited = waited(operation, now);
        operation.claim(request.token, gateway.psp(), now.plus(lease));
        Attempt attempt = Attempt.inFlight(operation, PspCalls.render(operation, gateway), now, now.plus(gateway.keyLife()));
        changes.save(operation);
        changes.insert(attempt);
        return claimed(request, operation, attempt, waited);
    }

    /** The answer to our COMMIT was lost and we repeat the claim: the attempt is already ours. */
    private Claim repeated(Connection connection, ClaimRequest request, Operation operation) throws SQLException {
        Attempt attempt = AttemptTable.find(connection, List.of(operation.attemptKey().value())).getFirst();
        return claimed(request, operation, attempt, Duration.ZERO);
    }

    private Claim claimed(ClaimRequest request, Operation operation, Attempt attempt, Duration waited) {
        Optional<String> found = request.asked.stream().flatMap(asked -> asked.traces().stream())
                .filter(trace -> trace.key().equals(Optional.of(attempt.key()))).map(Traces.Trace::reference).findFirst();
        var call = PspCalls.of(operation, attempt, routing.named(attempt.psp()), found.isEmpty());
        return new Claim.Claimed(operation.id(), request.token, call.withReference(found), operation.progress(), waited, found);
    }

    private Claim park(Operation operation, String cause, String message, Instant now, UnitOfWork changes) {
        return park(operation, List.of(), cause, message, now, changes);
    }

    private Claim park(Operation operation, List<String> psps, String cause, String message, Instant now, UnitOfWork changes) {
        return park(operation, schedule.parkingTier(operation.progress()), psps, cause, message, now, changes);
    }

    private Claim park(Operation operation, RetryTier tier, List<String> psps, String cause, String message, Instant now,
                       UnitOfWork changes) {
        operation.parkIn(tier, psps, cause, message, now);
        changes.save(operation);
        changes.stage(Staging.work(topics, operation));
        return new Claim.Parked();
    }

    private Claim refuse(Operation operation, String code, String message, Instant now, UnitOfWork changes) {
        operation.settleDeclined(code, message, Optional.empty(), now);
        changes.settled(operation);
        return new Claim.Ended(false);
    }

    private Claim bury(Operation operation, String cause, String message, UnitOfWork changes) {
        changes.bury(operation, cause, message);
        return new Claim.Ended(true);
    }

    @Override
    public void close() {
        coalescer.close();
    }
}
