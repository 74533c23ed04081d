package io.chargeonce.dlq;

import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.wire.PaymentJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
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

    private ForeignTopic() {}

    /**
     * @param batches told of some records at a time
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
        String cause = text(record, "exception-cause-fqcn").or(() -> text(record, "exception-fqcn")).map(ForeignTopic::simpleName).orElse(UNSAID);
        return new Import.Imported(cause.substring(0, Math.min(cause.length(), LONGEST_CAUSE)),
                text(record, "exception-message").orElse("found on " + record.topic()),
                new Story.Source(text(record, "original-topic").orElse(record.topic()),
                        (int) number(record, "original-partition", Integer.BYTES).orElse(record.partition()),
                        number(record, "original-offset", Long.BYTES).orElse(record.offset()),
                        Optional.ofNullable(record.key()), Optional.ofNullable(record.value()), Optional.of(evidence(record))));
    }

    private static String simpleName(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    /** The recoverer's header, or the one that a retry topic carries. */
    private static Optional<Header> header(ConsumerRecord<byte[], byte[]> record, String name) {
        return Optional.ofNullable(record.headers().lastHeader("kafka_dlt-" + name))
                .or(() -> Optional.ofNullable(record.headers().lastHeader("kafka_" + name)))
                .filter(header -> header.value() != null);
    }

    private static Optional<String> text(ConsumerRecord<byte[], byte[]> record, String name) {
        return header(record, name).map(header -> new String(header.value(), StandardCharsets.UTF_8)).filter(text -> !text.isBlank());
    }

    /** Big-endian, of exactly that length and not negative; anything else is no number of Spring's. */
    private static OptionalLong number(ConsumerRecord<byte[], byte[]> record, String name, int length) {
        Optional<ByteBuffer> bytes = header(record, name).map(Header::value).filter(value -> value.length == length).map(ByteBuffer::wrap);
        if (bytes.isEmpty()) {
            return OptionalLong.empty();
        }
        long number = length == Long.BYTES ? bytes.get().getLong() : bytes.get().getInt();
        return number < 0 ? OptionalLong.empty() : OptionalLong.of(number);
    }

    /** Capped, for headers are hostile. */
    private static byte[] evidence(ConsumerRecord<byte[], byte[]> record) {
        var headers = new ArrayList<Map<String, String>>();
        for (Header header : record.headers()) {
            if (headers.size() == MOST_HEADERS) {
                break;
            }
            String value = header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
            headers.add(Map.of("name", brief(header.key()), "value", brief(value)));
        }
        return PaymentJson.write(headers);
    }

    private static String brief(String text) {
        return text.length() <= LONGEST_HEADER ? text : text.substring(0, LONGEST_HEADER);
    }
}
