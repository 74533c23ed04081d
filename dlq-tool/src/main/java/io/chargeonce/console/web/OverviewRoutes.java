// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.overview.Facts;
import io.chargeonce.console.overview.Overview;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.query.PspHealth;
import java.util.Map;

/** The first screen, and the PSPs. */
record OverviewRoutes(Overview overview) implements ConsoleApi.Routes {

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/overview", call -> ConsoleApi.json(200, overview.of(Facts.read(call.queue()))));
        rules.get("/api/psps", call -> ConsoleApi.json(200,
                Map.of("items", overview.psps(PspHealth.of(call.queue()), new Holds(call.queue()).list()))));
    }
}
