// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.Problem;
import io.chargeonce.console.answer.Problems;
import io.chargeonce.console.overview.Held;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.http.Answer;

/** Pause, resume and force. The pipeline does not obey holds yet, so the console does not pretend to. */
record HoldSeam() implements ConsoleApi.Routes {

    private static Problem notBuilt() {
        return Problems.notBuilt("This pipeline cannot pause, resume or force a PSP, a merchant or a tier yet.",
                "Update chargeonce; until then, stop what waits with chargeonce dlq waiting --stop.");
    }

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/holds", this::refuse);
        rules.post("/api/holds", this::refuse);
        rules.delete("/api/holds/{kind}/{name}", this::refuse);
    }

    private Answer refuse(Call call) {
        return notBuilt().answer();
    }

    Held held(DeadLetterQueue queue) {
        return Held.NOTHING;
    }
}
