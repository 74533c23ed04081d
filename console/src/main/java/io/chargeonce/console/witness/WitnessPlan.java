// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.console.witness.ObservedOperation.Whereabouts;
import io.chargeonce.console.witness.ObservedOperationBytes.Glance;
import java.time.Duration;
import java.util.List;

/**
 * When a sign of an operation is due. Immutable.
 *
 * @param tiers the delay of each tier, the shortest first
 */
record WitnessPlan(List<Duration> tiers, Duration overdueAfter, Duration differenceAfter, Duration history, Duration look) {

    WitnessPlan(List<Duration> tiers, WitnessSettings settings) {
        this(tiers, settings.overdueAfter(), settings.differenceAfter(), settings.history(), settings.look());
    }

    /** In milliseconds. */
    long grace() {
        return overdueAfter.toMillis();
    }

    long due(ObservedOperation known) {
        return due(known.whereabouts(), known.since(), known.visit.tier());
    }

    long due(Glance glance) {
        return due(glance.whereabouts(), glance.since(), glance.tier());
    }

    private long due(Whereabouts where, long since, int tier) {
        return switch (where) {
            case AT_WORK -> since + delay(tier) + grace();
            case WAITING, LEFT, DEAD, ENDED, STRANGE -> since + grace();
        };
    }

    private long delay(int tier) {
        return tier == 0 || tier > tiers.size() ? 0 : tiers.get(tier - 1).toMillis();
    }
}
