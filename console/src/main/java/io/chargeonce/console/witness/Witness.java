// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Board.Sighting;
import io.chargeonce.console.witness.ReadRecords.NextOffsets;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.runtime.Worker;
import io.chargeonce.wire.AccessPlan;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.GroupProtocol;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyWindowStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the witness's streams. When they fail, for whatever reason, they are closed and begin again after a pause, from what they had
 * committed; until they have read up to the present again, the witness says that it does not know. Any thread.
 */
public final class Witness implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Witness.class);
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(5);
    private static final Duration TO_CLOSE = Duration.ofSeconds(20);
    private static final Duration TOLD_EVERY = Duration.ofSeconds(20);
    /** What it says is no older than this while it is live. */
    static final Duration LIVE_WITHIN = Duration.ofSeconds(30);
    /** More than a live witness is behind. */
    private static final Duration SKEW = Duration.ofMinutes(1);
    /** A deletion of records that were not read is told for this long. */
    private static final Duration MISSED_TOLD = Duration.ofDays(1);
    /** A witness that was killed holds up its successor for this long. */
    static final int SESSION_MS = 10_000;

    private final KafkaConnection kafka;
    private final WitnessSettings settings;
    private final Topics topics;
    private final String source;
    private final WitnessPlan plan;
    private final InstantSource clock;
    private final Board board;
    private final KafkaEvidence evidence;
    private final String id;
    private final Path stateFolder;
    private final AtomicReference<Optional<KafkaStreams>> streams = new AtomicReference<>(Optional.empty());
    private final Restoring restoring = new Restoring();
    private final List<Worker> workers = new ArrayList<>();
    private volatile boolean closed;
    private volatile String failure = "";
    private volatile Instant failedAt = Instant.EPOCH;
    private volatile Instant liveSince;
    private volatile long mostToGo;
    /** Whether the log says that it has not read everything. */
    private boolean isTold;
    private Instant toldAt = Instant.EPOCH;

    private Witness(WitnessSettings settings, KafkaConnection kafka, Topics topics, String source, List<Duration> tiers,
                    InstantSource clock) {
        this.settings = settings;
        this.kafka = kafka;
        this.topics = topics;
        this.source = source;
        this.clock = clock;
        this.plan = new WitnessPlan(List.copyOf(tiers), settings);
        this.board = new Board(clock, topics, tiers.size());
        this.id = AccessPlan.CONSOLES_OWN + "-" + settings.name().orElse(topics.prefix());
        this.evidence = new KafkaEvidence(kafka, topics, tiers.size(), id, clock, settings.overdueAfter());
        this.stateFolder = settings.stateFolder().orElseGet(Witness::temporaryFolder);
        board.showProgress(this::progress);
        board.showJourneys(this::journey);
    }

    /**
     * Starts in the background; Kafka need not answer yet.
     *
     * @param source of this installation's events
     * @param tiers  the delay of each tier, the shortest first
     */
    public static Witness start(WitnessSettings settings, KafkaConnection kafka, Topics topics, String source, List<Duration> tiers,
                                MeterRegistry meters) {
        var witness = new Witness(settings, kafka, topics, source, tiers, InstantSource.system());
        var shown = new WitnessMeters(meters, witness.board, witness.evidence, settings.differenceAfter(), witness.clock);
        witness.workers.add(Worker.start("witness-offsets", settings.look(), witness.evidence::runOnce));
        witness.workers.add(Worker.start("witness-streams", settings.look(), () -> {
            witness.runOnce();
            shown.update();
            return 0;
        }));
        return witness;
    }

    public WitnessView view() {
        return board;
    }

    /** Starts the streams if there are none, and closes those that have failed. */
    private void runOnce() {
        Optional<KafkaStreams> running = streams.get();
        if (running.isEmpty()) {
            if (!closed && !clock.instant().isBefore(failedAt.plus(AGAIN_AFTER))) {
                begin();
            }
            return;
        }
        boolean another = evidence.isAtAnotherTopic();
        if (another || running.get().state() == KafkaStreams.State.ERROR || running.get().state() == KafkaStreams.State.NOT_RUNNING) {
            failed(another ? "a topic was deleted and made again" : failure.isEmpty() ? "its streams have stopped" : failure);
            running.get().close(TO_CLOSE);
            streams.set(Optional.empty());
        }
        noteWhetherLive();
    }

    private void begin() {
        try {
            evidence.forget();
            evidence.leaveOldTopics();
            var next = new NextOffsets();
            evidence.readStart(next);
            var begun = new KafkaStreams(WitnessTopology.build(topics, source, plan, evidence, board, next), properties());
            begun.setUncaughtExceptionHandler(bug -> {
                failure = bug.getCause() == null ? bug.toString() : bug.getCause().toString();
                LOG.error("The witness's streams failed; they begin again in {}", AGAIN_AFTER, bug);
                return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
            });
            begun.setGlobalStateRestoreListener(restoring);
            streams.set(Optional.of(begun));
            begun.start();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | KafkaException | IllegalArgumentException e) {
            failed(e.getMessage());
        }
    }

    private void failed(String why) {
        LOG.warn("The witness's streams do not run: {}", why);
        evidence.forget();
        restoring.clear();
        liveSince = null;
        mostToGo = 0;
        failedAt = clock.instant();
        failure = "The witness's streams stopped (%s) and begin again by themselves; if this stays, read the console's log".formatted(why);
    }

    private Properties properties() {
        Map<String, Object> all = new HashMap<>(kafka.clientProperties());
        all.put(StreamsConfig.APPLICATION_ID_CONFIG, id);
        all.put(StreamsConfig.STATE_DIR_CONFIG, stateFolder.toString());
        // Each fact is counted once, also after a crash: offsets, stores and events are committed together.
        all.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        all.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, GroupProtocol.CLASSIC.name().toLowerCase(Locale.ROOT));
        all.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
        all.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        all.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, RocksMemory.class);
        all.put(StreamsConfig.DEFAULT_TIMESTAMP_EXTRACTOR_CLASS_CONFIG,
                UsePartitionTimeOnInvalidTimestamp.class);
        all.put(StreamsConfig.BUFFERED_RECORDS_PER_PARTITION_CONFIG, 200);
        all.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), SESSION_MS);
        all.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), 1_000);
        // So a topic's new partitions are found soon.
        all.put(StreamsConfig.consumerPrefix(ConsumerConfig.METADATA_MAX_AGE_CONFIG), 10_000);
        var properties = new Properties();
        properties.putAll(all);
        return properties;
    }

    private void noteWhetherLive() {
        boolean live = isLive();
        if (live) {
            if (liveSince == null) {
                liveSince = clock.instant();
                failure = "";
            }
        } else {
            mostToGo = Math.max(mostToGo, toGo());
        }
        if (live && isTold) {
            LOG.info("The witness has read everything again: {}", standing());
            isTold = false;
        } else if (!live && liveSince != null && !isTold || isTold && clock.instant().isAfter(toldAt.plus(TOLD_EVERY))) {
            LOG.warn("The witness has not read everything: {}", standing());
            isTold = true;
            toldAt = clock.instant();
        }
    }

    private String standing() {
        long now = clock.millis();
        long complete = evidence.completeAsOf(now);
        return "its streams are %s, %d of %d parts are here, %d records are left, and it knows everything up to %s".formatted(
                streams.get().map(running -> running.state().name()).orElse("closed"), board.parts(), WitnessTopology.PARTS, toGo(),
                complete == 0 ? "no time yet" : Instant.ofEpochMilli(complete));
    }

    /** Every part runs here, has looked at its operations, and has read what was there less than half a minute ago. */
    private boolean isLive() {
        long recent = clock.millis() - LIVE_WITHIN.toMillis();
        return streams.get().filter(running -> running.state() == KafkaStreams.State.RUNNING).isPresent()
                && board.parts() == WitnessTopology.PARTS && evidence.completeAsOf(clock.millis()) > recent
                && board.sightings().stream().allMatch(part -> part.judgedAt() > recent);
    }

    private long toGo() {
        return evidence.toRead() + restoring.left();
    }

    private WitnessProgress progress() {
        boolean live = isLive();
        WitnessProgress.State state = closed ? WitnessProgress.State.STOPPED : live ? WitnessProgress.State.LIVE
                : streams.get().isEmpty() ? WitnessProgress.State.STARTING : WitnessProgress.State.REBUILDING;
        long toGo = toGo();
        double percent = live ? 100 : mostToGo == 0 ? 0 : Math.max(0, Math.min(99.9, 100.0 * (mostToGo - toGo) / mostToGo));
        long open = board.sightings().stream().mapToLong(Sighting::open).sum();
        return new WitnessProgress(state, percent, toGo, liveSince, open, problem(live));
    }

    private String problem(boolean live) {
        // Whatever its streams do meanwhile: the two take the work from each other, and read it again each time.
        if (evidence.isShared()) {
            return "Another console with the witness name '%s' is running and takes a part of the work: give each its own %s"
                    .formatted(settings.name().orElse(topics.prefix()), WitnessSettings.NAME.name());
        }
        // Of what is live, the worker forgets the failure only at its next look.
        if (!live && !failure.isEmpty()) {
            return failure;
        }
        if (!evidence.problem().isEmpty()) {
            return evidence.problem();
        }
        if (live && Math.abs(board.ahead()) > SKEW.toMillis()) {
            return "This host's clock differs from the brokers' by %d s, so what is overdue cannot be judged well: correct the clock"
                    .formatted(board.ahead() / 1000);
        }
        Instant since = clock.instant().minus(MISSED_TOLD);
        long missed = board.sightings().stream().filter(part -> Instant.ofEpochMilli(part.missedAt()).isAfter(since))
                .mapToLong(Sighting::missed).sum();
        return missed == 0 ? "" : missed + " records were deleted from the topics before the witness could read them: what it says of the "
                + "time before is not complete. Find out who deleted them; dlq verify compares the queue";
    }

    private List<Hop> journey(String payment) {
        try {
            Optional<KafkaStreams> running = streams.get();
            if (running.isEmpty()) {
                return List.of();
            }
            ReadOnlyWindowStore<String, byte[]> store = running.get().store(StoreQueryParameters
                    .<ReadOnlyWindowStore<String, byte[]>>fromNameAndType(WatchOperations.JOURNEYS, QueryableStoreTypes.windowStore())
                    .enableStaleStores());
            var hops = new ArrayList<Hop>();
            try (var found = store.fetch(payment, Instant.EPOCH, Instant.ofEpochMilli(Long.MAX_VALUE))) {
                found.forEachRemaining(each -> hops.addAll(HopBytes.read(each.value)));
            }
            hops.sort(Comparator.comparing(Hop::at));
            return hops;
        } catch (StreamsException | IllegalStateException notNow) {
            return List.of();
        }
    }

    private static Path temporaryFolder() {
        try {
            return Files.createTempDirectory("chargeonce-console-");
        } catch (IOException e) {
            throw new UncheckedIOException("The witness cannot make a temporary folder: set " + WitnessSettings.STATE_FOLDER.name(), e);
        }
    }

    /** Commits what was read and leaves; takes up to {@link #TO_CLOSE}. */
    @Override
    public void close() {
        closed = true;
        workers.forEach(Worker::close);
        streams.get().ifPresent(running -> running.close(TO_CLOSE));
        evidence.close();
        if (settings.stateFolder().isEmpty()) {
            delete(stateFolder);
        }
    }

    private static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("The witness's temporary folder {} could not be deleted: {}", folder, e.toString());
        }
    }

    /** How many records of the stores' own topics are still to be read. Any thread. */
    private static final class Restoring implements StateRestoreListener {

        private final Map<String, Long> left = new ConcurrentHashMap<>();

        @Override
        public void onRestoreStart(TopicPartition partition, String store, long from, long to) {
            left.put(partition + store, Math.max(0, to - from));
        }

        @Override
        public void onBatchRestored(TopicPartition partition, String store, long to, long count) {
            left.computeIfPresent(partition + store, (same, before) -> Math.max(0, before - count));
        }

        @Override
        public void onRestoreEnd(TopicPartition partition, String store, long count) {
            left.remove(partition + store);
        }

        @Override
        public void onRestoreSuspended(TopicPartition partition, String store, long count) {
            left.remove(partition + store);
        }

        long left() {
            return left.values().stream().mapToLong(Long::longValue).sum();
        }

        void clear() {
            left.clear();
        }
    }
}
