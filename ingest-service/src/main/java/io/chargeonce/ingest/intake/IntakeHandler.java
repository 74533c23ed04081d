// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.intake;

import io.chargeonce.ingest.accept.AcceptRequest;
import io.chargeonce.ingest.accept.GuardHeader;
import io.chargeonce.ingest.accept.PaymentBody;
import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.KeyHeader;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.ingest.answer.IngestMeters;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.kafka.TooLargeRecord;
import io.chargeonce.kafka.loop.RecordHandler;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.payment.IdempotencyKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Accepts a payment request from a merchant's topic as if it had come over HTTP: the record's key is the idempotency key,
 * its value the body. A refused record goes to the refusals topic. A record that could not be decided is tried again, but not for ever
 * if it is the only one that fails.
 */
final class IntakeHandler implements RecordHandler {

    private static final Duration A_LITTLE_LATER = Duration.ofSeconds(1);
    private static final int BUG = 500;
    private static final int UNDECIDED_FROM = 501;
    /** A record that runs into a bug so often is refused, so that it no longer blocks its topic. */
    private static final int MOST_BUGS = 10;
    private static final int MOST_REMEMBERED = 10_000;
    /** The largest difference between the clocks of Kafka and this process. */
    private static final Duration CLOCKS_APART = Duration.ofDays(1);

    private final Function<AcceptRequest, Answer> accept;
    private final Refusals refusals;
    private final IngestMeters meters;
    private final InstantSource clock;
    private final Supplier<Duration> retention;
    private final Map<String, Integer> bugs = new ConcurrentHashMap<>();

    /** @param retention how long a key stays taken now; after it, a record that is read again would be another payment */
    IntakeHandler(Function<AcceptRequest, Answer> accept, Refusals refusals, IngestMeters meters, InstantSource clock,
                  Supplier<Duration> retention) {
        this.accept = accept;
        this.refusals = refusals;
        this.meters = meters;
        this.clock = clock;
        this.retention = retention;
    }

    @Override
    public Verdict handle(ConsumerRecord<byte[], byte[]> record) {
        Answer answer = meters.timed("intake", () -> answer(record));
        if (answer.status() >= UNDECIDED_FROM || answer.outcome().equals("idempotency-key-in-use")) {
            return Verdict.notBefore(A_LITTLE_LATER);
        }
        if (answer.status() == BUG && bugs.merge(origin(record), 1, Integer::sum) < MOST_BUGS) {
            return Verdict.notBefore(A_LITTLE_LATER);
        }
        forget(record);
        if (answer.status() != 202) {
            refusals.stage(record, answer);
        }
        return Verdict.done();
    }

    @Override
    public String shareOf(ConsumerRecord<byte[], byte[]> record) {
        return IntakeTopics.merchantOf(record.topic());
    }

    private void forget(ConsumerRecord<byte[], byte[]> record) {
        if (bugs.size() > MOST_REMEMBERED) {
            bugs.clear();
        } else if (!bugs.isEmpty()) {
            bugs.remove(origin(record));
        }
    }

    private Answer answer(ConsumerRecord<byte[], byte[]> record) {
        if (record instanceof TooLargeRecord tooLarge) {
            return Problems.tooLargeTogether(tooLarge.told()).answer();
        }
        String merchant = IntakeTopics.merchantOf(record.topic());
        return young(record)
                .answer(young -> key(record)
                        .answer(key -> GuardHeader.read(headers(record))
                                .answer(guarded -> body(record)
                                        .answer(bytes -> PaymentBody.read(bytes, RequestForm.RECORD)
                                                .answer(payment -> {
                                                    AcceptRequest ask =
                                                            AcceptRequest.of(merchant, key, payment, origin(record), clock.instant())
                                                                    .as(RequestForm.RECORD);
                                                    return accept.apply(guarded ? ask : ask.withoutGuard());
                                                })))));
    }

    /**
     * The key of an older record may have been deleted: the merchant's topic may keep records longer than we keep keys. The age of a record
     * with a time in the future is not known, and it would never be too old.
     */
    private Checked<ConsumerRecord<byte[], byte[]>> young(ConsumerRecord<byte[], byte[]> record) {
        var age = Duration.between(Instant.ofEpochMilli(record.timestamp()), clock.instant());
        if (age.compareTo(CLOCKS_APART.negated()) < 0) {
            return new Checked.Wrong<>(Problems.fromTheFuture());
        }
        if (age.compareTo(IdempotencyKey.SHORTEST_RETENTION.minus(CLOCKS_APART)) <= 0) {
            return new Checked.Right<>(record);
        }
        Duration youngerThan = retention.get().minus(CLOCKS_APART);
        return age.compareTo(youngerThan) <= 0 ? new Checked.Right<>(record) : new Checked.Wrong<>(Problems.tooOld(youngerThan));
    }

    private static Checked<IdempotencyKey> key(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null
                ? new Checked.Wrong<>(Problems.keyMissing(RequestForm.RECORD))
                : KeyHeader.check(new String(record.key(), StandardCharsets.UTF_8), RequestForm.RECORD);
    }

    private static Checked<byte[]> body(ConsumerRecord<byte[], byte[]> record) {
        byte[] body = Optional.ofNullable(record.value()).orElse(new byte[0]);
        return body.length > Contract.LARGEST_BODY ? new Checked.Wrong<>(Problems.tooLarge(RequestForm.RECORD)) : new Checked.Right<>(body);
    }

    private static List<String> headers(ConsumerRecord<byte[], byte[]> record) {
        return StreamSupport.stream(record.headers().headers(GuardHeader.NAME.lowerCase()).spliterator(), false)
                .map(header -> header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8)).toList();
    }

    private static String origin(ConsumerRecord<byte[], byte[]> record) {
        return "%s-%d@%d".formatted(record.topic(), record.partition(), record.offset());
    }
}
