// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** How one try went. */
sealed interface Answer {

    record Delivered(int status) implements Answer {}

    /**
     * @param error      a stable word, such as {@code timed_out}
     * @param retryAfter how long the receiver asks us to wait
     */
    record Failed(OptionalInt status, String error, Optional<Duration> retryAfter) implements Answer {

        static Failed of(String error) {
            return new Failed(OptionalInt.empty(), error, Optional.empty());
        }
    }

    /** Nothing was sent, and the endpoint is not at fault: the try does not count. */
    record NotSent(String error) implements Answer {}

    /** Empty when nothing went wrong. */
    default Optional<String> why() {
        return switch (this) {
            case Delivered delivered -> Optional.empty();
            case Failed failed -> Optional.of(failed.error);
            case NotSent notSent -> Optional.of(notSent.error);
        };
    }

    default OptionalInt httpStatus() {
        return switch (this) {
            case Delivered delivered -> OptionalInt.of(delivered.status);
            case Failed failed -> failed.status;
            case NotSent notSent -> OptionalInt.empty();
        };
    }
}
