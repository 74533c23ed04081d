// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads a PSP's webhooks. Any thread. */
public interface Webhook {

    /**
     * @param header a header's first value, by its name
     * @param body   the bytes as received
     * @return empty unless the PSP's signature is right and no older than the PSP allows; an empty list if the message is about something
     * else
     */
    Optional<List<Notice>> read(Function<String, Optional<String>> header, byte[] body, Instant now);
}
