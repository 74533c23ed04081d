// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.run.DlqRun;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.Watch;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.PspStatus;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.query.UnresolvedSum;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.ledger.Hold;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the database says of the pipeline now, read as the signed-in person.
 *
 * @param runs the newest, also those that have ended
 */
public record Facts(Watch watch, Summary dead, List<WaitingPayments.Group> waiting, UnresolvedSum unresolved, List<PspStatus> psps,
        List<Hold> holds, List<DlqRun> runs) {

    private static final int NEWEST_RUNS = 50;

    public static Facts read(DeadLetterQueue queue) {
        Watch watch = Watch.now(queue);
        return new Facts(watch, Summary.of(queue, DeadLetterFilter.everything()),
                WaitingPayments.groups(queue, WaitingFilter.everything(), watch.at()), UnresolvedSum.of(queue), PspStatus.of(queue),
                new Holds(queue).list(), new DlqRuns(queue).newest(NEWEST_RUNS));
    }

    boolean holdsTier(int tier) {
        return holds.stream().anyMatch(hold -> hold.isOf(Hold.Kind.TIER, "" + tier));
    }

    /** What waits in the tiers for what a person has paused; nothing for a merchant's, whom the groups do not know. */
    Sum waitingFor(Hold hold) {
        return switch (hold.kind()) {
            case PSP -> hold.isPause() ? waitingFor(waiting, hold.name()) : Sum.NOTHING;
            case TIER -> sum(waiting.stream().filter(group -> hold.isOf(Hold.Kind.TIER, "" + group.tier())));
            case MERCHANT -> Sum.NOTHING;
        };
    }

    /** What waits for several PSPs, one of which would do, waits for each. */
    static Sum waitingFor(List<WaitingPayments.Group> waiting, String psp) {
        return sum(waiting.stream().filter(group -> group.psps().contains(psp)));
    }

    static Sum sum(Stream<WaitingPayments.Group> groups) {
        return groups.map(WaitingPayments.Group::sum).reduce(Sum.NOTHING, Sum::plus);
    }
}
