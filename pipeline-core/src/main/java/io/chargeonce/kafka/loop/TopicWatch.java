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
 * Detects that a topic was deleted and created again. The new topic is then read from its beginning, by a new consumer. Without this,
 * Kafka's consumer continues at the old topic's offset and skips records of the new one. Even when told to start at 0, it may never read a
 * partition, because it may remember a later leader epoch of the old topic. Poll thread only.
 *
 * <p>Each commit carries the id of its topic. A partition is read only after its topic's id is known and the group's committed offset was
 * found to belong to it. From then on the id is checked every second. A commit without a topic id, such as one by an operator's tool, is
 * trusted.
 */
final class TopicWatch {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Logger log = LoggerFactory.getLogger(TopicWatch.class);

    /**
     * A topic was deleted and created again while a consumer was running. The consumer has to be replaced: the positions and the leader
     * epoch that it remembers from the old topic can keep it from ever reading a partition of the new one.
     */
    static final class TopicMadeAgain extends RuntimeException {
        private static final long serialVersionUID = 1;

        TopicMadeAgain(String topic) {
            super("topic " + topic + " was deleted and created again");
        }
    }

    /** Requests descriptions from the brokers without waiting for the answer. */
    interface Descriptions extends Function<Set<String>, Map<String, KafkaFuture<TopicDescription>>> {}

    private final Descriptions descriptions;
    private final Consumer<byte[], byte[]> consumer;
    private final LoopSettings settings;
    private final InstantSource clock;
    private final Assignment assignment;
    private final LoopMeters meters;
    /** The id of each topic that this consumer has met, by the topic's name. */
    private final Map<String, String> met = new HashMap<>();
    private Map<String, KafkaFuture<TopicDescription>> requested = Map.of();
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

    /** Some partitions were just assigned, so the next check is due at once. */
    void hurry() {
        nextLook = Instant.MIN;
        ask();
    }

    /**
     * Takes the answers that have arrived, and sends the next request when it is due.
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
        boolean due = requested.isEmpty() && !clock.instant().isBefore(nextLook);
        if (due) {
            nextLook = clock.instant().plus(LOOK_EVERY);
            Set<String> topics = assignment.topics();
            requested = topics.isEmpty() ? Map.of() : descriptions.apply(topics);
        }
        return due;
    }

    /** Whether an answer is under way that some partition needs before it can be read. */
    boolean awaitsAnAnswer() {
        return !requested.isEmpty() && assignment.all().stream().anyMatch(work -> work.topicId().isEmpty());
    }

    private void takeAnswers() {
        if (requested.isEmpty() || !requested.values().stream().allMatch(KafkaFuture::isDone)) {
            return;
        }
        Map<String, KafkaFuture<TopicDescription>> answered = requested;
        requested = Map.of();
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
            reportTheNewTopic(topic);
            throw new TopicMadeAgain(topic);
        }
    }

    /** Also empty for a partition that its topic no longer has. */
    private Optional<String> idOf(PartitionWork work, KafkaFuture<TopicDescription> answer) {
        try {
            TopicDescription topic = answer.getNow(null);
            if (work.partition.partition() >= topic.partitions().size()) {
                return Optional.empty();
            }
            work.ledBy(Optional.ofNullable(topic.partitions().get(work.partition.partition()).leader()));
            return Optional.of(topic.topicId().toString());
        } catch (CompletionException | KafkaException | InterruptedException | ExecutionException failure) {
            if (work.topicId().isEmpty()) {
                work.refused("the brokers do not return its topic's id: " + failure, clock.instant());
                log.warn("{}: {} waits until the brokers return its topic's id: {}", settings.name(), work.partition, failure.toString());
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
            log.warn("{}: the group's offsets can't be read now; the next try is in a second: {}", settings.name(),
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
        // A commit without a topic id is repeated by one that has it.
        committed.filter(offset -> !CommittedTopic.isKnown(offset)).ifPresent(offset -> work.continuesAt(offset.offset()));
        work.belongsTo(topicId);
    }

    /**
     * With the old topic's offset this consumer has learnt its last leader epoch. The new topic's epochs may be lower. The client then
     * takes the new topic's metadata for stale and waits for newer ones for ever. So the offset is replaced by one without a leader epoch,
     * and another consumer starts there. Nothing was read yet.
     */
    private void beginWithTheNewTopic(Map<TopicPartition, OffsetAndMetadata> partitions) {
        partitions.keySet().forEach(partition -> reportTheNewTopic(partition.toString()));
        consumer.commitSync(partitions, PATIENCE);
        throw new TopicMadeAgain(partitions.keySet().iterator().next().topic());
    }

    private void reportTheNewTopic(String what) {
        log.error(
                "ALERT: {}: the topic of {} was deleted and created again. The new one is read from its beginning. Records of the old "
                        + "one that"
                        + " were not done are gone from Kafka: the sweeper stages accepted payments again, and producers must send "
                        + "the others"
                        + " again",
                settings.name(), what);
        meters.topicReplaced();
    }
}
