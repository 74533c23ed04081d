// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.bench.measure.CpuTime;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.bench.measure.RoundSpread;
import io.chargeonce.bench.measure.WarmUp;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What sick records cost the healthy ones: the main topic's delay with 5 % of payments failing at the PSP and 5 % undecodable
 * records in between, and without, turn by turn. For one thread.
 */
public final class PoisonBench {

    private static final int FAILING_PERCENT = 5;
    private static final Duration PSP_LATENCY = Duration.ofMillis(20);
    private static final Duration RUN = Duration.ofSeconds(15);
    private static final int FIRST_TRY = 20_000;
    private static final Duration WARM_UP_RUN = Duration.ofSeconds(5);

    private PoisonBench() {}

    public static Map<String, Object> run(double perSecond, int rounds, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var contestant = new Chargeonce();
        var clean = new ArrayList<Round.Delay>();
        var poisoned = new ArrayList<Round.Delay>();
        try (var ground = new Ground()) {
            var round = new Round(ground, new CpuTime(ground.maintenanceUrl()), PSP_LATENCY);
            WarmUp.until(FIRST_TRY, rate -> (int) (rate * WARM_UP_RUN.toSeconds()),
                    count -> round.drain(contestant, count).paymentsPerSecond());
            round.pace(contestant, perSecond, RUN, FAILING_PERCENT);
            for (int i = 1; i <= rounds; i++) {
                // Who goes first changes, so that neither always finds the warmer machine.
                if (i % 2 == 0) {
                    poisoned.add(round.pace(contestant, perSecond, RUN, FAILING_PERCENT));
                }
                clean.add(round.pace(contestant, perSecond, RUN, 0));
                if (i % 2 == 1) {
                    poisoned.add(round.pace(contestant, perSecond, RUN, FAILING_PERCENT));
                }
                story.printf("round %d  p99 %.1f ms without, %.1f ms with%n", i, clean.getLast().p99(), poisoned.getLast().p99());
            }
        }
        return result(perSecond, clean, poisoned, machine);
    }

    private static Map<String, Object> result(double perSecond, List<Round.Delay> clean, List<Round.Delay> poisoned,
                                              Map<String, Object> machine) {
        var ratios = new ArrayList<Double>();
        for (int i = 0; i < clean.size(); i++) {
            ratios.add(poisoned.get(i).p99() / clean.get(i).p99());
        }
        var faults = new ArrayList<String>();
        clean.forEach(each -> each.fault().ifPresent(faults::add));
        poisoned.forEach(each -> each.fault().ifPresent(faults::add));
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "poison");
        result.put("contestant", "chargeonce");
        result.put("payments_per_s", perSecond);
        result.put("failing_percent", 2 * FAILING_PERCENT);
        result.put("p50_ms", median(poisoned.stream().map(Round.Delay::p50).toList()));
        result.put("p99_ms", median(poisoned.stream().map(Round.Delay::p99).toList()));
        result.put("p50_ms_without", median(clean.stream().map(Round.Delay::p50).toList()));
        result.put("p99_ms_without", median(clean.stream().map(Round.Delay::p99).toList()));
        result.put("ratio", Math.round(RoundSpread.of(ratios).median() * 100) / 100.0);
        result.put("rounds", ratios.stream().map(ratio -> Math.round(ratio * 100) / 100.0).toList());
        result.put("balanced", faults.isEmpty());
        result.put("faults", faults);
        result.put("machine", machine);
        return result;
    }

    private static double median(List<Double> values) {
        return Math.round(RoundSpread.of(values).median() * 10) / 10.0;
    }
}
