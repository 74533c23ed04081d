// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.RederivedId;
import io.chargeonce.checker.evidence.Headers;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the main topic or a retry tier after the rows: was each record decided, and when was a retry staged? */
final class WorkTopic {

    /** Whether a record was decided. */
    private enum RecordState { HAS_ONE, IS_POISON, WAITS }

    private static final int LARGEST_REQUEST = 128 * 1024;
    /** A staging time further ahead of the broker's own is a forgery. */
    private static final long CLOCKS_DIFFER_MICROS = 60_000_000L;
    private static final JsonMapper JSON = new JsonMapper();
    /** The one cause of poison that is not in what the record says. */
    private static final String FOUND_AT_WORK = "unprocessable";

    private final ShareContents contents;
    private final String topic;
    private final int tier;
    private final Map<Integer, Long> committed;
    private final boolean whole;
    private final boolean comparesStagings;

    /**
     * @param tier      0 is the main topic
     * @param whole     whether every record that ever was on it is still there
     * @param committed by partition, as it was before the rows were read
     * @param comparesStagings whether it looks for records of one step that were staged at different times; that takes memory
     */
    WorkTopic(ShareContents contents, String topic, int tier, boolean whole, Map<Integer, Long> committed,
              boolean comparesStagings) {
        this.contents = contents;
        this.topic = topic;
        this.tier = tier;
        this.whole = whole;
        this.committed = committed;
        this.comparesStagings = comparesStagings;
    }

    String name() {
        return topic;
    }

    void record(ConsumerRecord<byte[], byte[]> record) {
        if (!contents.share.holds(Headers.key(record))) {
            return;
        }
        boolean finished = record.offset() < committed.getOrDefault(record.partition(), 0L);
        boolean waitsForAPerson = waitsForAPerson(record);
        if (!finished && !waitsForAPerson) {
            contents.totals.lag++;
        }
        RecordState state = stateOf(record);
        Optional<String> buriedAs = Optional.ofNullable(contents.poison.get(Place.of(topic, record.partition(), record.offset())));
        if (buriedAs.isPresent() && (state == RecordState.IS_POISON || buriedAs.get().equals(FOUND_AT_WORK))) {
            buried(record, state);
            return;
        }
        if (!finished && state != RecordState.HAS_ONE) {
            contents.totals.unconsumed += waitsForAPerson ? 0 : 1;
        } else if (state == RecordState.IS_POISON) {
            contents.findings.addGeneral(Invariant.HOP_SOUND, "the poison at %s is below the committed offset, but no dead letter"
                    .formatted(Place.of(topic, record.partition(), record.offset())));
        } else if (state == RecordState.WAITS) {
            skipped(record);
        }
    }

    private boolean waitsForAPerson(ConsumerRecord<byte[], byte[]> record) {
        CheckedPayment payment = record.key() == null ? null : contents.payments.get(new String(record.key(), StandardCharsets.UTF_8));
        return payment != null && payment.waitsForDead;
    }

    /**
     * Every other cause of poison is in what the record says. A sound record at the place of such a letter is another one: its topic was
     * deleted and made again.
     */
    private void buried(ConsumerRecord<byte[], byte[]> record, RecordState state) {
        if (state != RecordState.IS_POISON) {
            contents.findings.add(Invariant.HOP_SOUND, new String(record.key(), StandardCharsets.UTF_8),
                    "has a sound record at %s that was dead-lettered as unprocessable".formatted(
                            Place.of(topic, record.partition(), record.offset())));
        }
    }

    /** It may have a later copy that is yet to be read; then nothing is lost, but the payment is under way. */
    private void skipped(ConsumerRecord<byte[], byte[]> record) {
        CheckedPayment payment = contents.payments.get(new String(record.key(), StandardCharsets.UTF_8));
        contents.findings.add(Invariant.HOP_SOUND, PaymentCount.LOST, payment.id, "was passed over at %s: still %s at step %d".formatted(
                Place.of(topic, record.partition(), record.offset()), payment.state.tag(), payment.step));
    }

    private RecordState stateOf(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null || record.value().length == 0 || record.value().length > LARGEST_REQUEST) {
            return RecordState.IS_POISON;
        }
        try {
            return stateOf(record, JSON.readTree(record.value()));
        } catch (JacksonException notJson) {
            return RecordState.IS_POISON;
        }
    }

    private RecordState stateOf(ConsumerRecord<byte[], byte[]> record, JsonNode json) {
        String operation = json.path("operation_id").asString("");
        boolean readable = json.path("type").asString("").equals("payment.request") && json.path("version").asInt(0) == 1
                && Arrays.equals(record.key(), operation.getBytes(StandardCharsets.UTF_8));
        CheckedPayment payment = contents.payments.get(operation);
        if (!readable) {
            return RecordState.IS_POISON;
        }
        if (payment == null || !payment.hasRow()) {
            // Accepted after the rows were read, or never.
            return record.timestamp() * 1_000 > contents.rowsReadAt ? RecordState.HAS_ONE : RecordState.IS_POISON;
        }
        if (!agrees(payment, json)) {
            return RecordState.IS_POISON;
        }
        int step = json.path("step").asInt(0);
        if (payment.saw(step)) {
            contents.totals.repeated.merge(payment.id + "/" + step, 1L, Long::sum);
        }
        if (comparesStagings && !payment.triedAtOnce().containsKey(step)) {
            compareStagings(record, payment.id + "/" + step);
        }
        if (tier > 0) {
            waited(payment, record, step);
        } else if (step <= payment.step && Headers.text(record, "ce_id").equals(Optional.of(payment.id + "/" + step))) {
            payment.sawOnMain(step);
        }
        return step == payment.step && payment.state.awaitsARecord() ? RecordState.WAITS : RecordState.HAS_ONE;
    }

    private void compareStagings(ConsumerRecord<byte[], byte[]> record, String step) {
        OptionalLong staged = Headers.time(record, "ce_time");
        if (staged.isPresent()) {
            long first = contents.stagedAt.computeIfAbsent(step, unseen -> staged.getAsLong());
            if (first != staged.getAsLong()) {
                contents.totals.stagedAgain.add(step);
            }
        }
    }

    private static boolean agrees(CheckedPayment payment, JsonNode json) {
        return json.path("amount").asLong(0) == payment.amount && json.path("currency").asString("").equals(payment.currency)
                && json.path("merchant").asString("").equals(payment.merchant)
                && json.path("payment_id").asString("").equals(payment.paymentId)
                && (!payment.charge
                        || RederivedId.ofPayment(payment.merchant, json.path("idempotency_key").asString("")).equals(payment.id));
    }

    /** Where a topic has lost records, it is not known when the first of them came. */
    private long appendedAt(ConsumerRecord<byte[], byte[]> record) {
        return whole && record.timestampType() == TimestampType.LOG_APPEND_TIME ? record.timestamp() * 1_000 : Long.MIN_VALUE;
    }

    private void waited(CheckedPayment payment, ConsumerRecord<byte[], byte[]> record, int step) {
        OptionalInt attempt = Headers.number(record, "chargeonce-attempt");
        OptionalLong staged = Headers.time(record, "ce_time");
        boolean ours = staged.isPresent() && attempt.isPresent()
                && staged.getAsLong() <= record.timestamp() * 1_000 + CLOCKS_DIFFER_MICROS
                && step <= payment.step && attempt.getAsInt() <= payment.sequence;
        if (ours) {
            payment.waited(new CheckedPayment.Retry(step, attempt.getAsInt(), tier, staged.getAsLong(), appendedAt(record)));
        }
    }
}
