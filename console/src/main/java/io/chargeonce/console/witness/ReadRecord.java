// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.How;
import io.chargeonce.console.witness.Fact.Identity;
import io.chargeonce.console.witness.Fact.Place;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.text.Cut;
import io.chargeonce.wire.DeadLetterRecord;
import io.chargeonce.wire.Decoded;
import io.chargeonce.wire.OutcomeRecord;
import io.chargeonce.wire.PaymentHeaders;
import io.chargeonce.wire.PaymentJson;
import io.chargeonce.wire.Topics;
import io.chargeonce.wire.WaitRecord;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import tools.jackson.core.JacksonException;

/** What a record of the pipeline's topics says. Never throws: what it cannot read is {@link Fact.Unreadable}. Immutable. */
final class ReadRecord {

    private static final int LONGEST_ID = 255;
    private static final int LONGEST_NAME = 120;
    private static final Fact UNREADABLE = new Fact.Unreadable();

    private final Topics topics;
    private final Map<String, Integer> tierOf = new HashMap<>();

    ReadRecord(Topics topics, int tiers) {
        this.topics = topics;
        for (int tier = 0; tier <= tiers; tier++) {
            tierOf.put(topics.ofTier(tier), tier);
        }
    }

    Fact read(String topic, Place place, byte[] key, byte[] value, Headers headers) {
        if (key == null || key.length == 0 || key.length > LONGEST_ID) {
            return UNREADABLE;
        }
        try {
            Integer tier = tierOf.get(topic);
            if (tier != null) {
                return work(tier, place, key, value, headers);
            }
            if (topic.equals(topics.waiting())) {
                return waits(place, key, value, headers);
            }
            return topic.equals(topics.outcomes()) ? outcome(place, value) : deadLetter(place, key, value, headers);
        } catch (JacksonException | IllegalArgumentException notOurs) {
            return UNREADABLE;
        }
    }

    private static Fact work(int tier, Place place, byte[] key, byte[] value, Headers headers) {
        return switch (Decoded.from(key, value)) {
            case Decoded.Request request -> {
                var record = request.record();
                yield new Fact.Work(identity(record.paymentId(), record.operation(), record.merchant(), record.amount(), record.currency()),
                        record.step(), tier, micros(instant(headers, PaymentHeaders.TIME)),
                        instant(headers, PaymentHeaders.ACCEPTED_AT).map(Instant::toEpochMilli).orElse(0L),
                        brief(text(headers, PaymentHeaders.FAILURE_CLASS)), place);
            }
            case Decoded.Newer newer -> UNREADABLE;
            case Decoded.Poison poison -> UNREADABLE;
        };
    }

    private static Fact waits(Place place, byte[] key, byte[] value, Headers headers) {
        if (value == null) {
            return UNREADABLE;
        }
        WaitRecord record = PaymentJson.MAPPER.readValue(value, WaitRecord.class);
        if (!WaitRecord.TYPE.equals(record.type()) || record.version() != WaitRecord.VERSION || record.until() == null
                || record.step() < 1 || !Arrays.equals(key, String.valueOf(record.operationId()).getBytes(StandardCharsets.UTF_8))) {
            return UNREADABLE;
        }
        return new Fact.Waits(identity(record.paymentId(), record.operation(), record.merchant(), record.amount(), record.currency()),
                record.step(), micros(instant(headers, PaymentHeaders.TIME)), micros(Optional.of(record.until())) / 1_000,
                brief(String.valueOf(record.why())), place);
    }

    private static Fact outcome(Place place, byte[] value) {
        if (value == null) {
            return UNREADABLE;
        }
        OutcomeRecord record = PaymentJson.MAPPER.readValue(value, OutcomeRecord.class);
        if (!OutcomeRecord.TYPE.equals(record.type()) || record.version() != OutcomeRecord.VERSION || record.status() == null
                || record.revision() < 1) {
            return UNREADABLE;
        }
        return new Fact.Outcome(identity(record.paymentId(), record.operation(), record.merchant(), record.amount(), record.currency()),
                record.revision(), brief(record.status()), brief(record.declineCode().orElse("")), brief(record.psp().orElse("")), place);
    }

    private static Fact deadLetter(Place place, byte[] key, byte[] value, Headers headers) {
        if (value == null) {
            return left(place, headers);
        }
        DeadLetterRecord record = PaymentJson.MAPPER.readValue(value, DeadLetterRecord.class);
        if (!DeadLetterRecord.TYPE.equals(record.type()) || record.version() != DeadLetterRecord.VERSION || record.diedAt() == null
                || !Arrays.equals(key, String.valueOf(record.deadLetterId()).getBytes(StandardCharsets.UTF_8))) {
            return UNREADABLE;
        }
        String id = record.deadLetterId();
        Optional<Identity> who = record.paymentId().isEmpty() ? Optional.empty()
                : Optional.of(identity(record.paymentId().get(), kind(id, record.paymentId().get()), record.merchant().orElse(""),
                        record.amount().orElse(0L), record.currency().orElse("")));
        return new Fact.Letter(who, record.revision(), micros(Optional.of(record.diedAt())), brief(String.valueOf(record.cause())),
                brief(record.psp().orElse("")),
                record.source().map(at -> new Fact.Source(brief(at.topic()), new Place(at.partition(), at.offset()))), place);
    }

    /** A tombstone that the pipeline did not write says nothing: the queue still has the letter. */
    private static Fact left(Place place, Headers headers) {
        How how = switch (text(headers, PaymentHeaders.LEFT)) {
            case "merged" -> How.MERGED;
            case "settled" -> How.SETTLED;
            case "purged", "unknown" -> How.PURGED;
            default -> How.LIVE;
        };
        String revision = text(headers, PaymentHeaders.REVISION);
        return how == How.LIVE || !revision.matches("[0-9]{1,10}") ? UNREADABLE
                : new Fact.Left((int) Math.min(Integer.MAX_VALUE, Long.parseLong(revision)), how, place);
    }

    /** A dead letter does not say it, and its id does. */
    private static String kind(String operationId, String paymentId) {
        if (operationId.equals(paymentId)) {
            return OperationKind.CHARGE.tag();
        }
        return operationId.startsWith("attempt-") ? OperationKind.REVERSAL.tag() : OperationKind.REFUND.tag();
    }

    private static Identity identity(String paymentId, String kind, String merchant, long amount, String currency) {
        boolean ours = paymentId != null && paymentId.length() <= LONGEST_ID && merchant != null && merchant.length() <= LONGEST_NAME
                && amount >= 0 && currency != null && currency.matches("[A-Z]{3}");
        if (!ours) {
            throw new IllegalArgumentException("this is no payment of the pipeline");
        }
        return new Identity(paymentId, brief(kind), merchant, amount, currency);
    }

    private static String brief(String text) {
        return text == null ? "" : Cut.to(LONGEST_NAME, text);
    }

    private static String text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null || header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }

    private static Optional<Instant> instant(Headers headers, String name) {
        try {
            return Optional.of(text(headers, name)).filter(text -> !text.isEmpty()).map(Instant::parse);
        } catch (DateTimeException forged) {
            return Optional.empty();
        }
    }

    private static long micros(Optional<Instant> at) {
        try {
            return at.map(time -> ChronoUnit.MICROS.between(Instant.EPOCH, time)).orElse(0L);
        } catch (ArithmeticException forged) {
            return 0;
        }
    }
}
