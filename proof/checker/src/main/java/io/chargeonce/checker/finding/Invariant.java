// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.finding;

/** What must hold at the end of every run. */
public enum Invariant {
    /** Every accepted request is one payment with the same content; a refused one is none. */
    ACCEPTED_DURABLE("accepted-durable"),
    /** One merchant and key name one payment, and another payload under them is never accepted. */
    IDEMPOTENT_ACCEPT("idempotent-accept"),
    /** The accepted payments are succeeded, declined, dead, purged, canceled or under way, each exactly one of these. */
    CONSERVATION("conservation"),
    /**
     * At most one unreversed capture per payment over all PSPs, by the payment id in their metadata. In a pipeline that is well again, a
     * capture that was reversed counts too, unless a person had said that the attempt was not charged.
     */
    ONE_CAPTURE("one-capture"),
    /** Each debit and each refund goes to its bank in one file, the one that its row names. */
    ONE_FILE("one-file"),
    /**
     * At most one refund per entity key, and never more in sum than was captured; nor more with what disputes have taken, unless an
     * incident says so.
     */
    REFUNDS("refunds"),
    /** Succeeded means captured at this amount and currency, and the other way round; of a canceled payment nothing is kept. */
    PSP_AGREES("psp-agrees"),
    /**
     * Each dispute of a PSP's ledger is a row that says the same, or is kept until its payment is known; the last event of each row says
     * what the row says.
     */
    DISPUTES_AGREE("disputes-agree"),
    /** A settled payment has one outcome event, equal to its row; repeats under the same event id count once. */
    OUTCOME_AGREES("outcome-agrees"),
    /** Attempts are 1, 2, 3 …, each under its derived key, after the definite failure of the last one, none after the end or a cancel. */
    ATTEMPTS_MONOTONE("attempts-monotone"),
    /** No attempt by a stored payment method goes to a PSP that the method has no token of, nor one by another merchant's. */
    OWN_TOKEN("own-token"),
    /** A record below a committed offset is resolved, staged onward, a dead letter, or superseded. */
    HOP_SOUND("hop-sound"),
    /** No attempt starts before the delay of the tier that it waited in, nor long after it while all is well. */
    NEVER_EARLY("never-early"),
    /** Live dead letters, the compacted topic and the dead operations are the same set; each change has one audit record. */
    DLQ_ALGEBRA("dlq-algebra"),
    /** Each ended operation has a webhook for each endpoint that wants it, and none says what did not happen. */
    WEBHOOKS_AGREE("webhooks-agree"),
    /** Seals on the audit log follow each other without a gap, and each covers as many records as when it was made. */
    AUDIT_SEALED("audit-sealed"),
    /** At most one receipt per success, under the id of its operation and recipient, and none of anything else. */
    RECEIPTS_AGREE("receipts-agree"),
    /** Captured money, succeeded rows and outcome events have the same sums per currency and merchant. */
    MONEY_SUM("money-sum"),
    /** No planted card number, secret or erased personal field is found anywhere. */
    NO_CARD_DATA("no-card-data"),
    /** What may not be done is refused to everyone; and a change of the audit log behind its triggers shows. */
    RIGHTS_HOLD("rights-hold"),
    /** No attempt begins for what a person has paused two seconds ago. After a purge or a cancel no status query sends what may charge. */
    HOLDS_HOLD("holds-hold"),
    /** What was sealed opens with the keys that there are, as it was. */
    SEALED_OPENS("sealed-opens"),
    /** Another merchant's trouble, and a key that was changed, keep no good payment from being charged soon. */
    OTHERS_GO_ON("others-go-on"),
    /** Soon after the last fault nothing is under way: no payment, no lag, no transaction; and no record that the broker refuses. */
    ALIVE_AFTER_HEAL("alive-after-heal"),
    /** Processes and tables stay within limits, and faults explain every repeated record. */
    BOUNDED("bounded");

    private final String id;

    Invariant(String id) {
        this.id = id;
    }

    /** As printed. */
    public String id() {
        return id;
    }
}
