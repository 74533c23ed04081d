// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.retry;

import io.chargeonce.charge.ChargeEngine;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.tracing.Tracing;
import java.time.Duration;

/**
 * The consumers of the retry tiers. One loop per tier waits until a record is due, then passes it to the handler that the main topic has
 * too. Many failures fill these topics and never delay the main topic. Wiring only.
 */
public final class RetryService {

    private static final Duration TO_CLOSE_A_PART = Duration.ofSeconds(25);

    private RetryService() {}

    /** Starts the service and returns at once; closing the lifecycle ends it. */
    public static Lifecycle start(ChargeSettings settings, Meters meters) {
        return start(settings, meters, Tracing.off());
    }

    public static Lifecycle start(ChargeSettings settings, Meters meters, Tracing tracing) {
        var lifecycle = new Lifecycle("retry-consumers", TO_CLOSE_A_PART);
        var engine = new ChargeEngine(settings, settings.gateways(), meters.registry(), tracing, lifecycle);
        for (int tier = 1; tier <= settings.pipeline().tiers().size(); tier++) {
            engine.startLoop(tier);
        }
        engine.startAdmin(meters::scrape);
        return lifecycle;
    }
}
