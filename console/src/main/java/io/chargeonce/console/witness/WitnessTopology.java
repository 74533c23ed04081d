// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.ReadRecords.NextOffsets;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The witness's topology, in two halves. The first reads the pipeline's topics and keeps nothing. Its facts go through a topic of the
 * witness's own with a fixed number of parts, under the operation's id. The second half keeps the stores, one of each per part. So more
 * partitions of any topic of the pipeline change nothing. All names are given, so that another number of tiers finds the same stores.
 */
final class WitnessTopology {

    static final int PARTS = 4;
    static final String FACTS = "facts";

    private static final Map<String, String> LOGGED = Map.of();
    /** Longer than any topic keeps a record: so no repeated one is taken for a new operation. */
    private static final Duration ENDED_KEPT = TopicPlan.RETENTION.plusDays(1);

    private WitnessTopology() {}

    /**
     * @param source of this installation's events
     * @param next   which offsets are read next
     */
    static Topology build(Topics topics, String source, WitnessPlan plan, OffsetEvidence evidence, Board board, NextOffsets next) {
        var builder = new StreamsBuilder();
        Serde<Fact> facts = FactBytes.serde();
        stores(plan.history()).forEach(builder::addStateStore);
        builder.stream(sources(topics, plan.tiers().size()),
                Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("pipeline")
                        .withOffsetResetPolicy(AutoOffsetReset.earliest()))
                .process(() -> new ReadRecords(topics, plan.tiers().size(), next), Named.as("read-records"))
                .repartition(Repartitioned.with(Serdes.String(), facts).withName(FACTS).withNumberOfPartitions(PARTS))
                .process(() -> new WatchOperations(plan, evidence, board, source), Named.as("watch-operations"), WatchOperations.OPEN,
                        WatchOperations.ENDED, WatchOperations.JOURNEYS, WatchOperations.BOOKS, WatchOperations.RECENT,
                        WatchOperations.COUNTS)
                .to(topics.overdue(), Produced.with(Serdes.String(), events()).withName("overdue"));
        return builder.build();
    }

    static List<String> sources(Topics topics, int tiers) {
        var sources = new ArrayList<String>();
        for (int tier = 0; tier <= tiers; tier++) {
            sources.add(topics.ofTier(tier));
        }
        sources.add(topics.outcomes());
        sources.add(topics.deadLetters());
        sources.add(topics.waiting());
        return sources;
    }

    /** What is open is in memory. What is over, and every journey, is on disk. */
    private static List<StoreBuilder<?>> stores(Duration history) {
        Duration window = Duration.ofMillis(1);
        return List.of(inMemory(WatchOperations.OPEN), inMemory(WatchOperations.BOOKS), inMemory(WatchOperations.RECENT),
                inMemory(WatchOperations.COUNTS),
                Stores.windowStoreBuilder(Stores.persistentWindowStore(WatchOperations.ENDED, ENDED_KEPT, window, false), Serdes.String(),
                        Serdes.ByteArray()).withLoggingEnabled(LOGGED).withCachingDisabled(),
                Stores.windowStoreBuilder(Stores.persistentWindowStore(WatchOperations.JOURNEYS, history, window, false), Serdes.String(),
                        Serdes.ByteArray()).withLoggingEnabled(LOGGED).withCachingDisabled());
    }

    private static StoreBuilder<?> inMemory(String name) {
        return Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(name), Serdes.String(), Serdes.ByteArray())
                .withLoggingEnabled(LOGGED).withCachingDisabled();
    }

    private static Serde<OverdueEvent> events() {
        return Serdes.serdeFrom((topic, event) -> event.toBytes(), (topic, bytes) -> {
            throw new IllegalStateException("Bug! The witness reads no events of its own");
        });
    }
}
