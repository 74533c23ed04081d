// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import java.util.Optional;
import java.util.OptionalInt;

/** How one try went. It never has the mail server's text, which quotes addresses. */
sealed interface Answer {

    /** The server has taken the message. */
    record Sent(int status) implements Answer {}

    /**
     * Another try may help.
     *
     * @param error a stable word, such as {@code timed_out}
     */
    record Failed(OptionalInt status, String error) implements Answer {}

    /** The server will never take this message. */
    record Refused(OptionalInt status, String error) implements Answer {}

    /** The server refuses us, whatever the message: the try does not count. */
    record NotSent(OptionalInt status, String error) implements Answer {}

    /** There is no address any more, or another process has the claim. There is nothing to record. */
    record Over() implements Answer {}

    /** Empty when nothing went wrong. */
    default Optional<String> why() {
        return switch (this) {
            case Sent sent -> Optional.empty();
            case Failed failed -> Optional.of(failed.error);
            case Refused refused -> Optional.of(refused.error);
            case NotSent notSent -> Optional.of(notSent.error);
            case Over over -> Optional.empty();
        };
    }

    /** The server's code. */
    default OptionalInt code() {
        return switch (this) {
            case Sent sent -> OptionalInt.of(sent.status);
            case Failed failed -> failed.status;
            case Refused refused -> refused.status;
            case NotSent notSent -> notSent.status;
            case Over over -> OptionalInt.empty();
        };
    }
}
