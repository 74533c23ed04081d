// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.scale;

import java.time.Duration;
import java.util.List;

/**
 * The load of a run, and the shards that carry it.
 *
 * @param rate         payments a second that come in, on average
 * @param accepts      acceptances a second that one shard's Postgres was measured to do when it does nothing else
 * @param charges      claims with their resolutions a second that it was measured to do when it does nothing else
 * @param inFlight     calls to PSPs under way at once for each shard
 * @param failing      share of calls that fail and take the next tier, from 0 to 1
 * @param outage       how long, from a third of the run on, no PSP answers and work is parked
 * @param length       how long payments come in; then what is left is worked off
 */
record ScalePlan(double rate, int shards, double accepts, double charges, int inFlight, Duration pspLatency, double failing,
        List<Duration> tiers, Duration outage, Duration length) {

    ScalePlan {
        if (rate <= 0 || shards < 1 || accepts <= 0 || charges <= 0 || inFlight < 1 || failing < 0 || failing >= 1 || tiers.isEmpty()) {
            throw new IllegalArgumentException("a plan needs a rate, shards, their measured speed, calls in flight and tiers, all above 0");
        }
    }
}
