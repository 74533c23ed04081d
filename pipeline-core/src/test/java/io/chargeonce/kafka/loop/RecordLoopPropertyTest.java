// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs a loop against {@link ScriptedKafka}, in steps derived from a seed: records of several merchants arrive, handler calls end in every
 * way and in any order, partitions leave and return, consumers break, commits fail, the topic is created again, time passes. At each step
 * no offset is committed beyond an unfinished record, no key is out of order, and the number of held records is bounded. At the end the
 * calls for one merchant hang, and all records of the others get done; then those do too.
 */
class RecordLoopPropertyTest {
    private static final int PARTITIONS = 3;
    private static final int BUFFER = 8;
    private static final int MOST_HELD = PARTITIONS * 6 * BUFFER;
    /** Fewer than are read ahead behind a flood. */
    private static final int MOST_OF_THE_FLOOD = 30;
    /** Fewer than may be uncommittable. */
    private static final int MOST_OF_A_LOG = 180;
    private static final String FLOOD = "flood";
    private static final Verdict DONE = Verdict.done();

    private static final class PlantedError extends Error {
        private static final long serialVersionUID = 1;
    }

    private record Handling(ConsumerRecord<byte[], byte[]> record, boolean again, CompletableFuture<Verdict> end) {
        String share() {
            return new String(record.value());
        }
    }

    /** One seed's game. */
    private static final class Game implements RecordHandler {
        private final Random random;
        private final String name;
        private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        private final InstantSource clock = now::get;
        private final ScriptedKafka kafka;
        private final LoopSettings settings;
        private final LoopMeters meters = new LoopMeters(new SimpleMeterRegistry(), "loop");
        private final Workers workers;
        private final Signal drained = new Signal();
        private final Assignment assignment;
        private final ForbiddenTopics forbidden;
        private final int[] flooded = new int[PARTITIONS];
        private Membership membership;

        private final List<Handling> open = new ArrayList<>();
        private final Set<ConsumerRecord<byte[], byte[]>> done = Collections.newSetFromMap(new IdentityHashMap<>());
        private final List<String> violations = new ArrayList<>();

        Game(int seed) {
            name = "seed " + seed;
            random = new Random(seed);
            kafka = new ScriptedKafka(random, PARTITIONS);
            settings = LoopSettings.of("loop", Set.of(ScriptedKafka.TOPIC), 1 + random.nextInt(6))
                    .withBuffer(new BufferLimit(BUFFER, 1 << 20, 200)).withWaits(Duration.ZERO, Duration.ZERO)
                    .withMostPerSecond(random.nextBoolean() ? 50 : Integer.MAX_VALUE)
                    .withStuckAfter(random.nextBoolean() ? Duration.ofSeconds(5) : Duration.ofDays(1));
            workers = new Workers(settings, this, clock, meters);
            assignment = new Assignment(settings.buffer(), settings.budget(), drained);
            forbidden = new ForbiddenTopics(settings.topics(), clock);
            join();
        }

        private void join() {
            Duration delay = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(300);
            membership = new Membership(kafka.newConsumer(), kafka.descriptions(), settings, DueTimes.afterAppend(delay, clock), clock,
                    workers, assignment, drained, meters, forbidden, Loops::noBatchReader);
            membership.join();
        }

        @Override
        public Verdict handle(ConsumerRecord<byte[], byte[]> record) throws Exception {
            var mine = new Handling(record, Thread.currentThread().getName().endsWith("-again"), new CompletableFuture<>());
            begun(mine);
            try {
                return mine.end.get();
            } catch (ExecutionException planted) {
                if (planted.getCause() instanceof Exception failure) {
                    throw failure;
                }
                throw new PlantedError();
            }
        }

        @Override
        public String shareOf(ConsumerRecord<byte[], byte[]> record) {
            return new String(record.value());
        }

        private synchronized void begun(Handling handling) {
            ConsumerRecord<byte[], byte[]> record = handling.record;
            kafka.log(new TopicPartition(record.topic(), record.partition())).stream()
                    .filter(before -> before.offset() < record.offset() && before.key() != null
                            && Arrays.equals(before.key(), record.key()))
                    .filter(before -> !done.contains(before) && !kafka.isReadAsTheOneBefore())
                    .forEach(before -> violations.add(record.offset() + " of its key began before " + before.offset() + " was done"));
            open.add(handling);
        }

        private synchronized int openInSlots() {
            return (int) open.stream().filter(handling -> !handling.again).count();
        }

        /** Waits until every taken slot has its record in the handler. */
        private void settle() {
            until(() -> openInSlots() == workers.inFlight());
        }

        private void until(BooleanSupplier condition) {
            long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (!condition.getAsBoolean()) {
                assertThat(System.nanoTime()).as("%s: the workers do not settle", name).isLessThan(deadline);
                Thread.yield();
            }
        }

        void play(int steps) throws InterruptedException {
            for (int step = 0; step < steps; step++) {
                step();
                check(step);
            }
            kafka.rebalance(Set.copyOf(kafka.partitions()), random.nextBoolean());
            comeToRest("what is not the flood's is done while the flood hangs", handling -> !handling.share().equals(FLOOD),
                    () -> undone().stream().allMatch(record -> new String(record.value()).equals(FLOOD)));
            comeToRest("all is done, committed and forgotten", handling -> true, () -> undone().isEmpty() && kafka.isAllCommitted()
                    && assignment.held() == 0 && !workers.isBusy());
        }

        private void step() throws InterruptedException {
            switch (random.nextInt(20)) {
                case 0, 1, 2 -> append();
                case 3, 4, 5, 6, 7 -> end(random.nextInt(4), handling -> true);
                case 8, 9 -> now.set(now.get().plusMillis(random.nextInt(500)));
                case 10 -> now.set(now.get().plusSeconds(random.nextInt(20)));
                case 11 -> kafka.rebalance(kafka.partitions().stream().filter(partition -> random.nextInt(3) > 0)
                        .collect(Collectors.toSet()), random.nextBoolean());
                case 12 -> rarely();
                default -> turn();
            }
            settle();
        }

        private void rarely() throws InterruptedException {
            switch (random.nextInt(12)) {
                case 0 -> {
                    membership.giveUp();
                    join();
                }
                case 1 -> {
                    membership.leave();
                    join();
                }
                case 2 -> {
                    synchronized (this) {
                        kafka.makeAgain();
                        Arrays.fill(flooded, 0);
                    }
                }
                default -> turn();
            }
        }

        private void turn() throws InterruptedException {
            // So that it does not rest.
            drained.raise();
            try {
                membership.turn();
            } catch (TopicWatch.TopicMadeAgain another) {
                membership.giveUp();
                join();
            }
        }

        private synchronized void append() {
            TopicPartition partition = kafka.partitions().get(random.nextInt(PARTITIONS));
            boolean flood = random.nextBoolean();
            for (int i = Math.min(random.nextInt(12), MOST_OF_A_LOG - kafka.log(partition).size()); i > 0; i--) {
                String share = flood && flooded[partition.partition()]++ < MOST_OF_THE_FLOOD ? FLOOD : "merchant-" + random.nextInt(4);
                kafka.append(partition, random.nextInt(5) == 0 ? "" : share + random.nextInt(4), share, now.get());
            }
        }

        /** Ends some handler calls, each in its own way. */
        private void end(int atMost, Predicate<Handling> which) {
            for (int i = 0; i < atMost; i++) {
                Optional<Handling> chosen = choose(which);
                chosen.ifPresent(handling -> {
                    switch (random.nextInt(12)) {
                        case 0 -> handling.end.completeExceptionally(new IllegalStateException("told to fail"));
                        case 1 -> handling.end.completeExceptionally(new PlantedError());
                        case 2 -> handling.end.complete(null);
                        case 3, 4 -> handling.end.complete(Verdict.notBefore(Duration.ofMillis(random.nextInt(20_000))));
                        default -> done(handling);
                    }
                });
                settle();
            }
        }

        private synchronized Optional<Handling> choose(Predicate<Handling> which) {
            List<Handling> candidates = open.stream().filter(which).toList();
            if (candidates.isEmpty()) {
                return Optional.empty();
            }
            Handling chosen = candidates.get(random.nextInt(candidates.size()));
            open.remove(chosen);
            return Optional.of(chosen);
        }

        private void done(Handling handling) {
            synchronized (this) {
                done.add(handling.record);
            }
            handling.end.complete(DONE);
        }

        private void comeToRest(String rest, Predicate<Handling> ends, BooleanSupplier resting) throws InterruptedException {
            for (int turns = 0; !resting.getAsBoolean(); turns++) {
                assertThat(turns).as("%s: %s; %s", name, rest, standing()).isLessThan(500);
                for (Optional<Handling> next = choose(ends); next.isPresent(); next = choose(ends)) {
                    done(next.get());
                    settle();
                }
                now.set(now.get().plusMillis(200));
                turn();
                settle();
                check(turns);
            }
        }

        private synchronized String standing() {
            return "not done: %s; with the handler: %s; ready: %d; in flight: %d of %d; held: %s".formatted(undone().stream()
                    .collect(Collectors.groupingBy(record -> record.partition() + " " + new String(record.value()), Collectors.counting())),
                    open.stream().collect(Collectors.groupingBy(Handling::share, Collectors.counting())), workers.waiting(),
                    workers.inFlight(), settings.maxInFlight(), assignment.all().stream()
                            .map(work -> work.partition + " " + work.held() + (work.isFull() ? " full" : "")).toList());
        }

        private synchronized List<ConsumerRecord<byte[], byte[]>> undone() {
            return kafka.partitions().stream().flatMap(partition -> kafka.log(partition).stream())
                    .filter(record -> !done.contains(record)).toList();
        }

        private synchronized void check(int step) {
            assertThat(violations).as("%s, step %d", name, step).isEmpty();
            for (ConsumerRecord<byte[], byte[]> record : undone()) {
                assertThat(kafka.committed(new TopicPartition(record.topic(), record.partition())))
                        .as("%s, step %d: %s offset %d is not done", name, step, record.partition(), record.offset())
                        .isLessThanOrEqualTo(record.offset());
            }
            assertThat(assignment.held()).as("%s, step %d: held", name, step).isLessThanOrEqualTo(MOST_HELD);
        }
    }

    @ParameterizedTest(name = "seeds {0} to {1}")
    @CsvSource({"1, 12", "13, 24"})
    void nothing_is_passed_over_reordered_starved_or_held_without_bound(int from, int to) throws InterruptedException {
        for (int seed = from; seed <= to; seed++) {
            new Game(seed).play(300);
        }
    }
}
