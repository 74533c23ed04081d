// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.util.Optional;

/**
 * Whether a payment may have been accepted by a sending that was not answered. It arises once and stays: what a later answer says
 * of the token, the path or the size of a body says nothing of what became of an earlier sending. For one thread.
 */
final class Doubt {

    private Optional<String> why = Optional.empty();

    /** Without a connection nothing was sent. */
    void failed(IOException failure) {
        if (!(failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException)) {
            arises("no answer: " + failure);
        }
    }

    void arises(String reason) {
        why = why.or(() -> Optional.of(reason));
    }

    /** @param last an answer that would not change */
    Sent judge(Wire.Answer last, int sends) {
        return why.isEmpty() || last.endsDoubt() ? last.sent(sends)
                : new Sent.Unknown(last.told() + "; an earlier sending may have been accepted (" + why.get() + ")", sends);
    }
}
