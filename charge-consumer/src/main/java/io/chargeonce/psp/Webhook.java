// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads what a PSP sends by itself. Any thread. */
public interface Webhook {

    /**
     * @param header a header's first value, by its name
     * @param body   as it came, byte for byte
     * @return empty unless the PSP's signature holds for it and is no older than the PSP allows; no notices if it is about
     *         something else
     */
    Optional<List<Notice>> read(Function<String, Optional<String>> header, byte[] body, Instant now);
}
