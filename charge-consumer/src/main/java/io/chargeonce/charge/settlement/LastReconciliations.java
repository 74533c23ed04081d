// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.settlement;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.runtime.SeriesGauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Shows in gauges what the last comparison of each PSP's settlement report with our rows found, and when it was. For one thread. */
public final class LastReconciliations {

    private final Database database;
    private final SeriesGauge findings;
    private final SeriesGauge age;

    public LastReconciliations(Database database, MeterRegistry meters) {
        this.database = database;
        this.findings =
                new SeriesGauge("chargeonce.reconciliation.findings", "Attempts and lines in the last comparison, by finding", meters);
        this.age = new SeriesGauge("chargeonce.reconciliation.age.seconds", "How long ago the last comparison was", meters);
    }

    private static final String LAST = """
            SELECT psp, extract(epoch FROM clock_timestamp() - ended_at), finding, items
              FROM (SELECT DISTINCT ON (psp) psp, run, ended_at FROM reconciliation ORDER BY psp, ended_at DESC) AS last
                   LEFT JOIN LATERAL (SELECT finding, sum(items) AS items FROM reconciliation_finding AS each WHERE each.run = last.run
                                       GROUP BY finding) AS its ON true
            """;

    /** Always returns 0: the next look is not urgent. */
    public int runOnce() {
        return database.withConnection(this::read);
    }

    private int read(Connection connection) throws SQLException {
        Map<Tags, Number> found = new HashMap<>();
        Map<Tags, Number> ages = new HashMap<>();
        Sql.each(connection, LAST, row -> {
            ages.put(Tags.of("psp", row.getString(1)), row.getDouble(2));
            if (row.getString(3) != null) {
                found.put(Tags.of("psp", row.getString(1), "finding", row.getString(3)), row.getLong(4));
            }
        });
        findings.set(found);
        age.set(ages);
        return 0;
    }
}
