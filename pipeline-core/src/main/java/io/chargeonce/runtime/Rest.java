// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.time.Duration;

/**
 * How long to rest from a look at Postgres that is repeated for ever. However much there is to count, who looks so keeps Postgres busy for
 * a twentieth of the time at most, or for as long as one look a minute takes.
 */
public final class Rest {

    public static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int TIMES_AS_LONG = 20;

    private Rest() {}

    /** @param look how long the look took */
    public static Duration after(Duration look) {
        Duration rest = look.multipliedBy(TIMES_AS_LONG);
        return rest.compareTo(SHORTEST) < 0 ? SHORTEST : rest.compareTo(LONGEST) > 0 ? LONGEST : rest;
    }
}
