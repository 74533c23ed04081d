// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.Fact.Place;
import io.chargeonce.console.witness.ReadRecords.NextOffsets;
import io.chargeonce.console.witness.Told.Message;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;

/** The witness's topology without a broker, with a clock of its own. The offsets say nothing unless a test sets them. */
final class Streamed implements AutoCloseable {

    static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
    static final Duration GRACE = Duration.ofMinutes(5);
    static final List<Duration> TIERS = List.of(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(10));

    private final AtomicReference<Instant> now = new AtomicReference<>(START);
    private final Map<Place, OffsetEvidence.Standing> standings = new HashMap<>();
    private final Map<String, Long> offsets = new HashMap<>();
    private final TopologyTestDriver driver;
    private final TestOutputTopic<String, byte[]> overdue;
    private boolean complete = true;
    private OffsetEvidence.Standing usual = OffsetEvidence.Standing.UNKNOWN;
    final Board board;

    Streamed() {
        this(Duration.ofDays(14));
    }

    Streamed(Duration history) {
        board = new Board(now::get, Told.TOPICS, TIERS.size());
        var plan = new WitnessPlan(TIERS, GRACE, Duration.ofMinutes(1), history, Duration.ofSeconds(1));
        OffsetEvidence evidence = new OffsetEvidence() {
            @Override
            public Standing standing(int tier, Place place, long at) {
                return standings.getOrDefault(place, usual);
            }

            @Override
            public long completeAsOf(long wall) {
                return complete ? wall : 0;
            }
        };
        driver = new TopologyTestDriver(WitnessTopology.build(Told.TOPICS, Told.SOURCE, plan, evidence, board, new NextOffsets()),
                new Properties(),
                START);
        board.showJourneys(this::journey);
        overdue = driver.createOutputTopic(Told.TOPICS.overdue(), new StringDeserializer(), new ByteArrayDeserializer());
    }

    Instant now() {
        return now.get();
    }

    void take(Message... messages) {
        for (Message message : messages) {
            take(message);
        }
    }

    /** @return its offset */
    long take(Message message) {
        var headers = new RecordHeaders();
        message.headers().forEach((name, value) -> headers.add(name, value.getBytes(StandardCharsets.UTF_8)));
        driver.createInputTopic(message.topic(), new ByteArraySerializer(), new ByteArraySerializer())
                .pipeInput(new TestRecord<>(message.key(), message.value(), headers, message.at()));
        return offsets.merge(message.topic(), 1L, Long::sum) - 1;
    }

    void pass(Duration time) {
        now.updateAndGet(at -> at.plus(time));
        driver.advanceWallClockTime(time);
        // One more look, if the last one was rested from.
        now.updateAndGet(at -> at.plusSeconds(5));
        driver.advanceWallClockTime(Duration.ofSeconds(5));
    }

    void look() {
        pass(Duration.ofSeconds(1));
    }

    /** What the offsets say of all records but those that a test names. */
    void allStand(OffsetEvidence.Standing standing) {
        usual = standing;
    }

    void stands(long offset, OffsetEvidence.Standing standing) {
        standings.put(new Place(0, offset), standing);
    }

    void isBehind(boolean behind) {
        complete = !behind;
    }

    List<TestRecord<String, byte[]>> events() {
        return overdue.readRecordsToList();
    }

    Stage stage(String name, String currency) {
        return stage(name, "charge", currency);
    }

    Stage stage(String name, String kind, String currency) {
        return board.stages().stream()
                .filter(stage -> stage.name().equals(name) && stage.kind().equals(kind) && stage.currency().equals(currency)).findFirst()
                .orElseThrow(() -> new AssertionError("there is no stage %s %s %s in %s".formatted(name, kind, currency, board.stages())));
    }

    long differences() {
        return board.stages().stream().mapToLong(Stage::difference).sum();
    }

    private List<Hop> journey(String payment) {
        var hops = new ArrayList<Hop>();
        try (var found = driver.<String, byte[]>getWindowStore(WatchOperations.JOURNEYS).fetch(payment, 0, Long.MAX_VALUE)) {
            found.forEachRemaining(each -> hops.addAll(HopBytes.read(each.value)));
        }
        return hops;
    }

    @Override
    public void close() {
        driver.close();
    }
}
