// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import io.chargeonce.dlq.Parts;
import io.chargeonce.dlq.query.Mask;
import io.chargeonce.dlq.story.Import;
import io.chargeonce.dlq.story.Story;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.text.Cut;
import io.chargeonce.wire.PaymentJson;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/** Another system's dead-letter topic, read to the end that it has now. */
public final class ForeignTopic {

    private static final int BATCH = 200;
    private static final int MOST_HEADERS = 50;
    private static final int LONGEST_HEADER = 1024;
    private static final int LONGEST_CAUSE = 100;
    private static final String UNSAID = "foreign";

    private static final Pattern NUMBER = Pattern.compile("kafka_(dlt-)?original-(partition|offset|timestamp)|retry_topic-.*");

    private record Named(String name, String value) {}

    private ForeignTopic() {}

    /**
     * @param topicHeader which header names the topic that a record goes back to, where none of {@link ForeignHeaders} does
     * @param causeHeader which one says why a record failed
     * @param drop        which headers do not go back with a record; a * at the end stands for anything
     * @param batches     gets some records at a time
     * @return how many there were; empty if there is no such topic
     * @throws org.apache.kafka.common.KafkaException if Kafka can't be reached
     */
    public static OptionalLong read(KafkaConnection kafka, String topic, Optional<String> topicHeader, Optional<String> causeHeader,
                                    List<String> drop, Consumer<List<Import.Imported>> batches) {
        var named = new ForeignHeaders.Named(topicHeader, causeHeader, drop);
        Optional<TopicScan> scan = TopicScan.open(kafka, topic);
        if (scan.isEmpty()) {
            return OptionalLong.empty();
        }
        var batch = new ArrayList<Import.Imported>();
        long[] count = {0};
        long[] bytes = {0};
        try (TopicScan open = scan.get()) {
            open.partitions().forEach(partition -> open.read(partition, record -> {
                batch.add(imported(record, named));
                count[0]++;
                bytes[0] += size(record);
                if (batch.size() == BATCH || bytes[0] >= Parts.MOST_BYTES) {
                    batches.accept(List.copyOf(batch));
                    batch.clear();
                    bytes[0] = 0;
                }
            }));
        }
        if (!batch.isEmpty()) {
            batches.accept(List.copyOf(batch));
        }
        return OptionalLong.of(count[0]);
    }

    private static long size(ConsumerRecord<byte[], byte[]> record) {
        long size = Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize());
        for (Header header : record.headers()) {
            size += header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return size;
    }

    /** Its words are kept in clear text, unlike its bytes: an exception may quote what it could not read. */
    static Import.Imported imported(ConsumerRecord<byte[], byte[]> record, ForeignHeaders.Named named) {
        var headers = new ForeignHeaders(record, named);
        return new Import.Imported(Optional.empty(), Cut.to(LONGEST_CAUSE, Mask.personal(headers.cause().orElse(UNSAID))),
                Mask.personal(headers.message().orElse("found on " + record.topic())),
                new Story.Source(headers.topic().orElse(record.topic()), headers.partition(), headers.offset(),
                        Optional.ofNullable(record.key()), Optional.ofNullable(record.value()), Optional.of(evidence(record))),
                Optional.of(headers.wayBack()));
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
        return number ? new BigInteger(header.value()).toString() : ForeignHeaders.text(header);
    }

    private static String brief(String text) {
        return Cut.to(LONGEST_HEADER, text);
    }
}
