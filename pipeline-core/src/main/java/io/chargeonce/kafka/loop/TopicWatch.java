// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.CommittedTopic;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees that a topic was deleted and made again: then the new one is read from its beginning, by a new consumer. Kafka's consumer
 * goes on at the old one's offset, and so passes over what the new one holds; told to begin at 0, it may still read nothing of a
 * partition for ever, for it may know of a later leader of the old topic. Poll thread only.
 *
 * <p>Each commit carries the id of the topic that it belongs to. A partition is read only after the id of its topic is known
 * and the group's committed offset was found to belong to it; from then on the id is looked at every second. A commit that
 * says nothing of a topic, such as one by an operator's tool, is believed.
 */
final class TopicWatch {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Logger log = LoggerFactory.getLogger(TopicWatch.class);

    /** Asks the brokers, without waiting for the answer. */
    interface Descriptions extends Function<Set<String>, Map<String, KafkaFuture<TopicDescription>>> {}

    private final Descriptions descriptions;
    private final Consumer<byte[], byte[]> consumer;
    private final LoopSettings settings;
    private final InstantSource clock;
    private final Assignment assignment;
    private final LoopMeters meters;
    /** By name, the id of each topic that this consumer has met. */
    private final Map<String, String> met = new HashMap<>();
    private Map<String, KafkaFuture<TopicDescription>> asked = Map.of();
    private Instant nextLook = Instant.MIN;

    TopicWatch(Descriptions descriptions, Consumer<byte[], byte[]> consumer, LoopSettings settings, InstantSource clock,
               Assignment assignment, LoopMeters meters) {
        this.descriptions = descriptions;
        this.consumer = consumer;
        this.settings = settings;
        this.clock = clock;
        this.assignment = assignment;
        this.meters = meters;
    }

    /** Some partitions were just assigned: the next look is due at once. */
    void hurry() {
        nextLook = Instant.MIN;
        ask();
    }

    /**
     * Takes what was answered, and asks again when it is time.
     *
     * @throws TopicMadeAgain this consumer has read another topic of the same name
     */
    void look() {
        takeAnswers();
        if (ask()) {
            takeAnswers();
        }
    }

    private boolean ask() {
        boolean due = asked.isEmpty() && !clock.instant().isBefore(nextLook);
        if (due) {
            nextLook = clock.instant().plus(LOOK_EVERY);
            Set<String> topics = assignment.topics();
            asked = topics.isEmpty() ? Map.of() : descriptions.apply(topics);
        }
        return due;
    }

    /** Until it comes some partitions can't be read. */
    boolean awaitsAnAnswer() {
        return !asked.isEmpty() && assignment.all().stream().anyMatch(work -> work.topicId().isEmpty());
    }

    private void takeAnswers() {
        if (asked.isEmpty() || !asked.values().stream().allMatch(KafkaFuture::isDone)) {
            return;
        }
        Map<String, KafkaFuture<TopicDescription>> answered = asked;
        asked = Map.of();
        Map<PartitionWork, String> unknown = new HashMap<>();
        for (PartitionWork work : List.copyOf(assignment.all())) {
            Optional<String> topicId = Optional.ofNullable(answered.get(work.partition.topic())).flatMap(answer -> idOf(work, answer));
            topicId.ifPresent(id -> requireTheSameTopic(work.partition.topic(), id));
            topicId.filter(id -> work.topicId().isEmpty()).ifPresent(id -> unknown.put(work, id));
        }
        begin(unknown);
    }

    private void requireTheSameTopic(String topic, String id) {
        String before = met.putIfAbsent(topic, id);
        if (before != null && !before.equals(id)) {
            tellOfTheNewTopic(topic);
            throw new TopicMadeAgain(topic);
        }
    }

    /** Empty also for a partition that its topic has no more. */
    private Optional<String> idOf(PartitionWork work, KafkaFuture<TopicDescription> answer) {
        try {
            TopicDescription topic = answer.getNow(null);
            return Optional.of(topic.topicId().toString()).filter(id -> work.partition.partition() < topic.partitions().size());
        } catch (CompletionException | KafkaException | InterruptedException | ExecutionException failure) {
            if (work.topicId().isEmpty()) {
                work.refused("the brokers do not tell its topic's id: " + failure, clock.instant());
                log.warn("{}: {} waits until the brokers tell its topic's id: {}", settings.name(), work.partition, failure.toString());
            }
            return Optional.empty();
        }
    }

    private void begin(Map<PartitionWork, String> unknown) {
        if (unknown.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> committed;
        try {
            committed = consumer.committed(unknown.keySet().stream().map(work -> work.partition).collect(Collectors.toSet()), PATIENCE);
        } catch (TimeoutException notNow) {
            log.warn("{}: the group's offsets can't be read now; they are asked for again in a second: {}", settings.name(),
                    notNow.toString());
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> fromTheBeginning = new HashMap<>();
        unknown.forEach((work, topicId) -> {
            OffsetAndMetadata offset = committed.get(work.partition);
            if (offset != null && CommittedTopic.isAnotherThan(topicId, offset)) {
                fromTheBeginning.put(work.partition, CommittedTopic.of(topicId, 0, Optional.empty()));
            }
        });
        if (!fromTheBeginning.isEmpty()) {
            beginWithTheNewTopic(fromTheBeginning);
        }
        unknown.forEach((work, topicId) -> begin(work, topicId, Optional.ofNullable(committed.get(work.partition))));
    }

    private void begin(PartitionWork work, String topicId, Optional<OffsetAndMetadata> committed) {
        // A commit that does not say its topic yet is repeated by one that does.
        committed.filter(offset -> !CommittedTopic.isSaid(offset)).ifPresent(offset -> work.continuesAt(offset.offset()));
        work.belongsTo(topicId);
    }

    /**
     * With the offset of the old topic this consumer has learnt the number of its last leader. The new topic's may be lower, and then
     * the client takes what it hears of the new one for old news, and waits for newer for ever. So the offset is replaced by one
     * that says no leader, and another consumer begins there. Nothing was read yet.
     */
    private void beginWithTheNewTopic(Map<TopicPartition, OffsetAndMetadata> partitions) {
        partitions.keySet().forEach(partition -> tellOfTheNewTopic(partition.toString()));
        consumer.commitSync(partitions, PATIENCE);
        throw new TopicMadeAgain(partitions.keySet().iterator().next().topic());
    }

    private void tellOfTheNewTopic(String what) {
        log.error("ALERT: {}: the topic of {} was deleted and made again; the new one is read from its beginning. What the old one held"
                + " and was not worked on is gone from Kafka: the sweeper stages accepted payments again, producers must send the others"
                + " again", settings.name(), what);
        meters.topicReplaced();
    }
}
