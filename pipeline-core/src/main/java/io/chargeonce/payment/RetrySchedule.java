// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * How long an operation waits before its next attempt: the configured tiers, shortest first. {@link Decision} decides which operations
 * wait.
 */
public record RetrySchedule(List<RetryTier> tiers) {

    public RetrySchedule {
        tiers = List.copyOf(tiers);
        for (int i = 0; i < tiers.size(); i++) {
            if (tiers.get(i).number() != i + 1) {
                throw new IllegalArgumentException("retry tiers are numbered 1, 2, 3 … in order");
            }
        }
        if (tiers.isEmpty()) {
            throw new IllegalArgumentException("a retry schedule has at least one tier");
        }
    }

    public static RetrySchedule of(List<Duration> delays) {
        return new RetrySchedule(IntStream.range(0, delays.size())
                .mapToObj(i -> new RetryTier(i + 1, delays.get(i))).toList());
    }

    /** The tier before the next counted attempt; empty once each tier has been used. */
    public Optional<RetryTier> tierAfter(int countedAttempts) {
        return countedAttempts < tiers.size() ? Optional.of(tiers.get(countedAttempts)) : Optional.empty();
    }

    /** During an outage payments move up to the longest tier and stay there, so that it costs little and dead-letters nothing. */
    public RetryTier parkingTier(Progress progress) {
        return tiers.get(Math.min(progress.tier(), tiers.size() - 1));
    }

    /** How long a record waits in this tier; zero for the main topic. */
    public Duration delayOf(int tier) {
        return tier < 1 || tier > tiers.size() ? Duration.ZERO : tiers.get(tier - 1).delay();
    }

    /** The shortest time that an operation takes through all tiers. */
    public Duration total() {
        return tiers.stream().map(RetryTier::delay).reduce(Duration.ZERO, Duration::plus);
    }
}
