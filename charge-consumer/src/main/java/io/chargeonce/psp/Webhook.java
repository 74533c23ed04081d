// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads a PSP's webhooks. Any thread. */
public interface Webhook {

    /**
     * @param header a header's first value, by its name
     * @param body   the bytes as received
     * @return empty unless the PSP's signature is right, whatever time it names: a repeat is known by its id, and a clock that is wrong
     * must not lose news of money; an empty list if the message is about something else
     * @throws AskLater if the PSP has to be asked which attempt a signed message is about, and does not say
     */
    Optional<List<Notice>> read(Function<String, Optional<String>> header, byte[] body);

    /** The PSP has to send the message again. */
    final class AskLater extends RuntimeException {
        private static final long serialVersionUID = 1;

        public AskLater(Throwable why) {
            super(why);
        }
    }
}
