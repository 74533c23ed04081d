// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.RetryTier;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * One operation's row, read under its lock: what was accepted, and its state. Its methods are the legal moves; {@link OperationTable#save}
 * writes the result. It belongs to one transaction and one thread.
 */
public final class Operation extends OperationRow {

    /**
     * What was accepted. It never changes.
     *
     * @param ref         which refund or reversal of its payment it is; empty for the charge
     * @param traceparent the span that accepted it, if it is traced
     */
    public record Accepted(String operationId, PaymentId payment, OperationKind kind, String ref, String merchant,
            String idempotencyKey, PaymentRequest request, Instant at, Optional<String> traceparent) {

        /** Whether what a PSP made at this time may be of it, and not of another payment that had its key before. */
        public boolean mayHaveMade(Instant then) {
            return !then.isBefore(at.minus(IdempotencyKey.SHORTEST_RETENTION));
        }

        /** Its id in the ids of events, with its life: after a key was forgotten, another payment under it has the same operation id. */
        String eventSubject() {
            return operationId + "/" + Math.floorDiv(at.getEpochSecond(), IdempotencyKey.SHORTEST_RETENTION.toSeconds());
        }
    }

    Operation(Accepted accepted) {
        super(accepted);
    }

    /** Claims the operation for a new attempt at this PSP. */
    public void claim(UUID token, String atPsp, Instant leaseUntil) {
        state = state.to(OperationState.PROCESSING);
        leaseToken = Optional.of(token);
        psp = Optional.of(atPsp);
        sequence++;
        resolveAt = Optional.of(leaseUntil);
        resolveTries = 0;
    }

    /** Claims the operation for an attempt that its PSP has and the database has lost. */
    public void claimForgotten(UUID token, String atPsp, int number, Instant leaseUntil) {
        if (number <= sequence) {
            throw new IllegalArgumentException("Bug! Attempt %d of %s cannot follow attempt %d".formatted(number, id(), sequence));
        }
        sequence = number - 1;
        claim(token, atPsp, leaseUntil);
    }

    /** Its attempt has definitely failed. Claims it for the next attempt, at another PSP, at once. */
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

    /** Its attempt was declined, and the one that it was just claimed for presents the card again. */
    public void countPresentation() {
        represented++;
    }

    /** The failure that it waits after turned out to be its PSP's fault, so it is not counted. */
    public void pardon() {
        countedAttempts = Math.max(0, countedAttempts - 1);
    }

    /** Claims the operation for another status query about its attempt. */
    public void claimForStatusQuery(UUID token, Instant now, Instant leaseUntil) {
        isUnknown(now);
        leaseToken = Optional.of(token);
        resolveAt = Optional.of(leaseUntil);
    }

    /** Whether its attempt moved money is unknown. A purge ends the letter but not the status query, so a purged operation stays purged. */
    private void isUnknown(Instant now) {
        state = state == OperationState.PURGED ? state : state.to(OperationState.UNRESOLVED);
        unresolvedSince = unresolvedSince.or(() -> Optional.of(now));
    }

    /** The capture of the payment to give back. */
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

    /** The PSP takes its success back: the money did not reach the customer. Only what gives back can fail so. */
    public void failAfterSuccess(String message, Instant now) {
        if (kind() == OperationKind.CHARGE) {
            throw new IllegalStateException("Bug! The charge " + id() + " cannot fail after its success");
        }
        moveOn(OperationState.FAILED);
        remember(FailureCause.REFUND_FAILED.tag(), message);
        settledAt = Optional.of(now);
    }

    /**
     * The PSP reports another reference for the money than a person did.
     *
     * @return false if this operation did not end with the person's reference, and nothing changed
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

    /** This PSP refuses such payments: no further attempt of this operation goes there. */
    public void neverAgainAt(String refusing) {
        refusedBy = Optional.of(refusedBy.map(others -> others + "," + refusing).orElse(refusing));
    }

    /** A soft decline that is presented again at that time. Until then it waits only in this table, in no tier. */
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

    /**
     * Waits in a tier until a PSP is well; nothing is counted.
     *
     * @param psps those that it waits for; none if that is the PSP of its last attempt, or no PSP
     */
    public void parkIn(RetryTier next, List<String> psps, String cause, String message, Instant now) {
        waitIn(OperationState.PARKED, next, now);
        awaited = psps.isEmpty() ? Optional.empty() : Optional.of(String.join(",", psps));
        remember(cause, message);
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
        awaited = Optional.empty();
    }

    /** Whether the attempt moved money is unknown; the resolver asks again after {@code pause}. */
    public void leaveUnresolved(String cause, String message, Instant now, Duration pause) {
        isUnknown(now);
        leaseToken = Optional.empty();
        resolveAt = Optional.of(now.plus(pause));
        resolveTries++;
        remember(cause, message);
    }

    /** No process can ask about its attempt now. The status query stays due, so that the first process that can ask does. */
    public void leaveUnasked(String cause, String message, Instant now) {
        isUnknown(now);
        leaseToken = Optional.empty();
        remember(cause, message);
    }

    /**
     * Makes the resolver ask about the open attempt at once.
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

    /**
     * An earlier attempt moved money while the last one is open. Even if the operation had ended, it is unresolved until the outcome of the
     * last one is known.
     */
    public void reopen(Instant now) {
        state = state.to(OperationState.UNRESOLVED);
        settledAt = Optional.empty();
        askNow(now);
    }

    public void bury(String cause, String message) {
        moveOn(OperationState.DEAD);
        remember(cause, message);
    }

    /** Back to the start of the pipeline, with a new schedule and a new deadline; attempts keep counting up. */
    public void reenter(Instant now, Duration deadline) {
        moveOn(OperationState.ACCEPTED);
        generation++;
        countedAttempts = 0;
        tier = 0;
        notBefore = now;
        stagedAt = now;
        chargeBefore = now.plus(deadline);
        // A person decided this, and PSPs that refused it before may have been set up for it since.
        refusedBy = Optional.empty();
    }

    /** Leaves the queue now. The resolver still asks about its open attempt, and a person's finding about that attempt stays valid. */
    public void purge(Instant now) {
        stagedAt = now;
        if (isWatched()) {
            state = state.to(OperationState.PURGED);
        } else {
            moveOn(OperationState.PURGED);
        }
    }

    /** The attempt that was open at the purge moved no money, so no status query remains. */
    public void endStatusQueries() {
        if (state != OperationState.PURGED) {
            throw new IllegalStateException("Bug! %s is %s, so a status query about it cannot just end".formatted(id(), state.tag()));
        }
        forgetStatusQuery();
    }

    /** No attempt has moved money. It ends now, or its cancel, which {@code cancel_charge} has decided, is published now. */
    public void cancel(Instant now) {
        if (cancelRequestedAt.isEmpty() || settledAt.isPresent() && state == OperationState.CANCELED) {
            throw new IllegalStateException("Bug! No cancel of %s, which is %s, is due".formatted(id(), state.tag()));
        }
        if (state != OperationState.CANCELED) {
            moveOn(OperationState.CANCELED);
        }
        settledAt = Optional.of(now);
    }

    /** Another attempt of it may be lost. Its next claim queries the PSPs, and cancels it unless one of them has such an attempt. */
    public void queryBeforeCancel(Instant now) {
        if (!isCanceling()) {
            throw new IllegalStateException("Bug! No cancel of " + id() + " was requested");
        }
        claimNext(now);
    }

    /**
     * It was declined, and another attempt of it may be lost, which counts as a presentation. Its next claim queries the PSPs, and settles
     * it by its decline unless one of them has such an attempt.
     */
    public void queryBeforeDecline(Instant now) {
        represented++;
        claimNext(now);
        endByDecline();
    }

    /** It is presented no more. Its next claim settles it by its decline. */
    public void endByDecline() {
        remember(DECLINE_UNVERIFIED, "declined; that is final unless a PSP turns out to have another attempt of it");
    }

    private void claimNext(Instant now) {
        moveOn(OperationState.SCHEDULED);
        tier = 0;
        notBefore = now;
        representAt = Optional.of(now);
        stagedAt = now;
    }

    /** The purge can no longer be undone, and no attempt may still move money. */
    public void endPurge(Instant now) {
        if (state != OperationState.PURGED || settledAt.isPresent() || isWatched()) {
            throw new IllegalStateException("Bug! The purge of " + id() + " cannot end: it is " + state.tag());
        }
        settledAt = Optional.of(now);
    }

    /** Undoes a purge. The operation is dead again, or unresolved while the resolver asks about its attempt. */
    public void restore() {
        if (isWatched()) {
            state = state.to(OperationState.UNRESOLVED);
        } else {
            moveOn(OperationState.DEAD);
        }
    }

    /** The same step is staged once more, because Kafka lost its record. */
    public void stageAgain(Instant now) {
        swept++;
        stagedAt = now;
    }

    private void moveOn(OperationState next) {
        state = state.to(next);
        step++;
        swept = 0;
        representAt = Optional.empty();
        forgetStatusQuery();
    }

    private void forgetStatusQuery() {
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
