// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.Progress;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.RetryTier;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * One operation's row, read under its lock: what was accepted, and how far it has come. Its methods are the legal
 * moves; {@link OperationTable#save} writes the result. It belongs to one transaction and one thread.
 */
public final class Operation {

    /**
     * What was accepted. It never changes.
     *
     * @param ref         which refund or reversal of its payment it is; empty for the charge
     * @param traceparent the span that accepted it, if it is traced
     */
    public record Accepted(String operationId, PaymentId payment, OperationKind kind, String ref, String merchant,
            String idempotencyKey, PaymentRequest request, Instant at, Optional<String> traceparent) {}

    private final Accepted accepted;
    OperationState state;
    int step;
    int generation;
    int countedAttempts;
    int tier;
    int sequence;
    Optional<String> psp = Optional.empty();
    Optional<String> pspReference = Optional.empty();
    Optional<String> failureCause = Optional.empty();
    Optional<String> failureMessage = Optional.empty();
    Instant notBefore;
    Instant chargeBefore;
    Instant stagedAt;
    int swept;
    Optional<UUID> leaseToken = Optional.empty();
    Optional<Instant> resolveAt = Optional.empty();
    int resolveTries;
    Optional<Instant> unresolvedSince = Optional.empty();
    Optional<Instant> settledAt = Optional.empty();
    Optional<Capture> capture = Optional.empty();
    Optional<String> refusedBy = Optional.empty();
    int represented;
    Optional<Instant> representAt = Optional.empty();
    /** What {@link #seldomChanged} was in the table. */
    List<Object> seldomChangedAsRead = List.of();
    Optional<Capture> captureAsRead = Optional.empty();

    Operation(Accepted accepted) {
        this.accepted = accepted;
    }

    /** The columns that a payment which succeeds at once leaves as they are. */
    List<Object> seldomChanged() {
        return List.of(generation, countedAttempts, tier, failureCause, failureMessage, notBefore, chargeBefore, stagedAt, swept,
                resolveTries, unresolvedSince, refusedBy, represented, representAt);
    }

    public Accepted accepted() {
        return accepted;
    }

    public String id() {
        return accepted.operationId();
    }

    public OperationKind kind() {
        return accepted.kind();
    }

    public OperationState state() {
        return state;
    }

    public int step() {
        return step;
    }

    public int generation() {
        return generation;
    }

    public int sequence() {
        return sequence;
    }

    public Progress progress() {
        return new Progress(countedAttempts, tier);
    }

    public int tier() {
        return tier;
    }

    public Optional<String> psp() {
        return psp;
    }

    public Optional<String> pspReference() {
        return pspReference;
    }

    public Optional<String> failureCause() {
        return failureCause;
    }

    public Optional<String> failureMessage() {
        return failureMessage;
    }

    public Instant notBefore() {
        return notBefore;
    }

    public Instant chargeBefore() {
        return chargeBefore;
    }

    public Instant stagedAt() {
        return stagedAt;
    }

    public int swept() {
        return swept;
    }

    public int resolveTries() {
        return resolveTries;
    }

    public Optional<Instant> unresolvedSince() {
        return unresolvedSince;
    }

    public Optional<Instant> settledAt() {
        return settledAt;
    }

    /** The capture that this refund or reversal gives back, once it is known. */
    public Optional<Capture> capture() {
        return capture;
    }

    /** PSPs that said they do not do this payment. */
    public Set<String> refusedBy() {
        return refusedBy.map(text -> Arrays.stream(text.split(",")).collect(Collectors.toUnmodifiableSet())).orElse(Set.of());
    }

    /** How often a soft decline has been presented again. */
    public int represented() {
        return represented;
    }

    public Optional<Instant> representAt() {
        return representAt;
    }

    /** Whether its last attempt is open, so that the resolver watches it. A purge does not end that. */
    public boolean isWatched() {
        return resolveAt.isPresent();
    }

    /** Whether a worker or the resolver calls the PSP right now, as far as its lease says. */
    public boolean isLeased(Instant now) {
        return leaseToken.isPresent() && resolveAt.filter(now::isBefore).isPresent();
    }

    /** Whether a purge took it out for good: it can be restored no more, its outcome was told, and no attempt may move money yet. */
    public boolean isPurgedForGood() {
        return state == OperationState.PURGED && settledAt.isPresent() && !isWatched();
    }

    /** Whether it is one of those that the dead-letter queue shows: dead, or unresolved for long. */
    public boolean isListed() {
        return state == OperationState.DEAD || state == OperationState.UNRESOLVED;
    }

    /** The key of the attempt that was claimed last. */
    public PspKey attemptKey() {
        return PspKey.derive(accepted.payment(), accepted.kind().tag(), accepted.ref(),
                psp.orElseThrow(() -> new IllegalStateException("Bug! " + id() + " was never claimed")), sequence);
    }

    /** Until when whoever has claimed it holds it. */
    public Instant leaseEnds() {
        return resolveAt.orElseThrow(() -> new IllegalStateException("Bug! No lease holds " + id()));
    }

    public boolean isHeldUnder(UUID token) {
        return resolveAt.isPresent() && leaseToken.equals(Optional.of(token));
    }

    /** Takes the operation for a new attempt at this PSP. */
    public void claim(UUID token, String atPsp, Instant leaseUntil) {
        state = state.to(OperationState.PROCESSING);
        leaseToken = Optional.of(token);
        psp = Optional.of(atPsp);
        sequence++;
        resolveAt = Optional.of(leaseUntil);
        resolveTries = 0;
    }

    /** Its attempt has definitely failed: it is taken for the next one, at another PSP, without waiting in between. */
    public void failOver(UUID token, String toPsp, Instant leaseUntil) {
        if (state != OperationState.PROCESSING) {
            throw new IllegalStateException("Bug! %s fails over, but is %s".formatted(id(), state.tag()));
        }
        leaseToken = Optional.of(token);
        psp = Optional.of(toPsp);
        sequence++;
        resolveAt = Optional.of(leaseUntil);
        resolveTries = 0;
    }

    /** The failure that it waits after was its PSP's trouble, as turned out since: it is not counted. */
    public void pardon() {
        countedAttempts = Math.max(0, countedAttempts - 1);
    }

    /** Takes the operation for another question about its attempt. */
    public void claimForQuestion(UUID token, Instant now, Instant leaseUntil) {
        isUnknown(now);
        leaseToken = Optional.of(token);
        resolveAt = Optional.of(leaseUntil);
    }

    /** It is not known whether its attempt moved money. A purge ended the letter and not the question, so it stays purged. */
    private void isUnknown(Instant now) {
        state = state == OperationState.PURGED ? state : state.to(OperationState.UNRESOLVED);
        unresolvedSince = unresolvedSince.or(() -> Optional.of(now));
    }

    /** The payment to give back was captured here. */
    public void giveBack(Capture found) {
        capture = Optional.of(found);
    }

    /** An attempt succeeded after this operation had gone on without it, and no other attempt did. */
    public void settleLate(Capture found, Instant now) {
        psp = Optional.of(found.psp());
        settleSucceeded(found.reference(), now);
    }

    public void settleSucceeded(String reference, Instant now) {
        moveOn(OperationState.SUCCEEDED);
        pspReference = Optional.of(ForeignText.storable(reference));
        failureCause = Optional.empty();
        failureMessage = Optional.empty();
        settledAt = Optional.of(now);
    }

    /**
     * The PSP names what was moved otherwise than a person did.
     *
     * @return false if this operation did not end with what that person named, and nothing changed
     */
    public boolean correctReference(String named, String byThePsp) {
        if (state != OperationState.SUCCEEDED || !pspReference.equals(Optional.of(named))) {
            return false;
        }
        pspReference = Optional.of(ForeignText.storable(byThePsp));
        return true;
    }

    public void settleDeclined(String code, String message, Optional<String> reference, Instant now) {
        moveOn(OperationState.DECLINED);
        pspReference = reference.map(ForeignText::storable);
        remember(code, message);
        settledAt = Optional.of(now);
    }

    /** This PSP does not do such payments: none of this operation's attempts goes there again. */
    public void neverAgainAt(String refusing) {
        refusedBy = Optional.of(refusedBy.map(others -> others + "," + refusing).orElse(refusing));
    }

    /** A soft decline, presented again at that time; until then it waits in this table alone, in no tier. */
    public void presentAgain(Instant at, Duration deadline, String code, String message, Instant now) {
        moveOn(OperationState.SCHEDULED);
        remember(code, message);
        tier = 0;
        represented++;
        representAt = Optional.of(at);
        notBefore = at;
        chargeBefore = at.plus(deadline);
        stagedAt = now;
    }

    /** Its next presentation is staged for the main topic. */
    public void stagePresentation(Instant now) {
        representAt = Optional.empty();
        stagedAt = now;
    }

    /** Waits in a tier for its next counted attempt. */
    public void retryIn(RetryTier next, String cause, String message, Instant now) {
        waitIn(OperationState.SCHEDULED, next, now);
        countedAttempts++;
        remember(cause, message);
    }

    /** Waits in a tier for a PSP to be well; nothing is counted. */
    public void parkIn(RetryTier next, String cause, String message, Instant now) {
        waitIn(OperationState.PARKED, next, now);
        remember(cause, message);
    }

    /** Whether it waits in a tier. A declined card that waits for its next presentation is in none. */
    public boolean waitsInATier() {
        return (state == OperationState.SCHEDULED || state == OperationState.PARKED) && representAt.isEmpty();
    }

    /** Its wait is over now. The step stays: its record in the tier and the one that is staged now say the same, and one is claimed. */
    public void endWait(Instant now) {
        if (!waitsInATier()) {
            throw new IllegalStateException("Bug! %s is %s and waits in no tier".formatted(id(), state.tag()));
        }
        notBefore = now;
        stagedAt = now;
    }

    private void waitIn(OperationState waiting, RetryTier next, Instant now) {
        moveOn(waiting);
        tier = next.number();
        notBefore = now.plus(next.delay());
        stagedAt = now;
    }

    /** Nobody knows whether the attempt moved money: asked again after {@code pause}. */
    public void leaveUnresolved(String cause, String message, Instant now, Duration pause) {
        isUnknown(now);
        leaseToken = Optional.empty();
        resolveAt = Optional.of(now.plus(pause));
        resolveTries++;
        remember(cause, message);
    }

    /** No process can ask about its attempt now. It stays due, so that the first one that can does. */
    public void leaveUnasked(String cause, String message, Instant now) {
        isUnknown(now);
        leaseToken = Optional.empty();
        remember(cause, message);
    }

    /**
     * Has the resolver ask about the open attempt at once.
     *
     * @return false if it is asking right now, and nothing changed
     */
    public boolean askNow(Instant now) {
        if (isLeased(now)) {
            return false;
        }
        isUnknown(now);
        leaseToken = Optional.empty();
        resolveAt = Optional.of(now);
        return true;
    }

    /** An earlier attempt moved money while the last one is open. Even if it had ended, it is unresolved until the last one is known. */
    public void reopen(Instant now) {
        state = state.to(OperationState.UNRESOLVED);
        settledAt = Optional.empty();
        askNow(now);
    }

    public void bury(String cause, String message) {
        moveOn(OperationState.DEAD);
        remember(cause, message);
    }

    /** Back to the front of the pipeline, with a fresh schedule and a deadline of its own; attempts keep counting up. */
    public void reenter(Instant now, Duration deadline) {
        moveOn(OperationState.ACCEPTED);
        generation++;
        countedAttempts = 0;
        tier = 0;
        notBefore = now;
        stagedAt = now;
        chargeBefore = now.plus(deadline);
        // A person decided: PSPs that refused it before may have been set up for it since.
        refusedBy = Optional.empty();
    }

    /** Out of the queue, from now on. Its open attempt is asked about as before, and what a person found out about that attempt stays valid. */
    public void purge(Instant now) {
        stagedAt = now;
        if (isWatched()) {
            state = state.to(OperationState.PURGED);
        } else {
            moveOn(OperationState.PURGED);
        }
    }

    /** The attempt that was open when it was purged moved no money: nothing is asked any more. */
    public void endQuestion() {
        if (state != OperationState.PURGED) {
            throw new IllegalStateException("Bug! %s is %s, and no question of it just ends".formatted(id(), state.tag()));
        }
        forgetQuestion();
    }

    /** A purge can be undone no more. */
    public void endPurge(Instant now) {
        if (state != OperationState.PURGED || settledAt.isPresent()) {
            throw new IllegalStateException("Bug! No purge of " + id() + " can end: it is " + state.tag());
        }
        settledAt = Optional.of(now);
    }

    /** A purge is undone: it is what it was, unresolved while its attempt is asked about. */
    public void restore() {
        if (isWatched()) {
            state = state.to(OperationState.UNRESOLVED);
        } else {
            moveOn(OperationState.DEAD);
        }
    }

    /** The same step is staged once more, because Kafka lost it. */
    public void stageAgain(Instant now) {
        swept++;
        stagedAt = now;
    }

    private void moveOn(OperationState next) {
        state = state.to(next);
        step++;
        swept = 0;
        representAt = Optional.empty();
        forgetQuestion();
    }

    private void forgetQuestion() {
        leaseToken = Optional.empty();
        resolveAt = Optional.empty();
        resolveTries = 0;
        unresolvedSince = Optional.empty();
    }

    private void remember(String cause, String message) {
        failureCause = Optional.of(ForeignText.storable(cause));
        failureMessage = Optional.of(ForeignText.brief(message));
    }
}
