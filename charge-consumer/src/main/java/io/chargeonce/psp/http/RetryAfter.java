// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.http;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How long a PSP asks us to wait, by its {@code Retry-After} header. Pure. */
public final class RetryAfter {

    private RetryAfter() {}

    /** Empty without the header, and for a value that is not a number of seconds from 1 to 86,400. */
    public static Optional<Duration> in(Map<String, List<String>> headers) {
        return headers.entrySet().stream().filter(header -> "retry-after".equalsIgnoreCase(header.getKey()))
                .flatMap(header -> header.getValue().stream()).map(String::strip)
                .filter(value -> value.matches("[1-9][0-9]{0,4}")).map(Long::parseLong).filter(seconds -> seconds <= 86_400)
                .map(Duration::ofSeconds).findFirst();
    }
}
