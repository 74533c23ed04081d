// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Arena;
import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.bench.contestant.StubPsp;
import io.chargeonce.bench.cost.MeasuredDriver;
import io.chargeonce.bench.cost.StatementCosts;
import io.chargeonce.bench.ingest.PaymentPost;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.database.Sql;
import io.chargeonce.runtime.PipelineSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one payment that succeeds at once costs Postgres, statement by statement: the services as they run, from the request to the
 * outcome on its topic, with the PSP's stub in their process. For one thread.
 */
public final class CostBench {

    private static final int CONNECTIONS = 200;
    private static final int WARM_UP = 4_000;
    /** Cheaper ones are told together. */
    private static final double WORTH_A_LINE = 0.5;

    private CostBench() {}

    public static Map<String, Object> run(int payments, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        try (var ground = new Ground(); var plot = ground.newPlot()) {
            return result(measure(plot, WARM_UP, payments), payments, machine, story);
        }
    }

    /** @return what the statements of the services have cost while these payments went through, the dearest first */
    public static List<StatementCosts.Cost> measure(Ground.Plot plot, int warmUp, int payments) throws Exception {
        try (var costs = new StatementCosts(DriverManager.getConnection(plot.jdbcUrl())); var driver = new MeasuredDriver(costs)) {
            PipelineSettings usual = plot.pipeline(Chargeonce.TIERS);
            var measured = new PipelineSettings(MeasuredDriver.address(plot.jdbcUrl()), usual.databaseUser(),
                    usual.databasePassword().get(),
                    plot.kafka(), Optional.empty(), plot.topics().prefix(), List.of(Chargeonce.TIERS), Optional.empty());
            var stub = new StubPsp(Duration.ZERO, 0);
            try (var door = IngestDoor.ours(new Arena(plot, stub), measured); var charge = Chargeonce.start(measured, stub)) {
                long before = lastRecord(plot);
                pay(door.port(), "warm-up", warmUp);
                await(plot, before, warmUp);
                plot.settle();
                costs.restart();
                pay(door.port(), "measured", payments);
                await(plot, before, warmUp + payments);
                return costs.dearest();
            }
        }
    }

    private static void pay(int port, String prefix, int count) throws InterruptedException, ExecutionException {
        var next = new AtomicInteger();
        try (var connections = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                all.add(connections.submit(() -> {
                    try (var post = new PaymentPost(port)) {
                        for (int number = next.getAndIncrement(); number < count; number = next.getAndIncrement()) {
                            int status = post.send(prefix + "-" + number);
                            while (status == 503) {
                                // One transaction at a time is less than what comes.
                                Thread.sleep(100);
                                status = post.send(prefix + "-" + number);
                            }
                            if (status != 202) {
                                throw new IOException("payment %d was answered with %d".formatted(number, status));
                            }
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
    }

    private static final String LAST_RECORD = "SELECT coalesce(max(audit_id), 0) FROM audit_record";

    private static long lastRecord(Ground.Plot plot) throws SQLException {
        try (var connection = plot.connect()) {
            return Sql.one(connection, LAST_RECORD, row -> row.getLong(1));
        }
    }

    /** Of what succeeded earlier nothing is read. */
    private static final String LEFT = """
            SELECT ? - (SELECT count(*) FROM audit_record WHERE audit_id > ? AND action = 'succeeded') + (SELECT count(*) FROM outbox)
            """;

    private static void await(Ground.Plot plot, long before, int payments) throws SQLException, InterruptedException {
        long giveUp = System.nanoTime() + OutcomeReader.PATIENCE.toNanos();
        try (var connection = plot.connect()) {
            for (long left = 1; left > 0;) {
                if (System.nanoTime() - giveUp > 0) {
                    throw new IllegalStateException("%d payments have not succeeded".formatted(left));
                }
                left = Sql.one(connection, LEFT, row -> row.getLong(1), payments, before);
                Thread.sleep(100);
            }
        }
    }

    private static Map<String, Object> result(List<StatementCosts.Cost> dearest, int payments, Map<String, Object> machine,
                                              PrintWriter story) {
        var statements = new ArrayList<Map<String, Object>>();
        double micros = 0;
        double wal = 0;
        story.printf("%-92s %8s %8s %8s%n", "statement", "µs", "WAL B", "rows/call");
        for (var cost : dearest) {
            micros += cost.micros() / payments;
            wal += (double) cost.walBytes() / payments;
            if (cost.micros() / payments >= WORTH_A_LINE || cost.walBytes() / payments >= 10) {
                story.printf("%-92s %8.1f %8.0f %8.0f%n", cost.statement(), cost.micros() / payments, (double) cost.walBytes() / payments,
                        (double) payments / cost.calls());
                statements.add(Map.of("statement", cost.statement(), "micros", round1(cost.micros() / payments),
                        "wal_bytes", Math.round((double) cost.walBytes() / payments), "rows_a_call",
                        Math.round((double) payments / cost.calls())));
            }
        }
        story.printf("%-92s %8.1f %8.0f%n", "all, also those that are not worth a line", micros, wal);
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "cost");
        result.put("contestant", "chargeonce");
        result.put("payments", payments);
        result.put("micros", round1(micros));
        result.put("wal_bytes", Math.round(wal));
        result.put("statements", statements);
        result.put("machine", machine);
        return result;
    }

    private static double round1(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
