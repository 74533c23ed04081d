// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Arena;
import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.bench.contestant.Contestant;
import io.chargeonce.bench.contestant.HttpPsp;
import io.chargeonce.bench.contestant.SpringContestant;
import io.chargeonce.bench.contestant.StubPsp;
import io.chargeonce.bench.measure.CpuTime;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Latencies;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.bench.measure.RoundSpread;
import io.chargeonce.bench.measure.WarmUp;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * From the HTTP request to the published outcome, the PSP behind HTTP as well; everything on this machine. For the rate so many
 * payments are under way at any time; for the delay they come at half that rate, in an open loop. The processor time of load and PSP,
 * which are {@link Outside outside}, is counted for itself. For one thread.
 */
public final class EndToEndBench {

    private static final int UNDER_WAY = 1_000;
    private static final int FIRST_TRY = 2_000;
    private static final int MOST_PER_SECOND = 10_000;
    private static final Duration RUN = Duration.ofSeconds(10);
    private static final double FROM = 0.2;
    private static final double TO = 0.95;

    private final Ground ground;
    private final Outside outside;
    private final CpuTime cpu;
    private final Duration pspLatency;
    private final Map<String, List<Turn>> turns = new LinkedHashMap<>();
    private final Map<String, Turn> paced = new LinkedHashMap<>();

    private record Turn(double paymentsPerSecond, double cpuMicros, double postgresMicros, double outsideMicros, Latencies delays,
            Optional<String> fault) {

        Turn with(Optional<String> itsFault) {
            return new Turn(paymentsPerSecond, cpuMicros, postgresMicros, outsideMicros, delays, itsFault);
        }
    }

    private EndToEndBench(Ground ground, Outside outside, Duration pspLatency) throws Exception {
        this.ground = ground;
        this.outside = outside;
        this.cpu = new CpuTime(ground.maintenanceUrl());
        this.pspLatency = pspLatency;
    }

    public static Map<String, Object> run(List<String> against, Duration pspLatency, int rounds, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var ours = new Chargeonce();
        List<Contestant> contestants = Stream.of(ours, SpringContestant.TYPICAL, SpringContestant.ASYNC)
                .filter(each -> each == ours || against.contains(each.name())).toList();
        try (var ground = new Ground(); var outside = Outside.start(pspLatency)) {
            var bench = new EndToEndBench(ground, outside, pspLatency);
            var counts = new LinkedHashMap<String, Integer>();
            for (Contestant each : contestants) {
                double rate = WarmUp.until(FIRST_TRY, EndToEndBench::countFor,
                        count -> bench.turn(each, count, Optional.empty()).paymentsPerSecond);
                counts.put(each.name(), countFor(rate));
                story.printf("warm-up  %-14s %9s/s%n", each.name(), RoundSpread.brief(rate));
            }
            for (int i = 1; i <= rounds; i++) {
                var order = new ArrayList<>(contestants);
                Collections.shuffle(order);
                for (Contestant each : order) {
                    Turn turn = bench.turn(each, counts.get(each.name()), Optional.empty());
                    bench.turns.computeIfAbsent(each.name(), name -> new ArrayList<>()).add(turn);
                    story.printf("round %d  %-14s %9s/s  %6.0f µs CPU  %s%n", i, each.name(), RoundSpread.brief(turn.paymentsPerSecond),
                            turn.cpuMicros, turn.fault.orElse("balanced"));
                }
            }
            for (Contestant each : contestants) {
                double half = bench.rate(each.name()).median() / 2;
                Turn turn = bench.turn(each, (int) (half * RUN.toSeconds()), Optional.of(half));
                bench.paced.put(each.name(), turn);
                story.printf("at %9s/s  %-14s p50 %.1f ms  p99 %.1f ms  %s%n", RoundSpread.brief(half), each.name(),
                        turn.delays.millisAt(50),
                        turn.delays.millisAt(99), turn.fault.orElse("balanced"));
            }
            return bench.result(machine);
        }
    }

    private static int countFor(double rate) {
        return Math.max(1_000, (int) (Math.min(rate, MOST_PER_SECOND) * RUN.toSeconds()));
    }

    /** @param perSecond the pace of an open loop; empty for the closed one */
    private Turn turn(Contestant contestant, int count, Optional<Double> perSecond) throws Exception {
        try (var plot = ground.newPlot()) {
            var ledger = new StubPsp(pspLatency, 0);
            var payments = new Payments(count);
            try (var psp = new HttpPsp(outside.pspPort())) {
                var arena = new Arena(plot, ledger, psp);
                plot.settle();
                try (var reader = new OutcomeReader(arena, payments)) {
                    Turn turn;
                    try (var door = contestant instanceof Chargeonce ? IngestDoor.ours(arena) : IngestDoor.usual(arena, payments);
                         AutoCloseable running = contestant.start(arena)) {
                        turn = drive(door.port(), reader, count, perSecond);
                    }
                    outside.readLedger(ledger.executed());
                    return turn.with(Round.fault(arena, payments, reader, contestant));
                }
            }
        }
    }

    private Turn drive(int port, OutcomeReader reader, int count, Optional<Double> perSecond) {
        var ahead = Duration.ofSeconds(2);
        long start = System.nanoTime() + ahead.toNanos();
        outside.send(port, count, Instant.now().plus(ahead), perSecond);
        boolean closed = perSecond.isEmpty();
        if (closed) {
            outside.let(UNDER_WAY);
        }
        long from = waitFor(reader, (int) (count * FROM), closed);
        CpuTime.Spent cpuFrom = cpu.spent();
        long outsideFrom = outside.cpuMicros();
        int settledFrom = reader.settled();
        long to = waitFor(reader, (int) (count * TO), closed);
        CpuTime.Spent spent = cpu.spent().since(cpuFrom);
        long spentOutside = outside.cpuMicros() - outsideFrom;
        double done = Math.max(1, reader.settled() - settledFrom);
        waitFor(reader, count, closed);
        var delays = new Latencies();
        perSecond.ifPresent(rate -> {
            for (int i = (int) (count * FROM); i < count; i++) {
                if (reader.arrivedAt(i) > 0) {
                    delays.add(reader.arrivedAt(i) - start - (long) (i * 1e9 / rate));
                }
            }
        });
        return new Turn(done * 1e9 / (to - from), spent.micros() / done, spent.postgresMicros() / done, spentOutside / done, delays,
                Optional.empty());
    }

    /**
     * Returns when so many are settled, or nothing comes any more.
     *
     * @param closed whether each that is settled lets another one in
     */
    private long waitFor(OutcomeReader reader, int count, boolean closed) {
        long giveUp = System.nanoTime() + OutcomeReader.PATIENCE.toNanos();
        while (reader.settled() < count && System.nanoTime() < giveUp) {
            int settled = reader.poll();
            if (settled > 0) {
                if (closed) {
                    outside.let(settled);
                }
                giveUp = System.nanoTime() + OutcomeReader.PATIENCE.toNanos();
            }
        }
        return System.nanoTime();
    }

    private RoundSpread rate(String name) {
        return RoundSpread.of(turns.get(name).stream().map(Turn::paymentsPerSecond).toList());
    }

    private double median(String name, Function<Turn, Double> figure) {
        return RoundSpread.of(turns.get(name).stream().map(figure).toList()).median();
    }

    private Map<String, Object> result(Map<String, Object> machine) {
        var names = new ArrayList<>(turns.keySet());
        names.remove("chargeonce");
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "end-to-end");
        result.put("contestant", "chargeonce");
        result.put("psp_latency_ms", pspLatency.toMillis());
        result.putAll(figures("chargeonce"));
        var against = new LinkedHashMap<String, Object>();
        for (String name : names) {
            var ratios = new ArrayList<Double>();
            for (int i = 0; i < turns.get(name).size(); i++) {
                ratios.add(turns.get("chargeonce").get(i).paymentsPerSecond / turns.get(name).get(i).paymentsPerSecond);
            }
            var figures = figures(name);
            figures.put("ratio", round2(RoundSpread.of(ratios).median()));
            figures.put("ratio_min", round2(RoundSpread.of(ratios).min()));
            figures.put("ratio_max", round2(RoundSpread.of(ratios).max()));
            figures.put("cpu_ratio", round2(median(name, Turn::cpuMicros) / median("chargeonce", Turn::cpuMicros)));
            against.put(name, figures);
        }
        result.put("against", against);
        result.put("machine", machine);
        return result;
    }

    private Map<String, Object> figures(String name) {
        RoundSpread rate = rate(name);
        Turn pace = paced.get(name);
        var faults = new ArrayList<String>();
        turns.get(name).forEach(turn -> turn.fault.ifPresent(faults::add));
        pace.fault.ifPresent(faults::add);
        var figures = new LinkedHashMap<String, Object>();
        figures.put("payments_per_s", Math.round(rate.median()));
        figures.put("payments_per_s_min", Math.round(rate.min()));
        figures.put("payments_per_s_max", Math.round(rate.max()));
        figures.put("p50_ms", round2(pace.delays.millisAt(50)));
        figures.put("p99_ms", round2(pace.delays.millisAt(99)));
        figures.put("cpu_us_per_payment", Math.round(median(name, Turn::cpuMicros)));
        figures.put("postgres_us_per_payment", Math.round(median(name, Turn::postgresMicros)));
        figures.put("outside_us_per_payment", Math.round(median(name, Turn::outsideMicros)));
        figures.put("rounds", turns.get(name).stream().map(turn -> Math.round(turn.paymentsPerSecond)).toList());
        figures.put("balanced", faults.isEmpty());
        faults.stream().findFirst().ifPresent(fault -> figures.put("fault", fault));
        return figures;
    }

    private static double round2(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
