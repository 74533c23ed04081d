// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Contestant;
import io.chargeonce.bench.measure.CpuTime;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.RoundSpread;
import io.chargeonce.bench.measure.WarmUp;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** All contestants over several rounds, in random order within each, after a warm-up. For one thread. */
final class Contest {

    private static final int FIRST_TRY = 2_000;
    private static final int FEWEST = 1_000;
    private static final int MOST_PER_SECOND = 15_000;
    private static final Duration PACED = Duration.ofSeconds(6);

    private final List<Contestant> contestants;
    private final Duration pspLatency;
    private final Duration runTime;
    private final PrintWriter story;
    private final Round round;
    private final Map<String, List<Round.Rate>> rates = new LinkedHashMap<>();
    private final Map<String, Round.Delay> delays = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new LinkedHashMap<>();

    /** @param runTime how long one run should last, about */
    Contest(Ground ground, List<Contestant> contestants, Duration pspLatency, Duration runTime, PrintWriter story) throws Exception {
        this.contestants = contestants;
        this.pspLatency = pspLatency;
        this.runTime = runTime;
        this.story = story;
        this.round = new Round(ground, new CpuTime(ground.maintenanceUrl()), pspLatency);
    }

    void run(int rounds, long seed) throws Exception {
        for (Contestant contestant : contestants) {
            warmUp(contestant);
        }
        var random = new Random(seed);
        for (int i = 1; i <= rounds; i++) {
            var order = new ArrayList<>(contestants);
            Collections.shuffle(order, random);
            for (Contestant contestant : order) {
                Round.Rate rate = round.drain(contestant, counts.get(contestant.name()));
                rates.computeIfAbsent(contestant.name(), name -> new ArrayList<>()).add(rate);
                story.printf("round %d  %-26s %9s/s  %6.0f µs CPU  %s%n", i, contestant.name(), RoundSpread.brief(rate.paymentsPerSecond()),
                        rate.cpuMicrosPerPayment(), rate.fault().orElse("balanced"));
            }
        }
        for (Contestant contestant : contestants) {
            double half = rate(contestant.name()).median() / 2;
            Round.Delay delay = round.pace(contestant, half, PACED, 0);
            delays.put(contestant.name(), delay);
            story.printf("at %9s/s  %-26s p50 %.1f ms  p99 %.1f ms  %s%n", RoundSpread.brief(half), contestant.name(), delay.p50(),
                    delay.p99(), delay.fault().orElse("balanced"));
        }
    }

    private void warmUp(Contestant contestant) throws Exception {
        double rate = WarmUp.until(FIRST_TRY, this::countFor, count -> round.drain(contestant, count).paymentsPerSecond());
        counts.put(contestant.name(), countFor(rate));
        story.printf("warm-up  %-26s %9s/s%n", contestant.name(), RoundSpread.brief(rate));
    }

    /** A short first try may be over in one batch, and says little then. */
    private int countFor(double rate) {
        return Math.max(FEWEST, (int) (Math.min(rate, MOST_PER_SECOND) * runTime.toMillis() / 1000));
    }

    private RoundSpread rate(String name) {
        return RoundSpread.of(rates.get(name).stream().map(Round.Rate::paymentsPerSecond).toList());
    }

    /** The first fault of any of its runs. */
    private Optional<String> fault(String name) {
        return rates.get(name).stream().map(Round.Rate::fault).flatMap(Optional::stream).findFirst().or(() -> delays.get(name).fault());
    }

    boolean oursBalanced() {
        return fault(ours()).isEmpty();
    }

    private String ours() {
        return contestants.getFirst().name();
    }

    /** As the contract names the fields; what it does not name comes after. */
    Map<String, Object> result(Map<String, Object> machine) {
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "charge");
        result.put("contestant", ours());
        result.put("psp_latency_ms", pspLatency.toMillis());
        result.putAll(figures(ours()));
        var against = new LinkedHashMap<String, Object>();
        contestants.stream().skip(1).forEach(other -> {
            var figures = figures(other.name());
            figures.put("ratio", round2(ratio(other.name()).median()));
            figures.put("ratio_min", round2(ratio(other.name()).min()));
            figures.put("ratio_max", round2(ratio(other.name()).max()));
            against.put(other.name(), figures);
        });
        result.put("against", against);
        result.put("machine", machine);
        return result;
    }

    /** Ours divided by theirs, round by round. */
    private RoundSpread ratio(String other) {
        var ratios = new ArrayList<Double>();
        for (int i = 0; i < rates.get(other).size(); i++) {
            ratios.add(rates.get(ours()).get(i).paymentsPerSecond() / rates.get(other).get(i).paymentsPerSecond());
        }
        return RoundSpread.of(ratios);
    }

    private Map<String, Object> figures(String name) {
        var figures = new LinkedHashMap<String, Object>();
        RoundSpread rate = rate(name);
        figures.put("payments_per_s", Math.round(rate.median()));
        figures.put("payments_per_s_min", Math.round(rate.min()));
        figures.put("payments_per_s_max", Math.round(rate.max()));
        figures.put("p50_ms", round2(delays.get(name).p50()));
        figures.put("p99_ms", round2(delays.get(name).p99()));
        figures.put("cpu_us_per_payment",
                Math.round(RoundSpread.of(rates.get(name).stream().map(Round.Rate::cpuMicrosPerPayment).toList()).median()));
        figures.put("postgres_us_per_payment",
                Math.round(RoundSpread.of(rates.get(name).stream().map(Round.Rate::postgresMicrosPerPayment).toList()).median()));
        figures.put("rounds", rates.get(name).stream().map(rate1 -> Math.round(rate1.paymentsPerSecond())).toList());
        figures.put("balanced", fault(name).isEmpty());
        fault(name).ifPresent(fault -> figures.put("fault", fault));
        return figures;
    }

    private static double round2(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
