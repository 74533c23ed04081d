// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.years;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.database.Database;
import io.chargeonce.ingest.accept.Reaper;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The oldest payments are forgotten, and as many new ones come: whether these fit into the room of those. */
final class Turnover {

    private Turnover() {}

    /** The caller has ended its snapshot. */
    static Map<String, Object> of(Ground.Plot plot, int settled, int count, double oldest, double newest, PrintWriter story)
            throws SQLException {
        double days = oldest - (oldest - newest) * count / settled;
        plot.execute("UPDATE agreed SET retention_days = " + (int) Math.ceil(days), "VACUUM ANALYZE");
        Map<String, TableSizes.Size> before = TableSizes.of(plot);
        var meters = new SimpleMeterRegistry();
        double forgotten;
        double seconds;
        try (var database = Database.openForService(plot.jdbcUrl(), "postgres", "", 2)) {
            var reaper = new Reaper(database, meters);
            long start = System.nanoTime();
            while (reaper.runOnce() > 0) {
                // The next thousand.
            }
            seconds = (System.nanoTime() - start) / 1e9;
            forgotten = meters.counter("chargeonce.ingest.payments.forgotten").count();
        }
        plot.execute("VACUUM ANALYZE");
        Past.fill(plot, settled, (int) forgotten, newest, newest - 1);
        plot.execute("VACUUM ANALYZE");
        Map<String, TableSizes.Size> after = TableSizes.of(plot);
        var result = new LinkedHashMap<String, Object>();
        result.put("forgotten", Math.round(forgotten));
        result.put("forgotten_per_s", Math.round(forgotten / seconds));
        result.put("tables", grown(before, after));
        story.printf("%nforgot %,.0f payments at %,.0f a second; after as many new ones the tables have grown by: %s%n", forgotten,
                forgotten / seconds, result.get("tables"));
        return result;
    }

    /** Those that keep a payment until it is forgotten; the audit log goes by tables. */
    private static List<Map<String, Object>> grown(Map<String, TableSizes.Size> before, Map<String, TableSizes.Size> after) {
        var all = new ArrayList<Map<String, Object>>();
        for (String name : List.of("idempotency_key", "operation", "operation_state", "payment_attempt", "psp_observation",
                "dead_letter")) {
            all.add(Map.of("table", name, "rows_percent", percent(before.get(name).table(), after.get(name).table()), "indexes_percent",
                    percent(before.get(name).indexes(), after.get(name).indexes())));
        }
        return all;
    }

    private static double percent(long before, long after) {
        return Math.round(1000.0 * (after - before) / before) / 10.0;
    }
}
