// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.ClientCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All that is kept about one operation while the evidence is read (a payment's charge, a refund or a reversal): what its row
 * says, and what the attempts, topics, ledgers and clients say in as few words as the checks need. About 280 bytes each. For one thread.
 */
final class CheckedPayment {

    /** A staging in a retry tier: the earliest that any of its records tells. Times in microseconds since 1970. */
    record Retry(int step, int attempt, int tier, long stagedAt, long appendedAt) {}

    static final long NEVER = Long.MIN_VALUE;

    final String id;

    // Its row. Without one the state is null, and nothing else here is set.
    State state;
    boolean charge;
    /** For a charge the same as its id. */
    String paymentId;
    String merchant;
    String currency;
    long amount;
    String paymentMethod;
    int step;
    int generation;
    int sequence;
    String psp;
    /** Of the PSP's own name for it; 0 without one. */
    long pspReference;
    boolean hasKeyRow;
    /** How often a soft decline was. */
    int presentedAgain;
    /** Whether a cancel had to wait for what the PSPs know. */
    boolean canceling;
    /** Whether a person stopped it on purpose. */
    boolean stopped;
    /** Whether a person settled one of its attempts as not charged: only such a finding may be wrong and lead to a second capture. */
    boolean saidNotCharged;
    /** When it came to its end, of a purge to the one that cannot be undone; microseconds since 1970. */
    long endedAt = NEVER;
    /** Whether the resolver watches its last attempt. */
    boolean asked;
    /** Whether it is a refund that waits until a person merges or purges its payment, which is dead. */
    boolean waitsForDead;

    // Its attempts: when each was sent, only for payments with more than one.
    int attempts;
    int openAttempts;
    int succeededAttempts;
    /** Of those, how many a restored database had lost. */
    int foundAttempts;
    /** Whether one of them was recorded as failed for certain, and succeeded all the same. */
    boolean failedAndSucceeded;
    List<Long> sentAt;
    List<Retry> retries;
    /** By step, when the wait in a tier began, as its row tells; only for payments that had to wait. */
    private Map<Integer, Long> waits;
    /** By step, when a person first ended its wait, as the audit log tells; only for payments that a person tried at once. */
    private Map<Integer, Long> triedAtOnce = Map.of();

    /** One bit for each step that a record was found of; those beyond the 63rd are not told apart. */
    private long stepsSeen;
    /** The same for the main topic alone. The first step is always staged there. */
    private long mainSteps = 1L << 1;

    // Its outcome events.
    long outcomeEvent;
    /** The status that the first of them told. */
    String outcome;
    /** Whether it had ended in another way before it succeeded, as the audit log says; true where that may have been forgotten. */
    boolean succeededLate;

    // The PSPs' ledgers. For a refund or a reversal a capture is the movement that gave the money back.
    int captures;
    int reversals;
    long capturedMoney;
    long reversedMoney;
    /** What banks took back. */
    long returnedMoney;
    long refundedMoney;
    List<String> refundedEntities;

    // Its dead letter, if it is an operation's.
    boolean liveLetter;
    boolean listedUnresolved;

    // What clients were told.
    boolean clientOk;
    boolean clientUnknown;
    boolean clientFail;
    /** What was accepted; null if that is what the row says, as it nearly always is. */
    private ClientCall.Content okContent;

    // Rows that still wait in the outbox, so that topics may lack them.
    boolean outcomePending;

    CheckedPayment(String id) {
        this.id = id;
    }

    boolean hasRow() {
        return state != null;
    }

    /**
     * A purge does not end the status query about an attempt that may have moved money: until it is answered, that payment is under way.
     * A canceled payment is under way until its outcome is published.
     */
    boolean isAtRest() {
        return state.isAtRest() && !(state == State.PURGED && asked) && !isUnpublished();
    }

    private boolean isUnpublished() {
        return state == State.CANCELED && endedAt == NEVER;
    }

    /** Whether it goes on by itself. */
    boolean isMoving() {
        return hasRow() && (!state.isAtRest() || isUnpublished()) && !waitsForDead;
    }

    /** What its row says is to be charged. */
    ClientCall.Content content() {
        return new ClientCall.Content(amount, currency, paymentMethod);
    }

    void accepted(ClientCall.Content content) {
        clientOk = true;
        okContent = hasRow() && content.equals(content()) ? null : content;
    }

    ClientCall.Content okContent() {
        return okContent == null ? content() : okContent;
    }

    /** A text that is only compared, in eight bytes; 0 is no text. */
    static long digest(String text) {
        long digest = 0xcbf29ce484222325L;
        for (int i = 0; text != null && i < text.length(); i++) {
            digest = (digest ^ text.charAt(i)) * 0x100000001b3L;
        }
        return text == null || text.isEmpty() ? 0 : digest;
    }

    /** @return whether there was a record of this step before */
    boolean saw(int step) {
        long bit = step > 0 && step < Long.SIZE ? 1L << step : 0;
        boolean before = (stepsSeen & bit) != 0;
        stepsSeen |= bit;
        return before;
    }

    void sawOnMain(int step) {
        mainSteps |= step > 0 && step < Long.SIZE ? 1L << step : 0;
    }

    int mainSteps() {
        return Long.bitCount(mainSteps);
    }

    void sent(long at) {
        if (sentAt == null) {
            sentAt = new ArrayList<>(2);
        }
        sentAt.add(at);
    }

    void beganToWait(int step, long at) {
        if (waits == null) {
            waits = new HashMap<>(4);
        }
        waits.put(step, at);
    }

    /** Before the staging that its records tell of, if the first of them is lost and the others were staged in its place. */
    long beganToWait(Retry retry) {
        return waits == null ? retry.stagedAt : waits.getOrDefault(retry.step, retry.stagedAt);
    }

    void triedAtOnce(int step, long at) {
        triedAtOnce = triedAtOnce.isEmpty() ? new HashMap<>(4) : triedAtOnce;
        triedAtOnce.merge(step, at, Math::min);
    }

    /** By step: the waits that a person ended. Each of these steps may be on the main topic too. */
    Map<Integer, Long> triedAtOnce() {
        return triedAtOnce;
    }

    void waited(Retry retry) {
        if (retries == null) {
            retries = new ArrayList<>(2);
        }
        for (int i = 0; i < retries.size(); i++) {
            Retry known = retries.get(i);
            if (known.step == retry.step) {
                retries.set(i, new Retry(known.step, known.attempt, known.tier, Math.min(known.stagedAt, retry.stagedAt),
                        Math.min(known.appendedAt, retry.appendedAt)));
                return;
            }
        }
        retries.add(retry);
    }

    /** @return false if the entity has been refunded before */
    boolean refunded(String entity, long money) {
        if (refundedEntities == null) {
            refundedEntities = new ArrayList<>(1);
        }
        refundedMoney += money;
        boolean first = !refundedEntities.contains(entity);
        refundedEntities.add(entity);
        return first;
    }
}
