package io.chargeonce.dlq;

import io.chargeonce.runtime.SteadyClock;
import java.time.Duration;

/**
 * Sends dead letters back through the pipeline, each by what is known of its money: charged already, it is settled;
 * unknown, the resolver asks; else it re-enters at the front. Poison stays. Any number of merges and purges may run at
 * once: one of them gets each dead letter, the others find it gone. Every merge is a run of {@link MergeRuns}; this is
 * the one for services and tests, which need no canary.
 */
public final class Merge {

    /** A re-entered payment has this long for new attempts. */
    static final Duration DEADLINE = Duration.ofHours(24);

    private final DeadLetterQueue queue;

    public Merge(DeadLetterQueue queue) {
        this.queue = queue;
    }

    public Run.Result run(Plan plan, Mandate mandate, Run run) {
        var runs = new MergeRuns(queue);
        runs.plan(plan.selection(), mandate, RunTerms.without(run.pace()));
        RunLeader leader = runs.take(mandate, new SteadyClock(), progress -> run.progress().accept(progress.fates()))
                .orElseThrow(() -> new IllegalStateException("Bug! Somebody took a run that nobody knew yet: " + mandate.run()));
        RunStep end = leader.run(run.brake());
        return new Run.Result(leader.progress().fates(), end instanceof RunStep.Finished);
    }
}
