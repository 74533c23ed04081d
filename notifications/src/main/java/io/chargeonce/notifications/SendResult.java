// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How one try went. It never has the receiver's text, which may quote an address.
 *
 * @param status     the receiver's code
 * @param error      a stable word, such as {@code timed_out}; empty if nothing went wrong
 * @param retryAfter how long the receiver asks us to wait
 */
public record SendResult(Result result, OptionalInt status, Optional<String> error, Optional<Duration> retryAfter) {

    public enum Result {
        /** The receiver has taken the message. */
        DELIVERED,
        /** Another try may help. */
        FAILED,
        /** The receiver will never take this message. */
        REFUSED,
        /** We cannot send, whatever the message and whoever the receiver: the try does not count. */
        NOT_SENT,
        /** There is nothing to send any more, or another process has the claim. There is nothing to record. */
        OVER
    }

    public static final SendResult OVER = new SendResult(Result.OVER, OptionalInt.empty(), Optional.empty(), Optional.empty());

    public static SendResult delivered(int status) {
        return new SendResult(Result.DELIVERED, OptionalInt.of(status), Optional.empty(), Optional.empty());
    }

    public static SendResult of(Result result, String error) {
        return new SendResult(result, OptionalInt.empty(), Optional.of(error), Optional.empty());
    }

    public static SendResult of(Result result, int status, String error) {
        return new SendResult(result, OptionalInt.of(status), Optional.of(error), Optional.empty());
    }
}
