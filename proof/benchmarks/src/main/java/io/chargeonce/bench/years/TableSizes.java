// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.years;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.database.Sql;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How large the tables and their indexes are. */
final class TableSizes {

    record Size(long table, long indexes) {

        static final Size NONE = new Size(0, 0);

        long all() {
            return table + indexes;
        }
    }

    /** The tables of the audit log together. */
    private static final String READ = """
            SELECT regexp_replace(relname, '_to_[0-9]+$', '') AS name, sum(pg_table_size(oid))::bigint, sum(pg_indexes_size(oid))::bigint
              FROM pg_class WHERE relnamespace = 'chargeonce'::regnamespace AND relkind = 'r'
             GROUP BY name ORDER BY sum(pg_total_relation_size(oid)) DESC
            """;

    private TableSizes() {}

    static Map<String, Size> of(Ground.Plot plot) throws SQLException {
        var sizes = new LinkedHashMap<String, Size>();
        try (var connection = plot.connect()) {
            Sql.each(connection, READ, row -> sizes.put(row.getString(1), new Size(row.getLong(2), row.getLong(3))));
        }
        return sizes;
    }

    /** Bytes that a settled payment leaves, by table; tables with less than one are left out. */
    static List<Map<String, Object>> perPayment(Map<String, Size> without, Map<String, Size> with, int settled, PrintWriter story) {
        story.printf("%n%-30s %10s %10s%n", "table: bytes a settled payment", "rows", "indexes");
        var all = new ArrayList<Map<String, Object>>();
        with.forEach((name, size) -> {
            Size before = without.getOrDefault(name, Size.NONE);
            long rows = Math.round((size.table - before.table) / (double) settled);
            long indexes = Math.round((size.indexes - before.indexes) / (double) settled);
            if (rows + indexes > 0) {
                story.printf("%-30s %10d %10d%n", name, rows, indexes);
                all.add(Map.of("table", name, "bytes_rows", rows, "bytes_indexes", indexes));
            }
        });
        return all;
    }
}
