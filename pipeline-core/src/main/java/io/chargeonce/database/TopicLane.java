// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * One topic as the relay's sender sees it. While it takes nothing it is held: left out of the relay's looks, so that its rows are
 * in nobody's way. For the relay's thread; any thread may ask for the problem.
 */
final class TopicLane {

    /** A send to a topic that the producer knows nothing of blocks its thread, so a thread of its own makes the first. */
    record Scout(long row, CompletableFuture<Future<RecordMetadata>> handedOver) {}

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final Duration WORTH_TELLING_AFTER = Duration.ofSeconds(30);

    private record Trouble(long sinceNanos, String why) {}

    final String topic;
    private boolean known;
    private boolean slow;
    private Optional<Scout> scout = Optional.empty();
    private Optional<Long> heldUntil = Optional.empty();
    private Duration pause = FIRST_PAUSE;
    private volatile Optional<Trouble> trouble = Optional.empty();

    TopicLane(String topic) {
        this.topic = topic;
    }

    /** Whether the producer can take a row at once. */
    boolean isKnown() {
        return known;
    }

    boolean isHeld() {
        return slow || scout.isPresent() || heldUntil.filter(until -> System.nanoTime() - until < 0).isPresent();
    }

    /** What was sent is still under way: no pass waits for it any longer. */
    boolean isSlow() {
        return slow;
    }

    void slow(boolean isSlow) {
        slow = isSlow;
    }

    Optional<Scout> scout() {
        return scout;
    }

    void sends(Scout first) {
        scout = Optional.of(first);
    }

    /** The scout's row is with the producer, so it knows the topic. */
    void scouted() {
        scout = Optional.empty();
        known = true;
        slow = true;
    }

    /** The producer forgot the topic, or there is a new one. */
    void unknown() {
        known = false;
    }

    void forget() {
        known = false;
        slow = false;
        scout = Optional.empty();
    }

    void acknowledged() {
        pause = FIRST_PAUSE;
        heldUntil = Optional.empty();
        if (trouble.isPresent()) {
            trouble = Optional.empty();
        }
    }

    void failed(Throwable why) {
        trouble = Optional.of(new Trouble(trouble.map(Trouble::sinceNanos).orElseGet(System::nanoTime), why.toString()));
        heldUntil = Optional.of(System.nanoTime() + pause.toNanos());
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
    }

    /** In one line, once it lasts; empty while it takes what it is given. */
    Optional<String> problem() {
        return trouble.filter(one -> System.nanoTime() - one.sinceNanos >= WORTH_TELLING_AFTER.toNanos())
                .map(one -> "topic %s has taken nothing for %d s: %s".formatted(topic,
                        Duration.ofNanos(System.nanoTime() - one.sinceNanos).toSeconds(), one.why));
    }
}
