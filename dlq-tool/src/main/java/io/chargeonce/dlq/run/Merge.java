// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.move.Sweep;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.runtime.SteadyClock;
import java.time.Duration;

/**
 * Sends dead letters back through the pipeline, each by what is known of its money: charged already, the resolver settles
 * it; unknown, the resolver asks; else it re-enters at the front. Poison stays. Any number of merges and purges may run at
 * once: one of them gets each dead letter, the others find it gone. Every merge is a run of {@link DlqRuns}; this is
 * the one for services and tests, which need no canary.
 */
public final class Merge {

    /** A re-entered payment has this long for new attempts. */
    static final Duration DEADLINE = Duration.ofHours(24);

    private final DeadLetterQueue queue;

    public Merge(DeadLetterQueue queue) {
        this.queue = queue;
    }

    public Sweep.Result run(Plan plan, AuditContext by, Sweep sweep) {
        var runs = new DlqRuns(queue);
        runs.plan(plan.selection(), by, RunTerms.without(sweep.pace()));
        RunLeader leader = runs.take(by, new SteadyClock(), progress -> sweep.progress().accept(progress.results()))
                .orElseThrow(() -> new IllegalStateException("Bug! Another process took a run that was not visible yet: " + by.run()));
        RunStep end = leader.run(sweep.brake());
        return new Sweep.Result(leader.progress().results(), end instanceof RunStep.Finished);
    }
}
