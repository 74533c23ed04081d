// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.Optional;

/**
 * Whether an unanswered sending of a payment may have been accepted. Once there is doubt it stays: a later answer about the token, the path
 * or the size of a body says nothing about an earlier sending. For one thread.
 */
final class Doubt {

    private static final String NO_CONNECTION = "no connection to the server came about";

    private Optional<String> why = Optional.empty();

    /** Without a connection nothing was sent. */
    void failed(IOException failure) {
        if (!(failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException)) {
            arises(inWords(failure));
        }
    }

    /** What stood in the way of an answer. */
    static String inWords(IOException failure) {
        return "no answer: " + switch (failure) {
            case ConnectException refused -> NO_CONNECTION;
            case HttpConnectTimeoutException slow -> NO_CONNECTION;
            case HttpTimeoutException late -> late.getMessage();
            default -> failure.getMessage();
        };
    }

    void arises(String reason) {
        why = why.or(() -> Optional.of(reason));
    }

    /** @param last an answer that would not change */
    Sent judge(Wire.Answer last, int sends) {
        return why.isEmpty() || last.endsDoubt() ? last.sent(sends)
                : new Sent.Unknown(last.inWords() + "; an earlier sending may have been accepted (" + why.get() + ")", sends);
    }
}
