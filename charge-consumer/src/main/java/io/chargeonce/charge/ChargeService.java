// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.tracing.Tracing;
import java.time.Duration;

/** The main topic's consumers: wiring only. */
public final class ChargeService {

    private static final Duration TO_CLOSE_A_PART = Duration.ofSeconds(25);

    private ChargeService() {}

    /** Starts the service and returns at once; closing the lifecycle ends it. */
    public static Lifecycle start(ChargeSettings settings, Meters meters) {
        return start(settings, meters, Tracing.off());
    }

    public static Lifecycle start(ChargeSettings settings, Meters meters, Tracing tracing) {
        var lifecycle = new Lifecycle("charge-consumer", TO_CLOSE_A_PART);
        var engine = new ChargeEngine(settings, settings.gateways(), meters.registry(), tracing, lifecycle);
        engine.startCaretakers();
        engine.startSettlements();
        engine.startWebhooks();
        engine.startLoop(0);
        engine.startAdmin(meters::scrape);
        return lifecycle;
    }
}
