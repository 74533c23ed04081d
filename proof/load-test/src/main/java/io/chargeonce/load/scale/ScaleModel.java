// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.scale;

import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;

/** Runs a plan. Pure: the same plan and seed give the same result on each machine. */
final class ScaleModel {

    /** When what is left takes longer than this to work off, it is growing. */
    private static final Duration LONGEST_AFTERMATH = Duration.ofHours(6);

    /** @param aftermath from the last arrival to the last outcome */
    record Result(ScaleCounts counts, Duration aftermath) {

        boolean holds() {
            return counts.refused() == 0 && counts.settled() == counts.accepted();
        }
    }

    private ScaleModel() {}

    static Result run(ScalePlan plan, long seed) {
        var counts = new ScaleCounts();
        var random = new Random(seed);
        var shards = IntStream.range(0, plan.shards()).mapToObj(shard -> new Shard(plan, new Random(random.nextLong()), counts)).toList();
        double arriving = plan.rate() * Shard.TICK.toMillis() / 1000.0 / plan.shards();
        long end = plan.length().dividedBy(Shard.TICK);
        long outage = end / 3;
        long mended = outage + plan.outage().dividedBy(Shard.TICK);
        long last = end + LONGEST_AFTERMATH.dividedBy(Shard.TICK);
        long now = 0;
        while (now < end || (now < last && !shards.stream().allMatch(Shard::isIdle))) {
            for (Shard shard : shards) {
                shard.tick(now, now < end ? arriving : 0, now >= outage && now < mended);
            }
            counts.endOfTick();
            now++;
        }
        return new Result(counts, Shard.TICK.multipliedBy(now - end));
    }
}
