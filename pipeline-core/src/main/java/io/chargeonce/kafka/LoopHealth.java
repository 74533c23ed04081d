package io.chargeonce.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How a {@link RecordLoop} is. Immutable.
 *
 * @param running  its thread runs and was not told to stop
 * @param lastPoll when it last asked Kafka for records without an error
 * @param failure  why it has no consumer now and builds a new one
 */
public record LoopHealth(boolean running, Optional<Instant> lastPoll, Optional<String> failure) {
    private static final Duration SILENT_TOO_LONG = ConsumerSettings.MAX_POLL_INTERVAL;

    /** What is wrong with it, in one line; empty if nothing is. */
    public Optional<String> problem(Instant now) {
        if (!running) {
            return Optional.of("not running");
        }
        if (failure.isPresent()) {
            return failure;
        }
        return lastPoll.isEmpty() ? Optional.of("no poll yet")
                : lastPoll.filter(poll -> poll.plus(SILENT_TOO_LONG).isBefore(now)).map(poll -> "no poll since " + poll);
    }
}
