// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import io.chargeonce.database.raw.HeaderBytes;
import io.chargeonce.database.raw.RawRow;
import io.chargeonce.ledger.FoundRecord;
import io.chargeonce.wire.Topics;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * What the headers of another system's dead letter say: where it failed first, why, and what it goes back with. The names are those of:
 *
 * <ul>
 * <li>Spring Kafka's recoverer ({@code kafka_dlt-…}, since 2.2) and retry topics ({@code kafka_…}, {@code retry_topic-…}, since 2.7), in
 * its classes {@code KafkaHeaders}, {@code RetryTopicHeaders} and {@code SerializationUtils}. Partition and offset are big-endian, an int
 * and a long;</li>
 * <li>Kafka Connect's {@code DeadLetterQueueReporter} ({@code __connect.errors.…}, KIP-298), with numbers as text;</li>
 * <li>Kafka Streams' {@code ExceptionHandlerUtils} ({@code __streams.errors.…}, KIP-1034), with numbers as text;</li>
 * <li>Karafka's enhanced dead-letter queue since 2.5 ({@code source_…}, in its upgrade notes), with numbers as text. These names are
 * ordinary ones, so they count only if all of them are there. Its earlier versions replaced the key, so nothing of theirs goes back;</li>
 * <li>others, where the caller names the headers.</li>
 * </ul>
 */
final class ForeignHeaders {

    /** How often it was sent back, the coming time included. */
    static final String MERGES = "chargeonce-merges";

    /**
     * @param topic which header names the topic that a record goes back to
     * @param cause which one says why it failed
     * @param drop  which ones a receiver must not get; a * at the end stands for anything
     */
    record Named(Optional<String> topic, Optional<String> cause, List<String> drop) {}

    private record Origin(String topic, String partition, String offset, boolean isBinary, boolean isOrdinary) {}

    private static final List<Origin> ORIGINS = List.of(
            origin("kafka_dlt-original-", true, false), origin("kafka_original-", true, false),
            origin("__connect.errors.", false, false), origin("__streams.errors.", false, false),
            origin("source_", false, true));

    /** The first of these that says anything is the cause. */
    private static final List<Pattern> CAUSES = Stream.of("kafka_(dlt-)?exception-cause-fqcn", "kafka_(dlt-)?exception-fqcn",
            "kafka_(dlt-)?key-exception-fqcn", "__connect[.]errors[.]exception[.]class[.]name", "__streams[.]errors[.]exception")
            .map(Pattern::compile).toList();
    private static final List<Pattern> MESSAGES = Stream.of("kafka_(dlt-)?exception-message", "kafka_(dlt-)?key-exception-message",
            "__connect[.]errors[.]exception[.]message", "__streams[.]errors[.]message").map(Pattern::compile).toList();

    /**
     * What would be misread. Spring would go on counting its retries, and its timeout, from where the record had been, and take an old
     * exception for a new one. Connect adds no header that is there already, so its next dead letter would name the old failure.
     */
    private static final Pattern DROPPED = Pattern.compile("kafka_dlt-.*|kafka_original-.*|kafka_(key-)?exception-.*|kafka_deliveryAttempt"
            + "|retry_topic-.*|springDeserializerException(Key|Value)|__connect[.]errors[.].*|__streams[.]errors[.].*");
    private static final Pattern DROPPED_OF_ORDINARY = Pattern.compile("source_(topic|partition|offset|consumer_group|attempts|trace_id)");
    private static final Pattern CLASS_NAME = Pattern.compile("[\\w$.]+");
    private static final Pattern TOPIC_NAME = Pattern.compile("[A-Za-z0-9._-]{1,249}");

    private final ConsumerRecord<byte[], byte[]> record;
    private final Named named;
    private final Optional<Origin> origin;

    ForeignHeaders(ConsumerRecord<byte[], byte[]> record, Named named) {
        this.record = record;
        this.named = named;
        // Each hop may add its own headers, after those that are there.
        this.origin =
                all().flatMap(header -> ORIGINS.stream().filter(one -> one.topic.equals(header.key()))).filter(this::isTold).findFirst();
    }

    private static Origin origin(String before, boolean isBinary, boolean isOrdinary) {
        return new Origin(before + "topic", before + "partition", before + "offset", isBinary, isOrdinary);
    }

    private boolean isTold(Origin one) {
        return said(one.topic).findFirst().isPresent() && (!one.isOrdinary || number(one.partition, one).isPresent()
                && number(one.offset, one).isPresent() && said(one.topic.replace("topic", "consumer_group")).findFirst().isPresent());
    }

    /** Where it failed first; empty if nothing says so. */
    Optional<String> topic() {
        return named.topic.flatMap(name -> said(name).findFirst()).or(() -> origin.flatMap(one -> said(one.topic).findFirst()))
                .filter(name -> TOPIC_NAME.matcher(name).matches());
    }

    int partition() {
        return (int) place(origin.map(Origin::partition)).orElse(record.partition());
    }

    long offset() {
        return place(origin.map(Origin::offset)).orElse(record.offset());
    }

    /** A header that the caller named says nothing of the place. */
    private OptionalLong place(Optional<String> name) {
        boolean byOrigin = origin.isPresent() && topic().equals(said(origin.get().topic).findFirst());
        return byOrigin ? number(name.orElseThrow(), origin.get()) : OptionalLong.empty();
    }

    /** The simple name of the exception by which it failed in the end; older versions left those of earlier failures standing before it. */
    Optional<String> cause() {
        return named.cause.flatMap(name -> said(name).reduce((earlier, later) -> later)).or(() -> last(CAUSES))
                .map(said -> said.split(":", 2)[0].strip())
                .map(said -> CLASS_NAME.matcher(said).matches() ? said.substring(said.lastIndexOf('.') + 1) : said)
                .filter(ForeignHeaders::isSaid);
    }

    Optional<String> message() {
        return last(MESSAGES);
    }

    private Optional<String> last(List<Pattern> names) {
        return names.stream().flatMap(name -> all().filter(header -> name.matcher(header.key()).matches()).map(ForeignHeaders::text)
                .filter(ForeignHeaders::isSaid).reduce((earlier, later) -> later).stream()).findFirst();
    }

    /** The topic that is named, if a record may go there, and all headers but those of dead letters. */
    FoundRecord.WayBack wayBack() {
        var kept = new ArrayList<>(all(true).filter(header -> !isDropped(header.key())).toList());
        kept.add(new RecordHeader(MERGES, Integer.toString(merges() + 1).getBytes(StandardCharsets.UTF_8)));
        return new FoundRecord.WayBack(topic().filter(Topics::mayBeAnothers).filter(topic -> !topic.equals(record.topic())).orElse(""),
                HeaderBytes.of(kept));
    }

    private int merges() {
        return said(MERGES).filter(count -> count.matches("[0-9]{1,6}")).mapToInt(Integer::parseInt).max().orElse(0);
    }

    private boolean isDropped(String name) {
        return DROPPED.matcher(name).matches() || name.equals(MERGES) || name.equals(RawRow.LETTER)
                || origin.filter(Origin::isOrdinary).isPresent() && DROPPED_OF_ORDINARY.matcher(name).matches()
                || Stream.concat(Stream.concat(named.topic.stream(), named.cause.stream()), named.drop.stream())
                        .anyMatch(one -> one.endsWith("*") ? name.startsWith(one.substring(0, one.length() - 1)) : name.equals(one));
    }

    private Stream<String> said(String name) {
        return all().filter(header -> header.key().equals(name)).map(ForeignHeaders::text).filter(ForeignHeaders::isSaid);
    }

    private Stream<Header> all() {
        return all(false);
    }

    private Stream<Header> all(boolean nullToo) {
        return Arrays.stream(record.headers().toArray()).filter(header -> nullToo || header.value() != null);
    }

    /** Postgres stores no NUL. */
    private static boolean isSaid(String text) {
        return !text.isBlank() && text.indexOf('\0') < 0;
    }

    static String text(Header header) {
        return new String(header.value(), StandardCharsets.UTF_8);
    }

    /** Not negative, and as its system writes it; anything else is no number of that system. */
    private OptionalLong number(String name, Origin of) {
        boolean isLong = name.equals(of.offset);
        if (!of.isBinary) {
            return said(name).limit(1).filter(text -> text.matches(isLong ? "[0-9]{1,18}" : "[0-9]{1,9}")).mapToLong(Long::parseLong)
                    .findFirst();
        }
        return all().filter(header -> header.key().equals(name)).limit(1).map(Header::value)
                .filter(value -> value.length == (isLong ? Long.BYTES : Integer.BYTES))
                .mapToLong(value -> isLong ? ByteBuffer.wrap(value).getLong() : ByteBuffer.wrap(value).getInt())
                .filter(number -> number >= 0).findFirst();
    }
}
