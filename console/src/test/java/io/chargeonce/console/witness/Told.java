// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.payment.OperationKind;
import io.chargeonce.wire.DeadLetterRecord;
import io.chargeonce.wire.OutcomeRecord;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.Topics;
import io.chargeonce.wire.WaitRecord;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** One operation, which tells its story as the pipeline does: each method makes the record that the pipeline would publish. */
final class Told {

    static final Topics TOPICS = new Topics("payments");
    /** Of the events of this installation. */
    static final String SOURCE = "https://payments.example.com/eu";

    /** @param value null for a tombstone */
    record Message(String topic, byte[] key, byte[] value, Map<String, String> headers, Instant at) {}

    final String id;
    private final OperationKind kind;
    private final String payment;
    private final long amount;
    private final String currency;
    private final Instant acceptedAt;
    private int step = 1;
    private int revision;

    private Told(String payment, OperationKind kind, String id, long amount, String currency, Instant acceptedAt) {
        this.payment = payment;
        this.kind = kind;
        this.id = id;
        this.amount = amount;
        this.currency = currency;
        this.acceptedAt = acceptedAt;
    }

    static Told charge(String id, long amount, String currency, Instant acceptedAt) {
        return new Told(id, OperationKind.CHARGE, id, amount, currency, acceptedAt);
    }

    static Told refund(String payment, long amount, String currency, Instant acceptedAt) {
        return new Told(payment, OperationKind.REFUND, "payment-" + payment + "-refund", amount, currency, acceptedAt);
    }

    Message requested(Instant at) {
        return work(0, at, "");
    }

    /** The next step waits in a tier. */
    Message waits(int tier, String cause, Instant at) {
        step++;
        return work(tier, at, cause);
    }

    /** The same step on the main topic: its wait was ended, or its tier is gone. */
    Message retriedNow(Instant at) {
        return work(0, at, "");
    }

    Message succeeds(Instant at) {
        step++;
        return outcome("succeeded", Optional.empty(), at);
    }

    Message declines(String code, Instant at) {
        step++;
        return outcome("declined", Optional.of(code), at);
    }

    Message dies(String cause, Instant at) {
        step++;
        return listed(cause, at);
    }

    /** A dead letter without a step of its own: its outcome is unknown for long, or it is listed again. */
    Message listed(String cause, Instant at) {
        revision++;
        var record = new DeadLetterRecord(DeadLetterRecord.TYPE, DeadLetterRecord.VERSION, id, Optional.of(payment), Optional.of("acme"),
                Optional.of(amount), Optional.of(currency), Optional.of("stripe"), cause, "it failed", 1, revision, at, Optional.empty());
        return message(TOPICS.deadLetters(), PaymentJson.write(record),
                PaymentHeaders.event(DeadLetterRecord.TYPE, DeadLetterRecord.VERSION, id, at).toMap(), at);
    }

    Message leaves(String how, Instant at) {
        revision++;
        return message(TOPICS.deadLetters(), null, PaymentHeaders.tombstone(revision, how), at);
    }

    Message merged(Instant at) {
        step++;
        return work(0, at, "");
    }

    Message purgedForGood(Instant at) {
        return outcome("purged", Optional.empty(), at);
    }

    /** Its outcome is unknown, and its PSP is asked then. */
    Message unknownUntil(Instant until, Instant at) {
        return waits(WaitRecord.UNKNOWN_OUTCOME, until, at);
    }

    /** A decline is presented again days later: the step is taken now, and its work is staged then. */
    Message presentedAgainAt(Instant until, Instant at) {
        step++;
        return waits(WaitRecord.PRESENTED_AGAIN, until, at);
    }

    private Message waits(String why, Instant until, Instant at) {
        var record =
                new WaitRecord(WaitRecord.TYPE, WaitRecord.VERSION, payment, kind.tag(), id, step, "acme", amount, currency, why, until);
        return message(TOPICS.waiting(), PaymentJson.write(record),
                PaymentHeaders.event(WaitRecord.TYPE, WaitRecord.VERSION, id, at).toMap(), at);
    }

    private Message work(int tier, Instant at, String cause) {
        var record =
                new PaymentRecord(PaymentRecord.TYPE, PaymentRecord.VERSION, payment, kind.tag(), id, step, "acme", "key-" + id, amount,
                        currency, "pm_card_visa", Optional.empty(), Optional.empty());
        var headers =
                PaymentHeaders.event(PaymentRecord.TYPE, PaymentRecord.VERSION, id + "/" + step, at).journey(step, 1, tier, acceptedAt);
        if (!cause.isEmpty()) {
            headers.failure(at, cause, "it failed");
        }
        return message(TOPICS.ofTier(tier), PaymentJson.write(record), headers.toMap(), at);
    }

    private Message outcome(String status, Optional<String> code, Instant at) {
        var record = new OutcomeRecord(OutcomeRecord.TYPE, OutcomeRecord.VERSION, payment, kind.tag(), "acme", "key-" + id, status, amount,
                currency, Optional.of("stripe"), Optional.of("pi_1"), code, Optional.empty(), 1, step, at);
        return message(TOPICS.outcomes(), PaymentJson.write(record),
                PaymentHeaders.event(record.event(), OutcomeRecord.VERSION, id, at).toMap(), at);
    }

    private Message message(String topic, byte[] value, Map<String, String> headers, Instant at) {
        return new Message(topic, id.getBytes(StandardCharsets.UTF_8), value, headers, at);
    }

    /** Poison on the main topic, as the queue tells it. */
    static Message poison(String cause, int partition, long offset, Instant at) {
        String hash = "poison-" + partition + "-" + offset;
        var record = new DeadLetterRecord(DeadLetterRecord.TYPE, DeadLetterRecord.VERSION, hash, Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty(), cause, "poison", 1, 1, at,
                Optional.of(new DeadLetterRecord.Source(TOPICS.requests(), partition, offset, new byte[] {1})));
        return new Message(TOPICS.deadLetters(), hash.getBytes(StandardCharsets.UTF_8), PaymentJson.write(record),
                PaymentHeaders.event(DeadLetterRecord.TYPE, DeadLetterRecord.VERSION, hash, at).toMap(), at);
    }
}
