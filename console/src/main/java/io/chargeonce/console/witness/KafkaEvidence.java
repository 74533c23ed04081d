// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.Place;
import io.chargeonce.console.witness.ReadRecords.NextOffsets;
import io.chargeonce.kafka.CommittedTopic;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offsets, as the brokers tell them: how far the pipeline's groups have come, where topics begin and end, and how far the witness itself
 * has read. One thread calls {@link #runOnce}; any may ask.
 */
final class KafkaEvidence implements OffsetEvidence, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(KafkaEvidence.class);
    private static final int SAMPLES = 30;
    private static final int PATIENCE_MS = 10_000;
    private static final long SESSION_IS_OVER_MS = Witness.SESSION_MS + 5_000;
    /** The topics' ids are committed again this often, because after days Kafka forgets what a group without members has committed. */
    private static final long REMEMBERED_FOR_MS = 3_600_000;
    /** Older positions say nothing about now. */
    private static final long FRESH_MS = 60_000;

    /** @param finished what the group had finished when the time was up that a record has after that */
    private record Position(long first, long finished, long end) {}

    /** How far a group was at a time. */
    private record Sample(long at, long finished) {}

    private record Positions(long at, Map<TopicPartition, Position> byPartition) {}

    /** Everything before these ends was there at that time. */
    private record Ends(long at, Map<TopicPartition, Long> ends) {}

    private final Topics topics;
    private final List<String> sources;
    private final int tiers;
    private final String group;
    private final InstantSource clock;
    private final long grace;
    private final KafkaConnection kafka;
    private volatile Admin admin;
    private volatile Positions positions = new Positions(0, Map.of());
    private volatile long completeAsOf;
    private volatile long toRead;
    /** By topic, of those that the streams read; empty before they begin. */
    private volatile Map<String, String> ids = Map.of();
    private volatile boolean another;
    private volatile long rememberedAt;
    private volatile String problem = "";
    /** Since when the group has had a member that is not this witness; 0 if it has none. */
    private volatile long sharedSince;
    private final Map<TopicPartition, ArrayDeque<Sample>> samples = new HashMap<>();
    private Optional<Ends> records = Optional.empty();
    private Optional<Ends> facts = Optional.empty();

    KafkaEvidence(KafkaConnection kafka, Topics topics, int tiers, String group, InstantSource clock, Duration overdueAfter) {
        this.topics = topics;
        this.tiers = tiers;
        this.sources = WitnessTopology.sources(topics, tiers);
        this.group = group;
        this.clock = clock;
        this.grace = overdueAfter.toMillis();
        this.kafka = kafka;
        this.admin = newAdmin();
    }

    private Admin newAdmin() {
        Map<String, Object> client = kafka.clientProperties();
        client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MS);
        client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MS);
        return Admin.create(client);
    }

    @Override
    public Standing standing(int tier, Place place, long at) {
        Positions known = positions;
        Position position = known.byPartition.get(new TopicPartition(topics.ofTier(tier), place.partition()));
        if (position == null || clock.millis() - known.at > FRESH_MS) {
            return Standing.UNKNOWN;
        }
        // An old record beyond the end was in a topic that was deleted and made again, or in a tail that was lost.
        boolean beyond = place.offset() >= position.end && at < known.at - FRESH_MS;
        if (place.offset() < position.first || beyond) {
            return Standing.GONE;
        }
        return place.offset() < position.finished ? Standing.FINISHED : Standing.AHEAD;
    }

    /** A witness that was restarted knows nothing for sure until it has read up to the present again. */
    @Override
    public long completeAsOf(long wall) {
        return completeAsOf;
    }

    /** How many records it still has to read, of the topics and of its own facts. */
    long toRead() {
        return toRead;
    }

    /** What keeps it from knowing; empty if nothing does. */
    String problem() {
        return problem;
    }

    /**
     * Whether another witness works under this one's name. Both would take the work from each other for ever. What a witness that was
     * killed leaves in the group is gone before.
     */
    boolean isShared() {
        long since = sharedSince;
        return since > 0 && clock.millis() - since > SESSION_IS_OVER_MS;
    }

    /** This witness has one thread, and so one member at most. */
    private void countMembers(long at) throws ExecutionException, InterruptedException {
        int members = members();
        sharedSince = members <= 1 ? 0 : sharedSince == 0 ? at : sharedSince;
    }

    private int members() throws ExecutionException, InterruptedException {
        try {
            return admin.describeConsumerGroups(List.of(group)).all().get().get(group).members().size();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return 0;
            }
            throw e;
        }
    }

    /** What was said before is no longer vouched for: the streams begin again. */
    synchronized void forget() {
        completeAsOf = 0;
        records = Optional.empty();
        facts = Optional.empty();
    }

    /** Whether a topic was deleted and made again since {@link #leaveOldTopics}. */
    boolean isAtAnotherTopic() {
        return another;
    }

    /**
     * Moves this witness's offsets in topics that were deleted and made again to the beginning of the new ones. A consumer would go on at
     * the old topic's offset, or read nothing, because it knows later leaders than the new one has had. Call it while no streams run; it
     * fails while the group still has a member.
     */
    synchronized void leaveOldTopics() throws ExecutionException, InterruptedException {
        Map<String, TopicDescription> there = describe(sources);
        Map<TopicPartition, OffsetAndMetadata> known = admin.listConsumerGroupOffsets(ofIds()).partitionsToOffsetAndMetadata().get();
        var old = new HashSet<String>();
        for (TopicPartition partition : committed(group).keySet()) {
            TopicDescription now = there.get(partition.topic());
            // Kafka forgets what is committed for a topic that is deleted, but a consumer that still runs may commit its position again.
            OffsetAndMetadata id = known.get(new TopicPartition(partition.topic(), 0));
            if (now != null && (id == null || CommittedTopic.isAnotherThan(now.topicId().toString(), id))) {
                old.add(partition.topic());
            }
        }
        if (!old.isEmpty()) {
            LOG.warn("Topics were deleted and made again, so the witness goes to their beginnings: {}", old);
            var begins = new HashMap<TopicPartition, OffsetAndMetadata>();
            offsets(partitions(there.entrySet().stream().filter(topic -> old.contains(topic.getKey())).map(Map.Entry::getValue).toList()),
                    OffsetSpec.earliest()).forEach((partition, first) -> begins.put(partition, new OffsetAndMetadata(first)));
            admin.alterConsumerGroupOffsets(group, begins).all().get();
        }
        remember(ids(there));
        another = false;
    }

    /** The group of the topics' ids: Kafka Streams writes its own words into the offsets of the witness's group. */
    private String ofIds() {
        return group + "-topics";
    }

    private void remember(Map<String, String> now) throws ExecutionException, InterruptedException {
        var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
        now.forEach((topic, id) -> offsets.put(new TopicPartition(topic, 0), CommittedTopic.of(id, 0, Optional.empty())));
        admin.alterConsumerGroupOffsets(ofIds(), offsets).all().get();
        ids = now;
        rememberedAt = clock.millis();
    }

    private static Map<String, String> ids(Map<String, TopicDescription> topics) {
        return topics.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, topic -> topic.getValue().topicId().toString()));
    }

    /** The offsets at which this witness stopped. */
    void readStart(NextOffsets next) throws ExecutionException, InterruptedException {
        committed(group).forEach((partition, offset) -> next.startAt(partition, offset));
    }

    /** One look at the brokers. Returns 0, so that its worker pauses. */
    int runOnce() {
        try {
            look();
            problem = "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | KafkaException e) {
            Throwable why = e instanceof ExecutionException ? e.getCause() : e;
            if (problem.isEmpty()) {
                LOG.warn("The witness cannot read offsets: {}. It judges nothing until it can", why.toString());
            }
            if (why instanceof AuthenticationException) {
                renew();
            }
            problem = "Kafka does not tell offsets (%s): check that the brokers answer, and the console's rights there"
                    .formatted(why.getMessage());
        }
        return 0;
    }

    /** A client keeps the password that it was created with, and the file may hold another one by now. */
    private void renew() {
        try {
            Admin renewed = newAdmin();
            admin.close();
            admin = renewed;
        } catch (KafkaException | IllegalArgumentException e) {
            LOG.warn("Kafka refuses the credentials, and its properties file cannot be used now. It will be read again: {}",
                    e.getMessage());
        }
    }

    private synchronized void look() throws ExecutionException, InterruptedException {
        long at = clock.millis();
        Map<TopicPartition, Long> finished = new HashMap<>();
        for (int tier = 0; tier <= tiers; tier++) {
            String topic = topics.ofTier(tier);
            committed(topics.groupOfTier(tier)).forEach((partition, offset) -> {
                if (partition.topic().equals(topic)) {
                    finished.put(partition, offset);
                }
            });
        }
        Map<String, TopicDescription> there = describe(sources);
        if (another || !ids.isEmpty() && !ids.equals(ids(there))) {
            another = true;
            forget();
            return;
        }
        if (!ids.isEmpty() && at - rememberedAt > REMEMBERED_FOR_MS) {
            remember(ids);
        }
        Collection<TopicPartition> partitions = partitions(there.values());
        // Read after the groups' offsets: a group that seems to be beyond its topic's end is that of an earlier topic.
        Map<TopicPartition, Long> first = offsets(partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest());
        var now = new HashMap<TopicPartition, Position>();
        first.forEach((partition, begins) -> {
            long done = finished.getOrDefault(partition, 0L);
            long finishedNow = done <= ends.get(partition) ? done : 0;
            now.put(partition, new Position(begins, finishedLongAgo(partition, at, finishedNow), ends.get(partition)));
        });
        positions = new Positions(at, now);
        countMembers(at);
        advance(new Ends(at, ends), first);
    }

    /**
     * A record that was finished a moment ago still has its time: its attempt may be under way after a backlog of hours. The first sample
     * counts as old.
     */
    private long finishedLongAgo(TopicPartition partition, long at, long finished) {
        ArrayDeque<Sample> known = samples.computeIfAbsent(partition, first -> new ArrayDeque<>());
        if (known.isEmpty() || at - known.getLast().at >= grace / SAMPLES || finished < known.getLast().finished) {
            known.addLast(new Sample(at, finished));
        }
        while (known.size() > 1 && known.stream().skip(1).findFirst().orElseThrow().at <= at - grace) {
            known.removeFirst();
        }
        // A group that was put back, or a topic that was made again, has finished only what it says now.
        return Math.min(known.getFirst().finished, finished);
    }

    /** First all records up to a time must have become facts, then all those facts must have been taken in. */
    private void advance(Ends latest, Map<TopicPartition, Long> first) throws ExecutionException, InterruptedException {
        Map<TopicPartition, Long> read = committed(group);
        if (records.isEmpty()) {
            records = Optional.of(latest);
        }
        long left = toRead(latest.ends, latest.ends, first, read);
        if (facts.isEmpty() && toRead(records.get().ends, latest.ends, first, read) == 0) {
            facts = Optional.of(new Ends(records.get().at, factEnds()));
            records = Optional.of(latest);
        }
        if (facts.isPresent()) {
            long factsLeft = toRead(facts.get().ends, Map.of(), Map.of(), read);
            left += factsLeft;
            if (factsLeft == 0) {
                completeAsOf = Math.max(completeAsOf, facts.get().at);
                facts = Optional.empty();
            }
        }
        toRead = left;
    }

    /**
     * How many records before these ends are not read yet.
     *
     * @param ends   of some time ago
     * @param latest of now; lower than those before if a topic was deleted and made again since
     */
    static long toRead(Map<TopicPartition, Long> ends, Map<TopicPartition, Long> latest, Map<TopicPartition, Long> first,
                       Map<TopicPartition, Long> read) {
        return ends.entrySet().stream().mapToLong(each -> {
            long begins = first.getOrDefault(each.getKey(), 0L);
            long done = read.getOrDefault(each.getKey(), 0L);
            long end = latest.getOrDefault(each.getKey(), Long.MAX_VALUE);
            // Further than the latest end: that was another topic of this name, and this one is read from its beginning.
            return Math.max(0, Math.min(each.getValue(), end) - (done > end ? begins : Math.max(begins, done)));
        }).sum();
    }

    private Map<TopicPartition, Long> factEnds() throws ExecutionException, InterruptedException {
        return offsets(partitions(describe(List.of(group + "-" + WitnessTopology.FACTS + "-repartition")).values()), OffsetSpec.latest());
    }

    private Map<String, TopicDescription> describe(Collection<String> named) throws ExecutionException, InterruptedException {
        return admin.describeTopics(named).allTopicNames().get();
    }

    private static Collection<TopicPartition> partitions(Collection<TopicDescription> topics) {
        return topics.stream()
                .flatMap(topic -> topic.partitions().stream().map(info -> new TopicPartition(topic.name(), info.partition()))).toList();
    }

    private Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, OffsetSpec which)
            throws ExecutionException, InterruptedException {
        return admin.listOffsets(partitions.stream().collect(Collectors.toMap(each -> each, each -> which))).all().get().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().offset()));
    }

    private Map<TopicPartition, Long> committed(String of) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> offsets =
                admin.listConsumerGroupOffsets(of).partitionsToOffsetAndMetadata().get();
        var known = new HashMap<TopicPartition, Long>();
        offsets.forEach((partition, offset) -> {
            if (offset != null) {
                known.put(partition, offset.offset());
            }
        });
        return known;
    }

    @Override
    public void close() {
        admin.close();
    }
}
