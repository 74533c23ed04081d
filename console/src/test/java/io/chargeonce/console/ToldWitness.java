// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import io.chargeonce.console.witness.Hop;
import io.chargeonce.console.witness.Latency;
import io.chargeonce.console.witness.OverdueOperation;
import io.chargeonce.console.witness.OverdueSum;
import io.chargeonce.console.witness.WitnessProgress;
import io.chargeonce.console.witness.RateBy;
import io.chargeonce.console.witness.RatePoint;
import io.chargeonce.console.witness.Stage;
import io.chargeonce.console.witness.WitnessSettings;
import io.chargeonce.console.witness.WitnessView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A witness that has seen what a test says. */
final class ToldWitness implements WitnessView {

    /** Of a console whose witness is another one. */
    static final WitnessSettings UNUSED = new WitnessSettings(Optional.empty(), Optional.empty(), Duration.ofMinutes(5),
            Duration.ofMinutes(1), Duration.ofDays(1), Duration.ofSeconds(1));
    static final Instant AT = Instant.parse("2026-11-23T10:00:00Z");

    volatile WitnessProgress.State state = WitnessProgress.State.LIVE;
    volatile List<OverdueOperation> overdue = List.of();
    volatile Instant differsSince;
    volatile String problem = "";

    @Override
    public WitnessProgress progress() {
        return new WitnessProgress(state, state == WitnessProgress.State.LIVE ? 100 : 43, state == WitnessProgress.State.LIVE ? 0 : 1234,
                AT, 7, problem);
    }

    @Override
    public List<Stage> stages() {
        return List.of(new Stage("requests", "charge", "EUR", 10, 1000, 9, 900, 1, 100, differsSince == null ? 0 : 1,
                differsSince == null ? 0 : 50, differsSince));
    }

    @Override
    public List<OverdueOperation> overdue(int most) {
        return overdue.stream().limit(most).toList();
    }

    @Override
    public OverdueSum overdueSum() {
        long money = overdue.stream().mapToLong(OverdueOperation::amount).sum();
        return overdue.isEmpty() ? new OverdueSum(0, List.of(), null)
                : new OverdueSum(overdue.size(), List.of(new OverdueSum.Sum("EUR", money, overdue.size())), AT);
    }

    @Override
    public List<Hop> journey(String paymentId) {
        return List.of(new Hop(AT, "requests", "charge/1", 0, "", "stripe", 3, 17));
    }

    @Override
    public Rates rates(RateBy by, Duration window) {
        return new Rates(AT.minus(window), AT.plusSeconds(60), Duration.ofMinutes(1),
                List.of(new RatePoint(AT, "stripe", 3, 1, Map.of("EUR", 400L)),
                        new RatePoint(AT.plusSeconds(60), "stripe", 4, 0, Map.of())));
    }

    @Override
    public List<Latency> latencies() {
        return List.of(new Latency("accepted", "settled", 12.5, 99, 10));
    }
}
