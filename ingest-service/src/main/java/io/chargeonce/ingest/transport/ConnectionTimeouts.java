// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.transport;

import java.time.Duration;

/**
 * How long the service waits for a client before it closes the connection.
 *
 * @param head     for a request's line and headers together, from their first byte on
 * @param exchange for a whole body to arrive, and for a whole answer to be taken
 * @param leftover for the rest of an unread body
 * @param silence  for the next few bytes of a batch, in either direction
 * @param idle     between two requests, and from the connection to the first
 */
public record ConnectionTimeouts(Duration head, Duration exchange, Duration leftover, Duration silence, Duration idle) {

    public static final ConnectionTimeouts USUAL =
            new ConnectionTimeouts(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(2),
                    Duration.ofSeconds(60), Duration.ofMinutes(2));
}
