// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Arena;
import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.bench.contestant.Contestant;
import io.chargeonce.bench.contestant.HttpPsp;
import io.chargeonce.bench.contestant.SpringContestant;
import io.chargeonce.bench.contestant.StubPsp;
import io.chargeonce.bench.ingest.PaymentPost;
import io.chargeonce.bench.measure.CpuTime;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Latencies;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.bench.measure.RoundSpread;
import io.chargeonce.bench.measure.WarmUp;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * From the HTTP request to the published outcome, the PSP behind HTTP as well; everything on this machine. For the rate so many
 * payments are under way at any time; for the delay they come at half that rate, in an open loop. For one thread.
 */
public final class EndToEndBench {

    private static final int CONNECTIONS = 64;
    private static final int UNDER_WAY = 1_000;
    private static final int FIRST_TRY = 2_000;
    private static final int MOST_PER_SECOND = 10_000;
    private static final Duration RUN = Duration.ofSeconds(10);
    private static final double FROM = 0.2;
    private static final double TO = 0.95;

    private final Ground ground;
    private final CpuTime cpu;
    private final Duration pspLatency;
    private final Map<String, List<Turn>> turns = new LinkedHashMap<>();
    private final Map<String, Turn> paced = new LinkedHashMap<>();

    private record Turn(double paymentsPerSecond, double cpuMicros, Latencies delays, Optional<String> fault) {}

    private EndToEndBench(Ground ground, Duration pspLatency) throws Exception {
        this.ground = ground;
        this.cpu = new CpuTime(ground.maintenanceUrl());
        this.pspLatency = pspLatency;
    }

    public static Map<String, Object> run(List<String> against, Duration pspLatency, int rounds, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var ours = new Chargeonce();
        List<Contestant> contestants = Stream.of(ours, SpringContestant.TYPICAL, SpringContestant.ASYNC)
                .filter(each -> each == ours || against.contains(each.name())).toList();
        try (var ground = new Ground()) {
            var bench = new EndToEndBench(ground, pspLatency);
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
            var stub = new StubPsp(pspLatency, 0);
            var payments = new Payments(count);
            try (var psp = new HttpPsp(stub)) {
                var arena = new Arena(plot, stub, psp);
                plot.settle();
                try (var reader = new OutcomeReader(arena, payments)) {
                    Turn turn;
                    try (var door = contestant instanceof Chargeonce ? IngestDoor.ours(arena) : IngestDoor.usual(arena, payments);
                         AutoCloseable running = contestant.start(arena)) {
                        turn = drive(door, reader, count, perSecond);
                    }
                    return new Turn(turn.paymentsPerSecond, turn.cpuMicros, turn.delays, Round.fault(arena, payments, reader, contestant));
                }
            }
        }
    }

    private Turn drive(IngestDoor door, OutcomeReader reader, int count, Optional<Double> perSecond) {
        var room = new Semaphore(perSecond.isPresent() ? count : UNDER_WAY);
        long start = System.nanoTime() + Duration.ofSeconds(2).toNanos();
        var next = new AtomicInteger();
        for (int i = 0; i < CONNECTIONS; i++) {
            Thread.ofVirtual().start(() -> send(door.port(), next, count, room,
                    number -> start + perSecond.map(rate -> (long) (number * 1e9 / rate)).orElse(0L)));
        }
        long from = waitFor(reader, (int) (count * FROM), room);
        long cpuFrom = cpu.micros();
        int settledFrom = reader.settled();
        long to = waitFor(reader, (int) (count * TO), room);
        long cpuTo = cpu.micros();
        double done = Math.max(1, reader.settled() - settledFrom);
        waitFor(reader, count, room);
        var delays = new Latencies();
        perSecond.ifPresent(rate -> {
            for (int i = (int) (count * FROM); i < count; i++) {
                if (reader.arrivedAt(i) > 0) {
                    delays.add(reader.arrivedAt(i) - start - (long) (i * 1e9 / rate));
                }
            }
        });
        return new Turn(done * 1e9 / (to - from), (cpuTo - cpuFrom) / done, delays, Optional.empty());
    }

    /** Lets another payment in for each that is settled. Returns when so many are, or nothing comes any more. */
    private static long waitFor(OutcomeReader reader, int count, Semaphore room) {
        long giveUp = System.nanoTime() + OutcomeReader.PATIENCE.toNanos();
        while (reader.settled() < count && System.nanoTime() < giveUp) {
            int settled = reader.poll();
            if (settled > 0) {
                room.release(settled);
                giveUp = System.nanoTime() + OutcomeReader.PATIENCE.toNanos();
            }
        }
        return System.nanoTime();
    }

    /** When a payment is to be sent, by {@link System#nanoTime()}. */
    private interface Timetable {
        long of(int number);
    }

    private static void send(int port, AtomicInteger next, int count, Semaphore room, Timetable timetable) {
        try (var post = new PaymentPost(port)) {
            for (int number = next.getAndIncrement(); number < count; number = next.getAndIncrement()) {
                room.acquireUninterruptibly();
                LockSupport.parkNanos(Math.max(0, timetable.of(number) - System.nanoTime()));
                int status = post.send(Payments.key(number));
                if (status != 202) {
                    throw new IllegalStateException("payment %d was answered with %d".formatted(number, status));
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("a connection broke", e);
        }
    }

    private RoundSpread rate(String name) {
        return RoundSpread.of(turns.get(name).stream().map(Turn::paymentsPerSecond).toList());
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
        figures.put("cpu_us_per_payment", Math.round(RoundSpread.of(turns.get(name).stream().map(Turn::cpuMicros).toList()).median()));
        figures.put("rounds", turns.get(name).stream().map(turn -> Math.round(turn.paymentsPerSecond)).toList());
        figures.put("balanced", faults.isEmpty());
        faults.stream().findFirst().ifPresent(fault -> figures.put("fault", fault));
        return figures;
    }

    private static double round2(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
