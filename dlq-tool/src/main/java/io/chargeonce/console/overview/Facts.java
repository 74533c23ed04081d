// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.merge.MergeRun;
import io.chargeonce.dlq.merge.MergeRuns;
import io.chargeonce.dlq.merge.Watch;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.PspHealth;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.query.UnresolvedSum;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayments;
import java.util.List;

/**
 * What the database says of the pipeline now, read as the signed-in person.
 *
 * @param runs the newest, also those that have ended
 */
public record Facts(Watch watch, Summary dead, List<WaitingPayments.Group> waiting, UnresolvedSum unresolved, List<PspHealth> psps,
        List<MergeRun> runs) {

    private static final int NEWEST_RUNS = 50;

    public static Facts read(DeadLetterQueue queue) {
        Watch watch = Watch.now(queue);
        return new Facts(watch, Summary.of(queue, DeadLetterFilter.everything()),
                WaitingPayments.groups(queue, WaitingFilter.everything(), watch.at()), UnresolvedSum.of(queue), PspHealth.of(queue),
                new MergeRuns(queue).newest(NEWEST_RUNS));
    }
}
