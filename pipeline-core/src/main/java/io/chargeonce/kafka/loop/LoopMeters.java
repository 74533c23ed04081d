// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The meters of a loop. Closing removes them from the registry. Any thread. */
final class LoopMeters implements AutoCloseable {
    private static final Duration[] LATENESS = Stream.of(2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 30_000, 60_000, 600_000)
            .map(Duration::ofMillis).toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final Tags tags;
    private final List<Meter> mine = new ArrayList<>();
    private final Counter done;
    private final Counter notBefore;
    private final Counter failed;
    private final Counter retried;
    private final Counter commitFailures;
    private final Counter rebuilds;
    private final Counter handedAgain;
    private final Counter fetchedWhileFull;
    private final Counter topicsReplaced;
    private final Counter tooLarge;
    private final Timer lateness;

    LoopMeters(MeterRegistry registry, String loop) {
        this.registry = registry;
        this.tags = Tags.of("loop", loop);
        this.done = handled("done");
        this.notBefore = handled("not_before");
        this.failed = handled("failed");
        this.retried = counter("chargeonce.loop.retries", "Records handed to the handler again after it failed", Tags.empty());
        this.commitFailures = counter("chargeonce.loop.commit.failures", "Offset commits that failed", Tags.empty());
        this.rebuilds = counter("chargeonce.loop.consumer.failures", "Consumers that broke and were replaced", Tags.empty());
        this.handedAgain =
                counter("chargeonce.loop.handed.again", "Records that were stuck in the handler and handed to it a second time",
                        Tags.empty());
        this.fetchedWhileFull = counter("chargeonce.loop.fetched.while.full",
                "Records fetched for a partition whose buffer was full, because its pause was lost", Tags.empty());
        this.topicsReplaced = counter("chargeonce.loop.topics.replaced",
                "Partitions read from the beginning, because their topic was deleted and created again", Tags.empty());
        this.tooLarge = counter("chargeonce.loop.too.large",
                "Batches that do not fit into memory when they are unpacked, and were put away unread", Tags.empty());
        this.lateness = Timer.builder("chargeonce.loop.lateness").description("From a record's due time to its start")
                .serviceLevelObjectives(LATENESS).tags(tags).register(registry);
        mine.add(lateness);
    }

    void gauge(String name, String description, Supplier<Number> value) {
        mine.add(Gauge.builder("chargeonce.loop." + name, value).description(description).tags(tags).register(registry));
    }

    void late(Duration afterDue) {
        lateness.record(afterDue);
    }

    void handedAgain() {
        handedAgain.increment();
    }

    void fetchedWhileFull(int records) {
        fetchedWhileFull.increment(records);
    }

    void topicReplaced() {
        topicsReplaced.increment();
    }

    void tooLarge() {
        tooLarge.increment();
    }

    void done() {
        done.increment();
    }

    void notBefore() {
        notBefore.increment();
    }

    void failed() {
        failed.increment();
    }

    void retried() {
        retried.increment();
    }

    void commitFailed() {
        commitFailures.increment();
    }

    void consumerFailed() {
        rebuilds.increment();
    }

    @Override
    public void close() {
        mine.forEach(registry::remove);
    }

    private Counter handled(String outcome) {
        return counter("chargeonce.loop.handled", "Calls of the handler, by outcome", Tags.of(Tag.of("outcome", outcome)));
    }

    private Counter counter(String name, String description, Tags more) {
        Counter counter = Counter.builder(name).description(description).tags(tags.and(more)).register(registry);
        mine.add(counter);
        return counter;
    }
}
