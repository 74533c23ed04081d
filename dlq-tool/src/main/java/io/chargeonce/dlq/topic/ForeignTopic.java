// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import io.chargeonce.dlq.story.Import;
import io.chargeonce.dlq.story.Story;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.text.Cut;
import io.chargeonce.wire.PaymentJson;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Another system's dead-letter topic, read to the end that it has now. What Spring Kafka's recoverer and retry topics write
 * into headers is understood: where a record failed first, and by which exception. Headers of others are kept for people.
 */
public final class ForeignTopic {

    private static final int BATCH = 200;
    private static final int MOST_HEADERS = 50;
    private static final int LONGEST_HEADER = 1024;
    private static final int LONGEST_CAUSE = 100;
    private static final String UNSAID = "foreign";

    /** Spring Kafka's recoverer writes the first of these before each name (since 2.2), its retry topics the second (since 2.7). */
    private static final List<String> PREFIXES = List.of("kafka_dlt-", "kafka_");
    private static final Pattern NUMBER = Pattern.compile("kafka_(dlt-)?original-(partition|offset|timestamp)|retry_topic-.*");

    private record Named(String name, String value) {}

    private ForeignTopic() {}

    /**
     * @param batches gets some records at a time
     * @return how many there were; empty if there is no such topic
     * @throws org.apache.kafka.common.KafkaException if Kafka can't be reached
     */
    public static OptionalLong read(KafkaConnection kafka, String topic, Consumer<List<Import.Imported>> batches) {
        Optional<TopicScan> scan = TopicScan.open(kafka, topic);
        if (scan.isEmpty()) {
            return OptionalLong.empty();
        }
        var batch = new ArrayList<Import.Imported>();
        long[] count = {0};
        try (TopicScan open = scan.get()) {
            open.partitions().forEach(partition -> open.read(partition, record -> {
                batch.add(imported(record));
                count[0]++;
                if (batch.size() == BATCH) {
                    batches.accept(List.copyOf(batch));
                    batch.clear();
                }
            }));
        }
        if (!batch.isEmpty()) {
            batches.accept(List.copyOf(batch));
        }
        return OptionalLong.of(count[0]);
    }

    static Import.Imported imported(ConsumerRecord<byte[], byte[]> record) {
        String cause = failure(record, "exception-cause-fqcn").or(() -> failure(record, "exception-fqcn"))
                .or(() -> failure(record, "key-exception-fqcn")).map(ForeignTopic::simpleName).orElse(UNSAID);
        return new Import.Imported(Optional.empty(), Cut.to(LONGEST_CAUSE, cause),
                failure(record, "exception-message").or(() -> failure(record, "key-exception-message"))
                        .orElse("found on " + record.topic()),
                new Story.Source(
                        origin(record, "original-topic").map(ForeignTopic::text).filter(ForeignTopic::isSaid).orElse(record.topic()),
                        (int) number(record, "original-partition", Integer.BYTES).orElse(record.partition()),
                        number(record, "original-offset", Long.BYTES).orElse(record.offset()),
                        Optional.ofNullable(record.key()), Optional.ofNullable(record.value()), Optional.of(evidence(record))));
    }

    private static String simpleName(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    /** Where it was at first: each hop may add one more, after those that are there. */
    private static Optional<Header> origin(ConsumerRecord<byte[], byte[]> record, String name) {
        return named(record, name).findFirst();
    }

    /** By what it failed in the end; older versions left those of the earlier failures standing before it. */
    private static Optional<String> failure(ConsumerRecord<byte[], byte[]> record, String name) {
        return named(record, name).map(ForeignTopic::text).filter(ForeignTopic::isSaid).reduce((earlier, later) -> later);
    }

    private static Stream<Header> named(ConsumerRecord<byte[], byte[]> record, String name) {
        return Arrays.stream(record.headers().toArray())
                .filter(header -> PREFIXES.stream().anyMatch(prefix -> header.key().equals(prefix + name)))
                .filter(header -> header.value() != null);
    }

    private static boolean isSaid(String text) {
        return !text.isBlank();
    }

    private static String text(Header header) {
        return new String(header.value(), StandardCharsets.UTF_8);
    }

    /** Big-endian, of exactly that length and not negative; anything else is no number of Spring's. */
    private static OptionalLong number(ConsumerRecord<byte[], byte[]> record, String name, int length) {
        Optional<ByteBuffer> bytes = origin(record, name).map(Header::value).filter(value -> value.length == length).map(ByteBuffer::wrap);
        if (bytes.isEmpty()) {
            return OptionalLong.empty();
        }
        long number = length == Long.BYTES ? bytes.get().getLong() : bytes.get().getInt();
        return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
    }

    /** Capped, for headers are hostile. */
    private static byte[] evidence(ConsumerRecord<byte[], byte[]> record) {
        var headers = new ArrayList<Named>();
        for (Header header : record.headers()) {
            if (headers.size() == MOST_HEADERS) {
                break;
            }
            headers.add(new Named(brief(header.key()), header.value() == null ? "" : brief(readable(header))));
        }
        return PaymentJson.write(headers);
    }

    /** Spring writes its numbers as bytes, some of them as few as will do. */
    private static String readable(Header header) {
        boolean number = NUMBER.matcher(header.key()).matches() && header.value().length > 0 && header.value().length <= Long.BYTES;
        return number ? new BigInteger(header.value()).toString() : text(header);
    }

    private static String brief(String text) {
        return Cut.to(LONGEST_HEADER, text);
    }
}
