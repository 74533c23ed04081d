// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * When a failed delivery is tried again. Pure but for the luck that it is given.
 *
 * @param pauses after the first failed try, after the second, and so on; after the last one the delivery is dead
 * @param luck   from 0 to 1, so that the tries of an outage do not all come back at one moment
 */
public record DeliverySchedule(List<Duration> pauses, DoubleSupplier luck) {

    /** Each pause is up to so much shorter or longer. */
    static final double JITTER = 0.1;

    /** With the luck of this machine. */
    public DeliverySchedule(List<Duration> pauses) {
        this(pauses, DeliverySchedule::chance);
    }

    /** A simulation has another in its place. */
    static double chance() {
        return ThreadLocalRandom.current().nextDouble();
    }

    /** @return empty after the last try */
    public Optional<Duration> after(int attempt) {
        if (attempt > pauses.size()) {
            return Optional.empty();
        }
        double factor = 1 - JITTER + 2 * JITTER * luck.getAsDouble();
        return Optional.of(Duration.ofMillis(Math.round(pauses.get(attempt - 1).toMillis() * factor)));
    }
}
