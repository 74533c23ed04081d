// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.Money;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a customer disputes at its bank, folded from the reports of its PSP. Reports arrive late, doubled and in any order. So stage and
 * funds have a rank each, and the report of the highest rank counts, whenever it arrives. The result does not depend on the order. Amounts
 * are never added up. Pure.
 *
 * @param reference  the PSP's id of the dispute
 * @param payment    the disputed payment's id
 * @param money      what is disputed; empty if the PSP names no amount of a payment
 * @param reason     in the PSP's words
 * @param isFinal    whether the PSP says that nothing follows
 * @param refundable whether the PSP still refunds the payment, which ends the loss
 * @param answered   whether the PSP waits for no answer
 * @param askedAt    when its stage began, by the PSP's clock
 * @param answeredAt when somebody last answered, by the same clock
 * @param dueBy      until when the PSP takes an answer
 * @param revision   of two copies the higher one is newer
 */
public record Dispute(String psp, String reference, String payment, Optional<Money> money, String reason, Stage stage, int stageRank,
        boolean isFinal, Funds funds, int fundsRank, boolean refundable, boolean answered, Optional<Instant> askedAt,
        Optional<Instant> answeredAt,
        Optional<Instant> dueBy, int revision) {

    /** How far it has come: an inquiry takes no money, and won and lost are its ends. */
    public enum Stage {
        INQUIRY, OPENED, WON, LOST;

        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Stage fromTag(String tag) {
            return valueOf(tag.toUpperCase(Locale.ROOT));
        }
    }

    /** Where the disputed money is. */
    public enum Funds {
        NOT_TAKEN, TAKEN, RETURNED;

        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Funds fromTag(String tag) {
            return valueOf(tag.toUpperCase(Locale.ROOT));
        }
    }

    /**
     * What a PSP says about a dispute.
     *
     * @param capture   the PSP's reference of what is disputed, if it names it
     * @param event     in the PSP's words
     * @param at        when it happened, by the PSP's clock
     * @param isKnown   false for a message whose meaning for the money is not known here
     * @param stageRank higher is later in the course of a dispute at this PSP; 0 for a message that says nothing about the stage
     * @param funds     empty if the message says nothing about them
     * @param fundsRank as stageRank; 0 without funds
     * @param answered  whether the PSP waits for no answer at this stage; with stageRank 0, that somebody has answered
     */
    public record Report(String reference, Optional<String> capture, Optional<Money> money, String reason, String event,
            Optional<Instant> at, boolean isKnown, Stage stage, int stageRank, boolean isFinal, Optional<Funds> funds, int fundsRank,
            boolean refundable, boolean answered,
            Optional<Instant> dueBy) {

        public Report because(String words) {
            return new Report(reference, capture, money, words, event, at, isKnown, stage, stageRank, isFinal, funds, fundsRank, refundable,
                    answered, dueBy);
        }

        private Optional<Instant> asks() {
            return at.filter(when -> stageRank > 0);
        }

        private Optional<Instant> answers() {
            return at.filter(when -> stageRank == 0 && answered);
        }
    }

    /** The first report of a dispute. */
    static Dispute of(String psp, String payment, Report first) {
        return new Dispute(psp, first.reference, payment, first.money, first.reason, first.stage, first.stageRank, first.isFinal,
                first.funds.orElse(Funds.NOT_TAKEN), first.fundsRank, first.refundable, first.answered, first.asks(), first.answers(),
                first.dueBy, 1);
    }

    /** With one more report; equal to this one if it is no news. */
    public Dispute after(Report report) {
        boolean isLater = report.stageRank > stageRank;
        boolean isSame = report.stageRank == stageRank;
        boolean movesLater = report.fundsRank > fundsRank;
        boolean namesMoney = movesLater || isLater && fundsRank == 0;
        Optional<Instant> asked = isLater ? report.asks() : isSame ? latest(askedAt, report.asks()) : askedAt;
        Optional<Instant> gave = latest(answeredAt, report.answers());
        boolean afterwards = asked.isPresent() && gave.isPresent() && !gave.get().isBefore(asked.get());
        // A stage always waits for an answer, or never does. An answer names no stage: it counts for a stage that began before it.
        boolean isAnswered = report.stageRank > 0 && (isLater || isSame) ? report.answered
                : answered || stageRank == 0 && report.answered;
        var next = new Dispute(psp, reference, payment, namesMoney ? report.money.or(this::money) : money.or(report::money),
                isLater ? report.reason : reason, isLater ? report.stage : stage, Math.max(stageRank, report.stageRank),
                isLater ? report.isFinal : isFinal, movesLater ? report.funds.orElseThrow() : funds, Math.max(fundsRank, report.fundsRank),
                isLater ? report.refundable : refundable && (report.refundable || !isSame),
                isAnswered || afterwards, asked, gave, isLater ? report.dueBy : isSame ? latest(dueBy, report.dueBy) : dueBy, revision);
        return next.equals(this) ? this : next.withRevision(revision + 1);
    }

    private static Optional<Instant> latest(Optional<Instant> one, Optional<Instant> other) {
        return Stream.of(one, other).flatMap(Optional::stream).max(Instant::compareTo);
    }

    private Dispute withRevision(int number) {
        return new Dispute(psp, reference, payment, money, reason, stage, stageRank, isFinal, funds, fundsRank, refundable, answered,
                askedAt, answeredAt, dueBy, number);
    }

    /** Among all disputes at all PSPs. The functions of webhooks know it by its slash. */
    public String id() {
        return psp + "/" + reference;
    }

    /** Whether a refund would give back money that the dispute has taken. */
    public boolean keepsRefundsOut() {
        return funds == Funds.TAKEN && !refundable;
    }

    /** Until when a person has to answer; empty if the PSP waits for none. */
    public Optional<Instant> toAnswerBy() {
        return dueBy.filter(due -> !isFinal && !answered);
    }

    /** For people. */
    @Override
    public String toString() {
        return "dispute %s at %s, %s, %s: %s%s".formatted(reference, psp, stage.tag(),
                funds.tag().replace('_', ' ') + money.map(disputed -> " " + disputed).orElse(""), reason,
                toAnswerBy().map(due -> ", answer it by " + due).orElse(""));
    }
}
