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
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.RetryTier;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Gateways.Choice;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.Traces;
import io.chargeonce.settlement.SettlementLines;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.PoisonCause;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
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
    static final Set<OperationState> CLAIMABLE =
            EnumSet.of(OperationState.ACCEPTED, OperationState.SCHEDULED, OperationState.PARKED);

    private final Database database;
    private final Routing routing;
    private final KnownHolds holds;
    private final AskFirst askFirst;
    private final RetrySchedule schedule;
    private final Topics topics;
    private final Duration lease;
    private final boolean ourReceipts;
    private final MeterRegistry meters;
    private final Coalescer<ClaimRequest, Claim> coalescer;

    /** @param ourReceipts whether we send customers the receipts of successes: what is asked first may be found to be one */
    Claims(Database database, Routing routing, KnownHolds holds, AskFirst askFirst, RetrySchedule schedule, Topics topics, Duration lease,
           boolean ourReceipts, Runnable committed, MeterRegistry meters) {
        this.database = database;
        this.routing = routing;
        this.holds = holds;
        this.askFirst = askFirst;
        this.schedule = schedule;
        this.topics = topics;
        this.lease = lease;
        this.ourReceipts = ourReceipts;
        this.meters = meters;
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
        return DatabaseRetry
                .insist(() -> database.inTransaction(connection -> SetBack.claim(connection, record, digest, schedule, topics)));
    }

    private List<Claim> claimAll(Connection connection, List<ClaimRequest> requests) throws SQLException {
        Lease held = Lease.of(lease);
        var locked = OperationTable.lock(connection, requests.stream().map(request -> request.record.operationId()).toList());
        StoredTokens.read(connection, locked.rows().values());
        holds.refreshIfOld(connection);
        var changes = UnitOfWork.ofAnswers(connection, locked.now(), topics, ourReceipts, meters);
        var claims = new ArrayList<Claim>();
        for (ClaimRequest request : requests) {
            Operation operation = locked.rows().get(request.record.operationId());
            claims.add(operation == null
                    ? UnknownPayment.refused(connection, request.record, request.at)
                    : during(held, operation, locked.now(), new LockedOperation(request, operation, changes).claim()));
        }
        changes.write();
        return claims;
    }

    private static Claim during(Lease held, Operation operation, Instant now, Claim claim) {
        return claim instanceof Claim.Claimed claimed ? claimed.during(Claim.bounded(held, operation, now)) : claim;
    }

    /** One request with its operation, which this transaction has locked. */
    private final class LockedOperation {

        private final ClaimRequest request;
        private final Operation operation;
        private final UnitOfWork changes;
        private final Instant now;

        LockedOperation(ClaimRequest request, Operation operation, UnitOfWork changes) {
            this.request = request;
            this.operation = operation;
            this.changes = changes;
            this.now = changes.now();
        }

        Claim claim() throws SQLException {
            if (!request.record.saysTheSameAs(Staging.record(operation))) {
                return new Claim.Refused(PoisonCause.DIFFERS_FROM_PAYMENT, "the record differs from the accepted payment");
            }
            if (operation.isHeldUnder(request.token)) {
                return repeated();
            }
            if (request.record.step() != operation.step() || !CLAIMABLE.contains(operation.state())) {
                return new Claim.Superseded();
            }
            if (now.isBefore(operation.notBefore())) {
                return new Claim.NotDue(Duration.between(now, operation.notBefore()));
            }
            if (isOver() && !askFirst.concerns(now)) {
                return expire();
            }
            if (operation.tier() > 0 && request.topic.equals(topics.ofTier(operation.tier())) && holds.isTierPaused(operation.tier())) {
                return new Claim.NotDue(WHILE_PAUSED);
            }
            if (askFirst.keepsBack(operation, now)) {
                return parkUnqueried("a bank cannot be asked what it has, so it waits until CHARGEONCE_ASK_FIRST_UNTIL");
            }
            return switch (operation.kind()) {
                case CHARGE -> askedOrChosen();
                case REFUND, REVERSAL -> switch (RefundTarget.find(changes.connection(), operation)) {
                    case CAPTURED -> askedOrChosen();
                    case MAY_YET_BE_CAPTURED -> park("waits_for_payment", "its payment has not ended yet");
                    case DISPUTED -> refuse("payment_disputed", "a dispute has taken the money");
                    case NEVER_CAPTURED -> refuse("payment_not_captured", "there is nothing to give back");
                };
                case RETURN -> new Claim.Superseded();
            };
        }

        private Claim askedOrChosen() throws SQLException {
            return askFirst.concerns(now) ? afterAsking() : nothingWasLost();
        }

        private Claim afterAsking() throws SQLException {
            if (request.asked.isEmpty()) {
                return new Claim.AskFirst(operation);
            }
            AskFirst.Asked asked = request.asked.get();
            if (asked.unanswered().isPresent()) {
                return parkUnqueried(asked.unanswered().get());
            }
            return switch (ForgottenAttempt.among(changes.connection(), operation, asked.traces())) {
                case ForgottenAttempt.None none -> {
                    List<String> silent = askFirst.silent(operation.capture().map(capture -> List.of(capture.psp()))
                            .orElseGet(() -> routing.mayHaveIt(operation)));
                    yield silent.isEmpty() ? nothingWasLost() : parkUnqueried(("%s cannot be asked about a payment: record its report, "
                            + "then name it in CHARGEONCE_ASK_FIRST_COMPARED").formatted(String.join(", ", silent)));
                }
                case ForgottenAttempt.Lost lost -> adopt(lost);
                case ForgottenAttempt.Contradicts one -> captured(one);
                case ForgottenAttempt.Foreign foreign -> bury("found_at_psp",
                        "%s has %s of this payment under a key that is none of its next attempts: look there whether it took the money"
                                .formatted(foreign.trace().psp(), foreign.trace().reference()));
            };
        }

        private Claim nothingWasLost() throws SQLException {
            boolean ends = operation.endsByDecline() && !operation.isCanceling() && changes.settledByItsDecline(operation);
            return ends ? new Claim.Ended(false) : isOver() ? expire() : choose();
        }

        private boolean isOver() {
            return now.isAfter(operation.chargeBefore()) && !operation.isCanceling();
        }

        /** The PSP has the money of an attempt whose row says that it failed: as when its webhook comes late. */
        private Claim captured(ForgottenAttempt.Contradicts one) throws SQLException {
            if (!one.trace().sameMoney()) {
                return bury("found_at_psp", "%s says that %s captured, and another amount than this payment's: look there"
                        .formatted(one.trace().psp(), one.trace().reference()));
            }
            var charged = new Outcome.Charged(one.trace().reference());
            new LateAnswers(changes, operation).take(one.trace().key().orElseThrow(), "found", charged);
            return CLAIMABLE.contains(operation.state())
                    ? bury("found_at_psp", "%s says that %s captured, and the rows have it as captured already: look there"
                            .formatted(one.trace().psp(), one.trace().reference()))
                    : new Claim.Ended(operation.state() == OperationState.DEAD);
        }

        /** The lost attempt is a row again, as after the death of the process that sent it. Its PSP tells what became of it. */
        private Claim adopt(ForgottenAttempt.Lost lost) throws SQLException {
            Gateway gateway = routing.named(lost.trace().psp());
            if (operation.kind() == OperationKind.CHARGE && operation.tokens().at(gateway.psp()).isEmpty()) {
                return bury("found_at_psp", "%s has %s of this payment, and its payment method was detached since: look there"
                        .formatted(gateway.psp(), lost.trace().reference()));
            }
            int missing = lost.sequence() - operation.sequence() - 1;
            operation.claimForgotten(request.token, gateway.psp(), lost.sequence(), now.plus(lease));
            Instant sent = lost.trace().at().isBefore(now) ? lost.trace().at() : now;
            Attempt attempt = PspCalls.attempt(operation, gateway, now, sent);
            changes.save(operation);
            changes.insert(attempt);
            changes.observe(Observation.of(attempt.key(), "found", new Outcome.Unknown(UnknownCause.STILL_PROCESSING,
                    "the database had lost this attempt, and %d before it that failed".formatted(missing),
                    Optional.of(lost.trace().reference()))));
            changes.audit("attempt-found", operation);
            SettlementLines.lookSoon(changes.connection(), attempt.psp(), attempt.key());
            return claimed(attempt, Duration.ZERO);
        }

        /** A declined operation that could not be presented again in time stays declined. */
        private Claim expire() throws SQLException {
            return changes.settledByItsDecline(operation) ? new Claim.Ended(false)
                    : bury("expired", "not charged before its deadline " + operation.chargeBefore());
        }

        /** How long ago the failure was after which it waited. */
        private Duration waited() {
            Duration waited = operation.tier() == 0 ? Duration.ZERO
                    : Duration.between(operation.notBefore().minus(schedule.delayOf(operation.tier())), now);
            return waited.isNegative() ? Duration.ZERO : waited;
        }

        private Claim choose() throws SQLException {
            if (operation.isCanceling()) {
                operation.cancel(now);
                return settled();
            }
            if (routing.wasPspsFault(operation, waited())) {
                operation.pardon();
            }
            Optional<Hold> merchantPaused = holds.ofMerchant(operation.accepted().merchant());
            if (merchantPaused.isPresent()) {
                return park(FailureCause.MERCHANT_PAUSED.tag(), KnownHolds.words(merchantPaused.get()));
            }
            if (operation.kind() == OperationKind.CHARGE && operation.tokens().areDetached()) {
                return refuse("payment_method_detached", "its payment method was detached before this attempt");
            }
            boolean wasDeclined = ObservationTable.lastDecline(changes.connection(), operation).isPresent();
            List<String> candidates = routing.candidates(operation, wasDeclined);
            if (candidates.isEmpty()) {
                return withoutRoute();
            }
            return switch (routing.choose(candidates)) {
                case Choice.At at -> operation.kind() == OperationKind.CHARGE || PspCalls.said(at.gateway(), Gateway::refunds).isPresent()
                        ? take(at.gateway())
                        : bury("psp_cannot_refund", at.gateway().psp() + " has no way to give money back");
                case Choice.Later later -> waitForItsTurn(candidates, later.pause());
                case Choice.NoneIsWell none -> park(candidates, "breaker_open", "no PSP is well");
                case Choice.Paused paused -> park(candidates, FailureCause.PSP_PAUSED.tag(), holds.words(paused));
                case Choice.NoneIsSetUp none -> park(candidates, AbsentPsps.CAUSE, AbsentPsps.message(candidates));
            };
        }

        /** While routes are changed, some processes have the new ones already. So it dies only after it has waited in every tier. */
        private Claim withoutRoute() throws SQLException {
            String message = ("no PSP of its routes takes such a payment of %s: see CHARGEONCE_ROUTES (a raw token has one PSP), "
                    + "which PSPs have its method, and what they take as customer and method")
                    .formatted(operation.accepted().request().money());
            boolean hasWaited = operation.tier() >= schedule.tiers().size() && operation.failureCause().equals(Optional.of(NO_ROUTE));
            return !hasWaited ? park(NO_ROUTE, message)
                    : changes.settledByTheDeclineElsewhere(operation) ? new Claim.Ended(false) : bury(NO_ROUTE, message);
        }

        /** A waiting record takes room in its loop's buffer. So work that waits for long waits in a tier instead. */
        private Claim waitForItsTurn(List<String> psps, Duration pause) {
            boolean comesSoon = pause.compareTo(LONGEST_TURN) < 0;
            if (comesSoon && now.isBefore(operation.notBefore().plus(LONGEST_TURN))) {
                return new Claim.NotDue(pause);
            }
            // If many wait for a PSP that takes some each second, the longest tier would be too long.
            RetryTier tier = comesSoon ? schedule.tiers().getFirst() : schedule.parkingTier(operation.progress());
            return park(tier, psps, FailureCause.RATE_LIMITED.tag(), "its PSP takes no more for now");
        }

        private Claim take(Gateway gateway) throws SQLException {
            Optional<String> refusal = RetryBudget.refusal(changes.connection(), operation, Decision.MOST_IN_30_DAYS);
            if (refusal.isPresent()) {
                return bury("retry_budget", refusal.get());
            }
            Duration waited = waited();
            operation.claim(request.token, gateway.psp(), now.plus(lease));
            Attempt attempt = PspCalls.attempt(operation, gateway, now, now);
            changes.save(operation);
            changes.insert(attempt);
            return claimed(attempt, waited);
        }

        /** The answer to our COMMIT was lost and we repeat the claim: the attempt is already ours. */
        private Claim repeated() throws SQLException {
            Attempt attempt = AttemptTable.find(changes.connection(), List.of(operation.attemptKey().value())).getFirst();
            return claimed(attempt, Duration.ZERO);
        }

        private Claim claimed(Attempt attempt, Duration waited) {
            Optional<String> found = request.asked.stream().flatMap(asked -> asked.traces().stream())
                    .filter(trace -> trace.key().equals(Optional.of(attempt.key()))).map(Traces.Trace::reference).findFirst();
            var call = PspCalls.of(operation, attempt, routing.named(attempt.psp()), found.isEmpty());
            return new Claim.Claimed(operation.accepted(), request.token, call.withReference(found), operation.progress(), waited, found);
        }

        private Claim parkUnqueried(String message) {
            return park(operation.causeToWaitWith("psp_not_queried"), message);
        }

        private Claim park(String cause, String message) {
            return park(List.of(), cause, message);
        }

        private Claim park(List<String> psps, String cause, String message) {
            return park(schedule.parkingTier(operation.progress()), psps, cause, message);
        }

        private Claim park(RetryTier tier, List<String> psps, String cause, String message) {
            operation.parkIn(tier, psps, cause, message, now);
            changes.save(operation);
            changes.stageWork(operation);
            return new Claim.Parked();
        }

        private Claim refuse(String code, String message) {
            operation.settleDeclined(code, message, Optional.empty(), now);
            return settled();
        }

        private Claim settled() {
            changes.settled(operation);
            return new Claim.Ended(false);
        }

        private Claim bury(String cause, String message) {
            changes.bury(operation, cause, message);
            return new Claim.Ended(true);
        }
    }

    @Override
    public void close() {
        coalescer.close();
    }
}
