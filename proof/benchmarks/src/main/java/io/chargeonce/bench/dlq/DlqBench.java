// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.dlq;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.bench.measure.RoundSpread;
import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Listing;
import io.chargeonce.dlq.query.Order;
import io.chargeonce.dlq.query.Summary;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * A full dead-letter queue, looked at, purged and merged by the command line in processes with a small heap; purge and
 * merge are killed at half-way and begun again, and the books are checked at the end. For one thread.
 */
public final class DlqBench {

    private static final int LOOKS = 7;
    private static final int PAGE = 100;
    private static final int RECORDS_OF_A_PURGE = 1;
    private static final int RECORDS_OF_A_MERGE = 2;

    private final BenchOperator operator;
    private final Map<String, Object> result;
    private final PrintWriter story;

    private DlqBench(BenchOperator operator, Map<String, Object> result, PrintWriter story) {
        this.operator = operator;
        this.result = result;
        this.story = story;
    }

    /** @param launcher what is called as {@code launcher dlq list} */
    public static Map<String, Object> run(int letters, Path launcher, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "dlq");
        result.put("contestant", "chargeonce");
        result.put("letters", letters);
        result.put("heap_mib", BenchOperator.HEAP_MIB);
        try (var ground = new Ground(); var plot = ground.newPlot()) {
            var operator = new BenchOperator(plot, launcher);
            var bench = new DlqBench(operator, result, story);
            FullQueue.fill(plot, letters);
            operator.getReady();
            bench.time("start_up_ms", () -> operator.time("runs"));
            story.printf("a command that has nothing to show takes %s ms%n", result.get("start_up_ms"));
            bench.look(plot);
            bench.change(plot, "purge", letters * 9 / 100, RECORDS_OF_A_PURGE, "purge", "--psp", "adyen", "--reason", "bench", "--yes");
            bench.change(plot, "merge", letters * 84 / 100, RECORDS_OF_A_MERGE, "merge", "--all", "--canary", "0", "--yes", "--wait", "0");
            List<String> faults = MergedQueueLaws.faults(plot);
            result.put("balanced", faults.isEmpty());
            result.put("fault", String.join("; ", faults));
            story.println(faults.isEmpty() ? "books balanced" : "books broken: " + result.get("fault"));
        }
        result.put("machine", machine);
        return result;
    }

    private void look(Ground.Plot plot) throws Exception {
        time("first_page_ms", () -> operator.time("list"));
        time("summary_ms", () -> operator.time("summary"));
        try (var database = Database.openForCommand(plot.jdbcUrl(), "postgres", "")) {
            var queue = new DeadLetterQueue(database, plot.topics());
            time("first_page_query_ms",
                    () -> timed(() -> new Listing(queue).pages(DeadLetterFilter.everything(), Order.NEWEST_FIRST, PAGE, page -> {})));
            time("summary_query_ms", () -> timed(() -> Summary.of(queue, DeadLetterFilter.everything())));
        }
        story.printf("%,d dead letters: first page %s ms, of which Postgres %s; summary %s ms, of which Postgres %s%n",
                (int) result.get("letters"),
                result.get("first_page_ms"), result.get("first_page_query_ms"), result.get("summary_ms"), result.get("summary_query_ms"));
    }

    private static double timed(Callable<?> work) throws Exception {
        long start = System.nanoTime();
        work.call();
        return (System.nanoTime() - start) / 1e6;
    }

    /** The median of several. */
    private void time(String name, Callable<Double> millis) throws Exception {
        var times = new ArrayList<Double>();
        for (int i = 0; i < LOOKS; i++) {
            times.add(millis.call());
        }
        result.put(name, Math.round(RoundSpread.of(times).median()));
    }

    private void change(Ground.Plot plot, String name, int letters, int records, String... arguments) throws Exception {
        try (var killed = new KilledChange(plot, operator, records)) {
            KilledChange.Figures figures = killed.run(letters, arguments);
            result.put(name + "_per_s", Math.round(figures.perSecond()));
            result.put(name + "_first_after_ms", Math.round(figures.untilFirstMillis()));
            result.put(name + "_first_after_kill_ms", Math.round(figures.untilFirstAgainMillis()));
            story.printf("%s: %,.0f a second, the first after %.0f ms; killed at half-way and begun again, the first after %.0f ms%n", name,
                    figures.perSecond(), figures.untilFirstMillis(), figures.untilFirstAgainMillis());
        }
    }
}
