// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.scale;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * One Postgres and the services on its partitions, in ticks of {@link #TICK}. Postgres is a server with so much time in each
 * tick: acceptances get theirs first, because producers wait for them; claims get the rest. Whole payments, in cohorts.
 */
final class Shard {

    static final Duration TICK = Duration.ofMillis(100);
    private static final double SECONDS = TICK.toMillis() / 1000.0;

    /** Payments that came in the same tick and have been through the same tiers. */
    private record Cohort(long born, int tier, long count) {}

    private final ScalePlan plan;
    private final Random random;
    private final ScaleCounts counts;
    private final Deque<Cohort> due = new ArrayDeque<>();
    private final Map<Long, List<Cohort>> later = new HashMap<>();
    private final Map<Long, List<Cohort>> atPsp = new HashMap<>();
    private long waiting;
    private long calling;
    private double time;

    Shard(ScalePlan plan, Random random, ScaleCounts counts) {
        this.plan = plan;
        this.random = random;
        this.counts = counts;
    }

    void tick(long now, double arriving, boolean pspAway) {
        // What a tick did not use is gone; what it used too much is missing in the next.
        time = Math.min(time, 0) + SECONDS;
        double begun = time;
        accept(now, poisson(arriving));
        Optional.ofNullable(later.remove(now)).orElse(List.of()).forEach(this::enqueue);
        answer(now);
        claim(now, pspAway);
        counts.busy((begun - time) / SECONDS);
        counts.waiting(waiting);
    }

    private void accept(long now, long arriving) {
        long accepted = Math.min(arriving, fits(1 / plan.accepts()));
        time -= accepted / plan.accepts();
        counts.accepted(accepted);
        counts.refused(arriving - accepted);
        enqueue(new Cohort(now, 0, accepted));
    }

    private void enqueue(Cohort cohort) {
        if (cohort.count > 0) {
            due.addLast(cohort);
            waiting += cohort.count;
        }
    }

    private void answer(long now) {
        for (Cohort cohort : Optional.ofNullable(atPsp.remove(now)).orElse(List.of())) {
            long failed = Math.min(cohort.count, poisson(cohort.count * plan.failing()));
            calling -= cohort.count;
            counts.settled(now - cohort.born, cohort.count - failed);
            delay(now, cohort, failed);
        }
    }

    private void claim(long now, boolean pspAway) {
        // A parked payment is written once; one that is charged is written before the call and after it.
        double cost = (pspAway ? 0.5 : 1) / plan.charges();
        while (!due.isEmpty()) {
            Cohort next = due.peekFirst();
            long taken = Math.min(next.count, Math.min(fits(cost), pspAway ? Long.MAX_VALUE : plan.inFlight() - calling));
            if (taken <= 0) {
                return;
            }
            due.removeFirst();
            if (taken < next.count) {
                due.addFirst(new Cohort(next.born, next.tier, next.count - taken));
            }
            time -= taken * cost;
            waiting -= taken;
            if (pspAway) {
                delay(now, next, taken);
            } else {
                calling += taken;
                put(atPsp, now + ticks(plan.pspLatency()), new Cohort(next.born, next.tier, taken));
            }
        }
    }

    /** Into the next tier; the last one repeats, as it does for what is parked. */
    private void delay(long now, Cohort cohort, long count) {
        if (count > 0) {
            Duration tier = plan.tiers().get(Math.min(cohort.tier, plan.tiers().size() - 1));
            put(later, now + ticks(tier), new Cohort(cohort.born, cohort.tier + 1, count));
        }
    }

    private static void put(Map<Long, List<Cohort>> where, long when, Cohort cohort) {
        where.computeIfAbsent(when, tick -> new ArrayList<>()).add(cohort);
    }

    private long fits(double cost) {
        return Math.max(0, (long) Math.floor(time / cost + 1e-9));
    }

    boolean isIdle() {
        return waiting == 0 && calling == 0 && later.isEmpty();
    }

    private static long ticks(Duration duration) {
        return Math.max(1, duration.dividedBy(TICK));
    }

    /** Exact for small means; for large ones the normal distribution, which it then is but for a rounding. */
    private long poisson(double mean) {
        if (mean > 50) {
            return Math.max(0, Math.round(mean + Math.sqrt(mean) * random.nextGaussian()));
        }
        double limit = Math.exp(-mean);
        long count = -1;
        for (double product = 1; product > limit; product *= random.nextDouble()) {
            count++;
        }
        return Math.max(0, count);
    }
}
