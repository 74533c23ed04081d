// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.Place;
import io.chargeonce.wire.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/**
 * Turns the records of all topics into facts under the operation's id. It keeps no store, so the topics may have any number of partitions,
 * and get more.
 */
final class ReadRecords implements Processor<byte[], byte[], String, Fact> {

    /** The key of facts that concern no operation. No operation's id begins like this. */
    static final String NO_OPERATION = "#";

    private final Topics topics;
    private final ReadRecord read;
    private final NextOffsets next;
    private ProcessorContext<String, Fact> context;

    ReadRecords(Topics topics, int tiers, NextOffsets next) {
        this.topics = topics;
        this.read = new ReadRecord(topics, tiers);
        this.next = next;
    }

    @Override
    public void init(ProcessorContext<String, Fact> newContext) {
        context = newContext;
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        RecordMetadata from = context.recordMetadata().orElseThrow(() -> new IllegalStateException("Bug! A record from no topic"));
        // A compacted topic has gaps by nature.
        long missed = next.read(new TopicPartition(from.topic(), from.partition()), from.offset());
        if (missed > 0 && !from.topic().equals(topics.deadLetters())) {
            context.forward(new Record<>(NO_OPERATION + from.topic(), (Fact) new Fact.Missed(missed), record.timestamp()));
        }
        Fact fact = read.read(from.topic(), new Place(from.partition(), from.offset()), record.key(), record.value(), record.headers());
        String key = fact instanceof Fact.Unreadable ? NO_OPERATION + from.topic() : new String(record.key(), StandardCharsets.UTF_8);
        context.forward(new Record<>(key, fact, record.timestamp()));
    }

    /** Which offset of each partition is read next, to notice records that were deleted before they were read. Any thread. */
    static final class NextOffsets {

        private final Map<TopicPartition, Long> next = new ConcurrentHashMap<>();

        /** Where an earlier start stopped. Without one, the history begins with the topics, and nothing is missed there. */
        void startAt(TopicPartition partition, long offset) {
            next.put(partition, offset);
        }

        /** @return how many records before this one were never seen */
        long read(TopicPartition partition, long offset) {
            Long expected = next.put(partition, offset + 1);
            return expected == null ? 0 : Math.max(0, offset - expected);
        }
    }
}
