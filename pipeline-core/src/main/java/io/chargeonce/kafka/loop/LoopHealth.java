// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.ConsumerSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of a {@link RecordLoop}, by the loop's own clock. Immutable.
 *
 * @param running    its thread runs and was not asked to stop
 * @param lastPoll   when its last poll without an error ended
 * @param failure    why it has no consumer now and creates a new one
 * @param nextAnswer while the handler has records: the latest time by which it should have returned from one
 * @param trouble    what is wrong with single topics or partitions, while the others go on
 */
public record LoopHealth(boolean running, Optional<Instant> lastPoll, Optional<String> failure, Optional<Instant> nextAnswer,
        Optional<String> trouble) {
    private static final Duration SILENT_TOO_LONG = ConsumerSettings.MAX_POLL_INTERVAL;
    /** By then every stuck record was handed to the handler a second time, and those calls did not return either. */
    private static final Duration ANSWER_TOO_LATE = Duration.ofMinutes(2);

    /** What is wrong with it, in one line; empty if all is well. */
    public Optional<String> problem(Instant now) {
        return standstill(now).or(() -> failure).or(() -> trouble);
    }

    /** Why it will not recover by itself, in one line; empty if it makes progress, or tries to get a working consumer. */
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
                        .map(due -> "the handler has records and should have returned from one by " + due));
    }
}
