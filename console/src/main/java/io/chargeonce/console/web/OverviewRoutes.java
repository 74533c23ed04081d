// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.overview.Facts;
import io.chargeonce.console.overview.Overview;
import io.chargeonce.console.overview.SharedLook;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.query.PspStatus;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayments;
import java.util.List;
import java.util.Map;

/** The first screen, and the PSPs. */
record OverviewRoutes(Overview overview, SharedLook<Facts> facts) implements ConsoleApi.Routes {

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/overview", call -> ConsoleApi.json(200, overview.of(read(facts, call, System.nanoTime()).value())));
        rules.get("/api/psps", call -> ConsoleApi.json(200,
                Map.of("items", overview.psps(PspStatus.of(call.queue()), new Holds(call.queue()).list(), waiting(call)))));
    }

    private static List<WaitingPayments.Group> waiting(Call call) {
        return WaitingPayments.groups(call.queue(), WaitingFilter.everything(), WaitingPayments.now(call.queue()));
    }

    /** Shared by all who may read; a person who may not is refused by Postgres. */
    static SharedLook.Seen<Facts> read(SharedLook<Facts> facts, Call call, long notBefore) {
        SharedLook<Facts> its = call.session().mayRead() ? facts : new SharedLook<>();
        return its.since(notBefore, () -> Facts.read(call.queue()));
    }
}
