// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.years;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.audit.AuditSealer;
import io.chargeonce.bench.charge.CostBench;
import io.chargeonce.bench.cost.StatementCosts;
import io.chargeonce.bench.dlq.FullQueue;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.database.Database;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The same work on two databases: the same dead letters wait in both, and one of them has millions of settled payments as well, and a
 * snapshot that keeps vacuum from removing anything. First payments go through the services, whose statements are measured by processor
 * time; then comes what people and caretakers do, by the clock. At the end a tenth of the past is forgotten and the same number comes, to
 * see whether the files grow. For one thread.
 */
public final class YearsBench {

    /** No cost may grow by more than this factor. */
    public static final double GOAL = 1.5;
    private static final double OLDEST_DAYS = 390;
    private static final double NEWEST_DAYS = 8;
    private static final int TURNED_OVER = 10;
    private static final int FIRST_TO_FORGET = 1_000_000_000;
    /** Shorter ones differ by chance. */
    private static final double SHORT_MS = 2;
    private static final double CHEAP_MICROS = 1;
    /** Reads the next 80 MB of the table at each call, so its cost is limited but not the same in a smaller one. */
    private static final String LIMITED = "SELECT list_what_was_missed";

    private final PrintWriter story;
    private final List<String> over = new ArrayList<>();

    private YearsBench(PrintWriter story) {
        this.story = story;
    }

    /** What one database costs. */
    private record Costs(Map<String, StatementCosts.Cost> statements, Map<String, Double> deeds, Map<String, TableSizes.Size> sizes) {}

    /**
     * @param settled  payments of the past
     * @param letters  dead letters that wait in both databases
     * @param payments that go through the services, twice
     */
    public static Map<String, Object> run(int settled, int letters, int payments, PrintWriter story) throws Exception {
        return new YearsBench(story).run(settled, letters, payments);
    }

    private Map<String, Object> run(int settled, int letters, int payments) throws Exception {
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "years");
        result.put("contestant", "chargeonce");
        result.put("settled", settled);
        result.put("letters", letters);
        result.put("payments", payments);
        result.put("machine", Machine.fingerprint());
        try (var ground = new Ground()) {
            Costs young;
            try (var plot = ground.newPlot()) {
                young = costs(plot, letters, payments);
            }
            try (var plot = ground.newPlot()) {
                long start = System.nanoTime();
                Past.fill(plot, 0, settled, OLDEST_DAYS, NEWEST_DAYS);
                story.printf("%,d settled payments written in %,d s%n", settled, Duration.ofNanos(System.nanoTime() - start).toSeconds());
                Costs old = costs(plot, letters, payments);
                result.put("statements", statements(young, old, payments));
                result.put("deeds", deeds(young, old));
                result.put("tables", TableSizes.perPayment(young.sizes, old.sizes, settled, story));
                result.put("turned_over", Turnover.of(plot, settled, settled / TURNED_OVER, OLDEST_DAYS, NEWEST_DAYS, story));
            }
        }
        result.put("goal", GOAL);
        result.put("over", over);
        story.println(over.isEmpty() ? "nothing costs more than %.1f times as much".formatted(GOAL)
                : "over %.1f times: %s".formatted(GOAL, String.join("; ", over)));
        return result;
    }

    private Costs costs(Ground.Plot plot, int letters, int payments) throws Exception {
        long beforeAll = Past.numbers(plot, Deeds.FORGOTTEN);
        FullQueue.fill(plot, letters);
        seal(plot);
        plot.settle();
        Map<String, TableSizes.Size> sizes = TableSizes.of(plot);
        try (var snapshot = plot.connect()) {
            hold(snapshot);
            var statements = new TreeMap<String, StatementCosts.Cost>();
            for (var cost : CostBench.measure(plot, payments, payments)) {
                statements.merge(cost.statement(), cost, YearsBench::plus);
            }
            // Only now, because the services have a reaper too; but not as the newest, from which a verification begins.
            Past.fill(plot, beforeAll, FIRST_TO_FORGET, Deeds.FORGOTTEN, 410, 401);
            try (var deeds = new Deeds(plot, 2L * payments)) {
                return new Costs(statements, deeds.times(), sizes);
            }
        }
    }

    /** A report or a dump that runs for hours: until its end Postgres removes no version that it may still see. */
    private static void hold(Connection snapshot) throws SQLException {
        snapshot.setAutoCommit(false);
        snapshot.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (var statement = snapshot.createStatement()) {
            statement.execute("SELECT count(*) FROM merchant");
        }
    }

    private static void seal(Ground.Plot plot) {
        try (var database = Database.open(plot.jdbcUrl(), "postgres", "", 1)) {
            var sealer = new AuditSealer(database, plot.topics(), new AuditSealer.Settings(AuditKeys.NONE, Duration.ZERO), () -> {},
                    new SimpleMeterRegistry());
            while (sealer.runOnce() > 0) {
                // The next ten thousand.
            }
        }
    }

    private static StatementCosts.Cost plus(StatementCosts.Cost one, StatementCosts.Cost other) {
        return new StatementCosts.Cost(one.statement(), one.calls() + other.calls(), one.micros() + other.micros(),
                one.walBytes() + other.walBytes());
    }

    /** The larger a batch, the less a payment costs, and the longer a run, the more often caretakers come: the smaller factor counts. */
    private List<Map<String, Object>> statements(Costs young, Costs old, int payments) {
        story.printf("%n%-100s %10s %10s %7s%n", "statement: µs of Postgres's processor a payment", "without", "with", "×");
        var all = new ArrayList<Map<String, Object>>();
        old.statements.values().stream().sorted((a, b) -> Double.compare(b.micros(), a.micros())).forEach(cost -> {
            StatementCosts.Cost before = young.statements.get(cost.statement());
            if (before == null || Math.max(cost.micros(), before.micros()) < CHEAP_MICROS * payments) {
                return;
            }
            double times = Math.min(cost.micros() / before.micros(), cost.micros() / cost.calls() * before.calls() / before.micros());
            tell(all, cost.statement(), before.micros() / payments, cost.micros() / payments, times,
                    cost.statement().startsWith(LIMITED), "micros");
        });
        return all;
    }

    private List<Map<String, Object>> deeds(Costs young, Costs old) {
        story.printf("%n%-100s %10s %10s %7s%n", "deed: ms", "without", "with", "×");
        var all = new ArrayList<Map<String, Object>>();
        old.deeds.forEach((name, millis) -> {
            double before = young.deeds.get(name);
            tell(all, name, before, millis, millis / before, millis - before < SHORT_MS, "ms");
        });
        return all;
    }

    private void tell(List<Map<String, Object>> all, String what, double before, double after, double times, boolean excused, String unit) {
        story.printf("%-100s %10.2f %10.2f %7.2f%n", what, before, after, times);
        all.add(Map.of("what", what, unit + "_without", round(before), unit + "_with", round(after), "times", round(times)));
        if (times > GOAL && !excused) {
            over.add(what);
        }
    }

    static double round(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
