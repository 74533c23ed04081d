// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.Progress;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.method.PaymentMethodId;
import io.chargeonce.payment.method.PspToken;
import io.chargeonce.payment.method.PspTokens;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** What an operation's row says: what was accepted, and its state. {@link Operation} has the moves. */
public abstract sealed class OperationRow permits Operation {

    /** The cause of what {@link #endsByDecline()}. */
    public static final String DECLINE_UNVERIFIED = "decline_unverified";

    private final Operation.Accepted accepted;
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
    /** Only {@code cancel_charge} writes it, in the database. */
    Optional<Instant> cancelRequestedAt = Optional.empty();
    Optional<Capture> capture = Optional.empty();
    Optional<String> refusedBy = Optional.empty();
    Optional<String> awaited = Optional.empty();
    int represented;
    Optional<Instant> representAt = Optional.empty();
    private Optional<PspTokens> tokens = Optional.empty();
    /** {@link #seldomChanged} as read from the table. */
    List<Object> seldomChangedAsRead = List.of();
    Optional<Capture> captureAsRead = Optional.empty();

    OperationRow(Operation.Accepted accepted) {
        this.accepted = accepted;
    }

    /** The columns that a payment that succeeds at once never changes. */
    List<Object> seldomChanged() {
        return List.of(generation, countedAttempts, tier, failureCause, failureMessage, notBefore, chargeBefore, stagedAt, swept,
                resolveTries, unresolvedSince, refusedBy, awaited, represented, representAt);
    }

    public Operation.Accepted accepted() {
        return accepted;
    }

    public String id() {
        return accepted.operationId();
    }

    public OperationKind kind() {
        return accepted.kind();
    }

    /** Its payment method's tokens, as this transaction has read them. */
    public void readTokens(PspTokens found) {
        tokens = Optional.of(found);
    }

    /** The tokens of its payment method. Those of a stored one must have been read in this transaction. */
    public PspTokens tokens() {
        PaymentRequest request = accepted.request();
        if (tokens.isEmpty() && PaymentMethodId.isMeantBy(request.paymentMethod())) {
            throw new IllegalStateException("Bug! This transaction has not read the tokens of " + id());
        }
        return tokens.orElseGet(() -> PspTokens.raw(request));
    }

    /** The token for a PSP that was chosen because it has one. */
    public PspToken tokenAt(String chosen) {
        return tokens().at(chosen).orElseThrow(() -> new IllegalStateException("Bug! %s has no token for %s".formatted(chosen, id())));
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

    /** Attempts of this generation that reached a PSP and definitely failed, as the schedule counts them. */
    public int countedAttempts() {
        return countedAttempts;
    }

    /** When its lease ends or the next status query is due; empty if no attempt is open. */
    public Optional<Instant> resolveAt() {
        return resolveAt;
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

    /** When its merchant or a person requested its cancel. From then on no attempt begins, and no status query executes one. */
    public Optional<Instant> cancelRequestedAt() {
        return cancelRequestedAt;
    }

    /** Whether it is canceled as soon as it is known that no attempt moved money. */
    public boolean isCanceling() {
        return cancelRequestedAt.isPresent() && (isWatched() || state.next().contains(OperationState.PROCESSING));
    }

    /** Whether a PSP has something of it that no attempt explains, so that only a person can say whether it was charged. */
    public boolean isFoundAtPsp() {
        return (state == OperationState.DEAD || state == OperationState.PURGED) && failureCause.equals(Optional.of("found_at_psp"));
    }

    /** Whether its next claim settles it by its decline, unless a PSP has an attempt that these rows have lost. */
    public boolean endsByDecline() {
        return failureCause.equals(Optional.of(DECLINE_UNVERIFIED));
    }

    /** The cause that it waits with from now on: the end by its decline is not forgotten. */
    public String causeToWaitWith(String cause) {
        return endsByDecline() ? DECLINE_UNVERIFIED : cause;
    }

    /** The capture that this refund or reversal gives back, once it is known. */
    public Optional<Capture> capture() {
        return capture;
    }

    /** PSPs that refused this kind of payment. */
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

    /** Whether a worker or the resolver may be calling the PSP right now, according to its lease. */
    public boolean isLeased(Instant now) {
        return leaseToken.isPresent() && resolveAt.filter(now::isBefore).isPresent();
    }

    /** Whether its purge is final: it can no longer be restored, its outcome was published, and no attempt may still move money. */
    public boolean isPurgedForGood() {
        return state == OperationState.PURGED && settledAt.isPresent() && !isWatched();
    }

    /** Whether the dead-letter queue shows it: dead, or unresolved for long. */
    public boolean isListed() {
        return state == OperationState.DEAD || state == OperationState.UNRESOLVED;
    }

    /** The key of the last claimed attempt. */
    public PspKey attemptKey() {
        return PspKey.derive(accepted.payment(), accepted.kind().tag(), accepted.ref(),
                psp.orElseThrow(() -> new IllegalStateException("Bug! " + id() + " was never claimed")), sequence);
    }

    /** When the current lease expires. */
    public Instant leaseEnds() {
        return resolveAt.orElseThrow(() -> new IllegalStateException("Bug! No lease holds " + id()));
    }

    public boolean isHeldUnder(UUID token) {
        return resolveAt.isPresent() && leaseToken.equals(Optional.of(token));
    }

    /** Whether it waits in a tier. A declined card that waits for its next presentation is in none. */
    public boolean waitsInATier() {
        return (state == OperationState.SCHEDULED || state == OperationState.PARKED) && representAt.isEmpty();
    }
}
