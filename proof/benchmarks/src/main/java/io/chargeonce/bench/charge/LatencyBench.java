// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Arena;
import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.bench.contestant.StubPsp;
import io.chargeonce.bench.ingest.PaymentPost;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Latencies;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.runtime.Meters;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One payment at a time over a quiet pipeline that is warm: the client waits for its outcome ({@code Prefer: wait}), and the PSP is
 * the Stripe simulator behind HTTP, which answers at once. Where the time goes follows from the times in the payment's own rows, for
 * Postgres, services and client share one clock here. For one thread.
 */
public final class LatencyBench {

    private static final int WARM_UP = 1_500;
    private static final int IN_FLIGHT = 100;

    /** A payment's way, in order. A row's time is the start of the transaction that wrote it. */
    private enum Stage {
        ACCEPT("from the request to the transaction that accepts it"),
        CARRY("from there to the transaction that claims it: commit, relay, Kafka, fetch"),
        CHARGE("from there to the transaction that settles it: commit, two calls to the PSP"),
        TELL("from there to the answer: commit, the look of who waits, the answer");

        final String what;

        Stage(String what) {
            this.what = what;
        }
    }

    /** As of the client. */
    private record Asked(Instant from, Instant to) {}

    private final Map<Stage, Latencies> stages = new EnumMap<>(Stage.class);
    private final Latencies whole = new Latencies();
    private final Map<String, Asked> asked = new HashMap<>();

    /** What a payment's exchange with the PSP took, as charge saw it: milliseconds, the mean. */
    private double psp;

    private LatencyBench() {
        for (Stage stage : Stage.values()) {
            stages.put(stage, new Latencies());
        }
    }

    public static Map<String, Object> run(int payments, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var bench = new LatencyBench();
        try (var ground = new Ground(); var plot = ground.newPlot();
             var stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
             var meters = Meters.of("charge-consumer");
             var door = IngestDoor.ours(new Arena(plot, new StubPsp(Duration.ZERO, 0)));
             var charge = ChargeService.start(settings(plot, stripe), meters);
             var client = new PaymentPost(door.port())) {
            for (int i = 0; i < WARM_UP; i++) {
                pay(client, "warm-up-" + i);
            }
            plot.settle();
            double before = millisAtThePsp(meters);
            for (int i = 0; i < payments; i++) {
                bench.asked.put("measured-" + i, pay(client, "measured-" + i));
            }
            bench.psp = (millisAtThePsp(meters) - before) / payments;
            bench.read(plot);
        }
        story.printf("%-78s p50 %5.1f ms  p99 %5.1f ms%n", "from the request to the outcome's answer", bench.whole.millisAt(50),
                bench.whole.millisAt(99));
        bench.stages.forEach((stage, latencies) -> story.printf("  %-76s p50 %5.1f ms  p99 %5.1f ms%n", stage.what, latencies.millisAt(50),
                latencies.millisAt(99)));
        story.printf("  %-76s mean %4.1f ms%n", "the two calls to the PSP, within charging", bench.psp);
        return bench.result(payments, machine);
    }

    private static double millisAtThePsp(Meters meters) {
        return meters.registry().find("chargeonce.psp.calls").timers().stream().mapToDouble(timer -> timer.totalTime(TimeUnit.MILLISECONDS))
                .sum();
    }

    private static ChargeSettings settings(Ground.Plot plot, StripeSimulator stripe) {
        return new ChargeSettings(plot.pipeline(Chargeonce.TIERS),
                List.of(new io.chargeonce.psp.stripe.StripeSettings("sk_test_sandbox", stripe.apiBase().toString(), Duration.ofSeconds(2))),
                IN_FLIGHT,
                Chargeonce.LEASE, Duration.ofSeconds(10), List.of(Duration.ofSeconds(5)), Duration.ofMinutes(2), Optional.empty(),
                ChargeSettings.Pace.USUAL);
    }

    private static Asked pay(PaymentPost client, String key) throws Exception {
        Instant from = Instant.now();
        int status = client.sendAndWait(key);
        Instant to = Instant.now();
        if (status != 200) {
            throw new IllegalStateException("payment %s was answered with %d".formatted(key, status));
        }
        return new Asked(from, to);
    }

    private static final String TIMES = """
            SELECT idempotency_key, accepted_at, sent_at, settled_at
              FROM operation_now JOIN payment_attempt USING (operation_id)
             WHERE idempotency_key LIKE 'measured-%'
            """;

    private void read(Ground.Plot plot) throws SQLException {
        try (var connection = plot.connect(); var statement = connection.createStatement(); var row = statement.executeQuery(TIMES)) {
            while (row.next()) {
                Asked mine = asked.get(row.getString(1));
                Instant accepted = row.getTimestamp(2).toInstant();
                Instant claimed = row.getTimestamp(3).toInstant();
                Instant settled = row.getTimestamp(4).toInstant();
                add(Stage.ACCEPT, mine.from, accepted);
                add(Stage.CARRY, accepted, claimed);
                add(Stage.CHARGE, claimed, settled);
                add(Stage.TELL, settled, mine.to);
                whole.add(ChronoUnit.NANOS.between(mine.from, mine.to));
            }
        }
        if (whole.size() != asked.size()) {
            throw new IllegalStateException("Bug! %d payments have %d rows".formatted(asked.size(), whole.size()));
        }
    }

    private void add(Stage stage, Instant from, Instant to) {
        stages.get(stage).add(ChronoUnit.NANOS.between(from, to));
    }

    private Map<String, Object> result(int payments, Map<String, Object> machine) {
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "latency");
        result.put("contestant", "chargeonce");
        result.put("payments", payments);
        result.put("p50_ms", round1(whole.millisAt(50)));
        result.put("p99_ms", round1(whole.millisAt(99)));
        result.put("psp_ms", round1(psp));
        var each = new LinkedHashMap<String, Object>();
        stages.forEach((stage, latencies) -> each.put(stage.what,
                Map.of("p50_ms", round1(latencies.millisAt(50)), "p99_ms", round1(latencies.millisAt(99)))));
        result.put("stages", each);
        result.put("machine", machine);
        return result;
    }

    private static double round1(double millis) {
        return Math.round(millis * 10) / 10.0;
    }
}
