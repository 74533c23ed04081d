// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Compares what all sources say about one payment, once everything is read. */
final class PaymentChecks {

    /** So far are the broker's and the database's clocks apart at most, when they are looked after. */
    private static final long CLOCKS_DIFFER_MICROS = 150_000;

    private final ShareContents contents;
    private final List<Duration> tiers;
    private final long tiersSince;
    private final Optional<Recovery> recovery;
    private final boolean ledgersRead;

    PaymentChecks(ShareContents contents, CheckEvidence evidence, boolean ledgersRead) {
        this.contents = contents;
        this.tiers = evidence.tiers();
        this.tiersSince = DatabaseRows.micros(evidence.tiersSince());
        this.recovery = evidence.recovery();
        this.ledgersRead = ledgersRead;
    }

    void check(CheckedPayment payment) {
        if (!payment.hasRow()) {
            return;
        }
        if (payment.outcomePending) {
            contents.money(payment).announcing = true;
        }
        outcome(payment);
        ending(payment);
        definite(payment);
        staged(payment);
        if (ledgersRead && payment.charge) {
            captures(payment);
            refunds(payment);
        } else if (ledgersRead) {
            givenBack(payment);
        }
        if (payment.retries != null && payment.sentAt != null) {
            payment.retries.forEach(retry -> inTime(payment, retry));
        }
    }

    private void outcome(CheckedPayment payment) {
        boolean missing = payment.endedAt != CheckedPayment.NEVER && payment.outcome == null && !payment.outcomePending;
        if (missing && payment.endedAt < contents.outcomesSince) {
            if (payment.charge && payment.state == State.SUCCEEDED) {
                contents.money(payment).forgotten += payment.amount;
            }
        } else if (missing) {
            contents.findings.add(Invariant.OUTCOME_AGREES, PaymentCount.OUTCOME_MISSING, payment.id,
                    "is %s, and has no outcome event".formatted(payment.state.tag()));
        }
    }

    /** Three tellers that know nothing of each other: the outcomes topic, the dead letters, the attempts. */
    private void ending(CheckedPayment payment) {
        if (payment.outcome != null && payment.liveLetter) {
            contents.findings.add(Invariant.CONSERVATION, payment.id,
                    "is %s by its outcome event and a dead letter as well".formatted(payment.outcome));
        }
        // A bank's return is no attempt of ours.
        boolean attempted = payment.charge || !(payment.id.startsWith("attempt-") && payment.id.endsWith("-return"));
        // Late money of a canceled payment is given back: its captures show that.
        if (attempted && payment.state != State.CANCELED && payment.state.hasSucceeded() != (payment.succeededAttempts > 0)) {
            contents.findings.add(Invariant.CONSERVATION, payment.id, "is %s with %d succeeded attempts"
                    .formatted(payment.state.tag(), payment.succeededAttempts));
        }
        boolean ended = payment.isAtRest() && !payment.state.hasSucceeded();
        if (ended && payment.openAttempts > 0) {
            contents.findings.add(Invariant.CONSERVATION, payment.id,
                    "is %s, though an attempt may have moved money".formatted(payment.state.tag()));
        }
    }

    /** No PSP that is a model takes its word back: so an answer was read as a failure that said nothing about the money. */
    private void definite(CheckedPayment payment) {
        if (payment.failedAndSucceeded && recovery.isPresent() && !payment.saidNotCharged) {
            contents.findings.add(Invariant.PSP_AGREES, payment.id,
                    "has an attempt that was recorded as failed for certain, and succeeded all the same");
        }
    }

    /**
     * On the main topic by its acceptance, its merges, its presentations, the waits that a person ended, and a cancel for which the PSPs
     * had to be queried after a restore, and once more after each attempt that they had: under one step each.
     */
    private void staged(CheckedPayment payment) {
        int queries = payment.canceling ? 1 + payment.foundAttempts : 0;
        int reasons = payment.generation + payment.presentedAgain + payment.triedAtOnce().size() + queries;
        if (payment.mainSteps() > reasons) {
            contents.findings.add(Invariant.HOP_SOUND, payment.id,
                    "was staged for the main topic under %d steps, and there were %d reasons to"
                            .formatted(payment.mainSteps(), reasons));
        }
    }

    private void captures(CheckedPayment payment) {
        int unreversed = payment.captures - payment.reversals;
        if (unreversed > 1) {
            contents.findings.add(Invariant.ONE_CAPTURE, PaymentCount.DOUBLE_CHARGED, payment.id,
                    "was captured %d times and reversed %d times".formatted(payment.captures, payment.reversals));
        } else if (payment.captures > 1 && recovery.isPresent() && !payment.saidNotCharged) {
            contents.findings.add(Invariant.ONE_CAPTURE, payment.id,
                    "was captured %d times. The money went back, but no finding of a person explains why it was taken"
                            .formatted(payment.captures));
        }
        if (payment.state == State.SUCCEEDED && unreversed < 1) {
            contents.findings.add(Invariant.PSP_AGREES, PaymentCount.PHANTOM, payment.id, "is succeeded, and no PSP captured it");
        }
        if (payment.isAtRest() && payment.state != State.SUCCEEDED && unreversed > 0) {
            contents.findings.add(Invariant.PSP_AGREES, PaymentCount.PHANTOM, payment.id,
                    "is %s, and was captured".formatted(payment.state.tag()));
        }
    }

    private void givenBack(CheckedPayment refund) {
        if (refund.captures > 1) {
            contents.findings.add(Invariant.REFUNDS, PaymentCount.OVER_REFUNDED, refund.id,
                    "gave money back %d times".formatted(refund.captures));
        }
        if (refund.state.hasSucceeded() && refund.captures == 0
                || refund.isAtRest() && !refund.state.hasSucceeded() && refund.captures > 0) {
            contents.findings.add(Invariant.PSP_AGREES, PaymentCount.PHANTOM, refund.id, "is %s, and gave money back %d times"
                    .formatted(refund.state.tag(), refund.captures));
        }
    }

    private void refunds(CheckedPayment payment) {
        long kept = payment.capturedMoney - payment.reversedMoney - payment.returnedMoney;
        if (payment.refundedMoney > kept) {
            contents.findings.add(Invariant.REFUNDS, PaymentCount.OVER_REFUNDED, payment.id, "was refunded %d of %d captured"
                    .formatted(payment.refundedMoney, kept));
        }
    }

    /**
     * Only the last staging before an attempt led to it; those before it were parked again without an attempt. Where the first
     * record of it is lost, a worker that had fetched it may still work on it: when that record was in the tier is not known.
     */
    private void inTime(CheckedPayment payment, CheckedPayment.Retry retry) {
        boolean last = payment.retries.stream().noneMatch(other -> other.attempt() == retry.attempt() && other.step() > retry.step());
        if (last && retry.attempt() <= payment.sentAt.size()) {
            long began = payment.beganToWait(retry);
            long due = began + tiers.get(retry.tier() - 1).toNanos() / 1_000;
            long sent = payment.sentAt.get(retry.attempt() - 1);
            boolean known = began >= tiersSince;
            Long ended = payment.triedAtOnce().get(retry.step());
            if (ended != null && sent >= ended) {
                return;
            }
            if (known && sent < due) {
                contents.findings.add(Invariant.NEVER_EARLY, PaymentCount.EARLY_RETRIES, payment.id,
                        "attempt %d started %.3f ms before its time in tier %d"
                                .formatted(retry.attempt(), (due - sent) / 1_000.0, retry.tier()));
            } else if (began >= retry.stagedAt() && retry.appendedAt() > sent + CLOCKS_DIFFER_MICROS) {
                contents.findings.add(Invariant.HOP_SOUND, payment.id,
                        "attempt %d started %.3f s before the record that it waited for was in tier %d"
                                .formatted(retry.attempt(), (retry.appendedAt() - sent) / 1_000_000.0, retry.tier()));
            } else if (known
                    && recovery.filter(well -> due >= DatabaseRows.micros(well.since()) && sent - due > well.latest().toNanos() / 1_000)
                            .isPresent()) {
                contents.findings.add(Invariant.NEVER_EARLY, payment.id,
                        "attempt %d started %.1f s after its time in tier %d, with no fault about"
                                .formatted(retry.attempt(), (sent - due) / 1_000_000.0, retry.tier()));
            }
        }
    }
}
