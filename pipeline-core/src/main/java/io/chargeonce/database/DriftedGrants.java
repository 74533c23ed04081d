// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares all rights in the schema with what {@code migrate --roles} left: grants, memberships, attributes and disabled triggers. It reads
 * Postgres's catalog and a stored list. One thread.
 */
public final class DriftedGrants {

    private static final Logger LOG = LoggerFactory.getLogger(DriftedGrants.class);

    private final Database database;
    private volatile List<String> drifted = List.of();

    public DriftedGrants(Database database, MeterRegistry meters) {
        this.database = database;
        meters.gauge("chargeonce.grants.drifted", this, grants -> grants.drifted.size());
    }

    /** Always returns 0: the next check is not urgent. */
    public int runOnce() {
        List<String> now = database.withConnection(DriftedGrants::read);
        if (!now.equals(drifted) && !now.isEmpty()) {
            LOG.error("ALERT: rights in the database differ from what chargeonce migrate --roles left: {}", String.join("; ", now));
        }
        drifted = now;
        return 0;
    }

    private static final String READ = "SELECT line FROM drifted_grants() AS line ORDER BY 1 LIMIT 100";

    static List<String> read(Connection connection) throws SQLException {
        return List.copyOf(Sql.all(connection, READ, row -> row.getString(1)));
    }
}
