// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/**
 * The topics and their settings. Creating is idempotent: existing topics are left as they are.
 *
 * @param tiers    how many retry tiers are configured; topics of removed tiers are left as they are
 * @param replicas empty for the broker's default
 */
public record TopicPlan(Topics topics, int tiers, int partitions, Optional<Short> replicas) {

    /** The largest record on the main topic: the broker's own default. */
    static final int LARGEST_RECORD = 1024 * 1024;

    /** A dead letter carries its poison as base64, with evidence, so it may be larger. */
    public static final int LARGEST_SEALED = 2 * LARGEST_RECORD;

    private static final int LARGEST_DEAD_LETTER = LARGEST_SEALED + 64 * 1024;

    /** How long a record may wait on a topic. */
    public static final Duration RETENTION = Duration.ofDays(14);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** With the default number of tiers. */
    public TopicPlan(Topics topics, int partitions, Optional<Short> replicas) {
        this(topics, 3, partitions, replicas);
    }

    public List<NewTopic> all() {
        var plan = new ArrayList<NewTopic>();
        plan.add(kept(topics.requests(), Map.of("max.message.bytes", "" + LARGEST_RECORD)));
        for (int tier = 1; tier <= tiers; tier++) {
            plan.add(kept(topics.retry(tier), Map.of("max.message.bytes", "" + LARGEST_DEAD_LETTER)));
        }
        plan.add(topic(topics.deadLetters(), Map.of(
                "cleanup.policy", "compact",
                "max.message.bytes", "" + LARGEST_DEAD_LETTER)));
        plan.add(kept(topics.outcomes(), Map.of()));
        plan.add(kept(topics.disputes(), Map.of()));
        // Not compacted: the database's owner can stage any record, and a tombstone would erase a seal here too.
        plan.add(topic(topics.auditSeals(), Map.of("cleanup.policy", "delete", "retention.ms", "-1")));
        plan.add(kept(topics.intakeRefused(), Map.of()));
        plan.add(kept(topics.waiting(), Map.of()));
        plan.add(kept(topics.overdue(), Map.of()));
        plan.add(kept(topics.receipts(), Map.of()));
        return plan;
    }

    /**
     * The topics whose number of partitions must stay: on the dead letters' a tombstone must reach the partition of its letter, and the
     * order of the seals is the order of one partition.
     */
    public Set<String> neverGrow() {
        return Set.of(topics.deadLetters(), topics.auditSeals());
    }

    /** Creates the missing topics and returns their names. */
    public List<String> create(Admin admin) {
        try {
            Set<String> existing = admin.listTopics().names().get();
            List<NewTopic> missing = all().stream().filter(topic -> !existing.contains(topic.name())).toList();
            admin.createTopics(missing).all().get();
            awaitLeaders(admin, missing);
            return missing.stream().map(NewTopic::name).toList();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while creating topics", e);
        } catch (ExecutionException e) {
            throw new KafkaException("topics could not be created: " + e.getCause().getMessage(), e.getCause());
        }
    }

    /** A broker that is not yet the leader of a new partition may refuse a producer's first batch and take the second. */
    private static void awaitLeaders(Admin admin, List<NewTopic> created) throws InterruptedException, ExecutionException {
        var ends = new HashMap<TopicPartition, OffsetSpec>();
        for (NewTopic topic : created) {
            for (int partition = 0; partition < topic.numPartitions(); partition++) {
                ends.put(new TopicPartition(topic.name(), partition), OffsetSpec.latest());
            }
        }
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                admin.listOffsets(ends).all().get();
                return;
            } catch (ExecutionException e) {
                // A broker learns about a topic a little later than the controller that created it; on a busy machine it is slow to answer.
                if (!(e.getCause() instanceof RetriableException) || System.nanoTime() > giveUp) {
                    throw e;
                }
                Thread.sleep(PAUSE);
            }
        }
    }

    private NewTopic kept(String name, Map<String, String> settings) {
        NewTopic topic = topic(name, settings);
        topic.configs().put("retention.ms", "" + RETENTION.toMillis());
        return topic;
    }

    /**
     * With three or more copies, two of them have every acknowledged record, regardless of the brokers' default. The broker's own clock
     * stamps each record: so no timestamp of ours is refused as too far off, and none changes the wake-up of a tier.
     */
    private NewTopic topic(String name, Map<String, String> settings) {
        var configs = new HashMap<>(settings);
        configs.put("message.timestamp.type", "LogAppendTime");
        replicas.filter(copies -> copies >= 3).ifPresent(enough -> configs.put("min.insync.replicas", "2"));
        return new NewTopic(name, Optional.of(partitions), replicas).configs(configs);
    }
}
