// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.ConsumerSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How a {@link RecordLoop} is, by the loop's own clock. Immutable.
 *
 * @param running    its thread runs and was not told to stop
 * @param lastPoll   when it last asked Kafka for records without an error
 * @param failure    why it has no consumer now and builds a new one
 * @param nextAnswer while the handler has records: when it should have said something about one, at the latest
 * @param trouble    what single topics or partitions suffer from, while the others go on
 */
public record LoopHealth(boolean running, Optional<Instant> lastPoll, Optional<String> failure, Optional<Instant> nextAnswer,
        Optional<String> trouble) {
    private static final Duration SILENT_TOO_LONG = ConsumerSettings.MAX_POLL_INTERVAL;
    /** Every stuck record was given to the handler once more by then, and nothing came back of that either. */
    private static final Duration ANSWER_TOO_LATE = Duration.ofMinutes(2);

    /** What is wrong with it, in one line; empty if nothing is. */
    public Optional<String> problem(Instant now) {
        return standstill(now).or(() -> failure).or(() -> trouble);
    }

    /** Why it will not go on by itself, in one line; empty if it moves, or tries to get a consumer that works. */
    public Optional<String> standstill(Instant now) {
        if (!running) {
            return Optional.of("not running");
        }
        if (failure.isPresent()) {
            return Optional.empty();
        }
        if (lastPoll.isEmpty()) {
            return Optional.of("no poll yet");
        }
        return lastPoll.filter(poll -> poll.plus(SILENT_TOO_LONG).isBefore(now)).map(poll -> "no poll since " + poll)
                .or(() -> nextAnswer.filter(due -> due.plus(ANSWER_TOO_LATE).isBefore(now))
                        .map(due -> "the handler has records and should have said something about one by " + due));
    }
}
