// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * The sender's state of one topic. While the topic takes no records it is held: the relay's reads leave it out, so that its rows delay no
 * others. For the relay's thread; any thread may read the problem.
 */
final class TopicLane {

    /** A send to a topic whose metadata the producer does not have blocks its thread, so the first send runs on a separate thread. */
    record Scout(long row, CompletableFuture<Future<RecordMetadata>> handedOver) {}

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final Duration WORTH_TELLING_AFTER = Duration.ofSeconds(30);

    private record Trouble(long sinceNanos, String why) {}

    final String topic;
    private final boolean isOurs;
    private boolean known;
    private boolean slow;
    private Optional<Scout> scout = Optional.empty();
    private Optional<Long> heldUntil = Optional.empty();
    private Duration pause = FIRST_PAUSE;
    private volatile Optional<Trouble> trouble = Optional.empty();

    /** @param isOurs whether services and payments depend on it, unlike on another system's topic */
    TopicLane(String topic, boolean isOurs) {
        this.topic = topic;
        this.isOurs = isOurs;
    }

    boolean isOurs() {
        return isOurs;
    }

    /** Whether the producer can take a row without blocking. */
    boolean isKnown() {
        return known;
    }

    boolean isHeld() {
        return slow || scout.isPresent() || heldUntil.filter(until -> System.nanoTime() - until < 0).isPresent();
    }

    /** Its sends are still under way, and no pass waits for them any longer. */
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

    /** The producer has taken the scout's row, so it knows the topic. */
    void scouted() {
        scout = Optional.empty();
        known = true;
        slow = true;
    }

    /** The producer forgot the topic, or is new. */
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

    /** What is wrong, in one line, once it lasts; empty while the topic takes records. */
    Optional<String> problem() {
        return trouble.filter(one -> System.nanoTime() - one.sinceNanos >= WORTH_TELLING_AFTER.toNanos())
                .map(one -> "topic %s has taken nothing for %d s: %s".formatted(topic,
                        Duration.ofNanos(System.nanoTime() - one.sinceNanos).toSeconds(), one.why));
    }
}
