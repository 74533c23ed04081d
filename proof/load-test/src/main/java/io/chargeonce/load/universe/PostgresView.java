// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.database.Connections;
import io.chargeonce.database.Database;
import io.chargeonce.load.universe.kernel.SimulatedPostgres;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.Optional;

/**
 * Reads and changes a universe's Postgres from outside of its processes, at once and without faults. Only the strand that has the turn
 * may call it.
 */
record PostgresView(SimulatedPostgres postgres) {

    /** Poison as it lies in its dead letter. */
    record Sealed(String id, byte[] bytes) {}

    private static final String SEALED = """
            SELECT dead_letter_id, sealed_record FROM dead_letter WHERE sealed_record IS NOT NULL
            """;

    List<Sealed> sealed() {
        return postgres.inIdle(raw -> SimulatedPostgres.all(raw, SEALED, row -> new Sealed(row.getString(1), row.getBytes(2))));
    }

    private static final String STATES = """
            SELECT payment, coalesce(state, 'not accepted')
              FROM unnest(?) AS payment LEFT JOIN operation_state ON operation_id = payment
             WHERE state IS DISTINCT FROM 'succeeded' ORDER BY payment
            """;

    /** The states of those of these payments that have not succeeded. */
    Map<String, String> notSucceeded(List<String> payments) {
        return postgres.inIdle(raw -> {
            try (var statement = raw.prepareStatement(STATES)) {
                statement.setArray(1, raw.createArrayOf("text", payments.toArray()));
                try (var row = statement.executeQuery()) {
                    var states = new TreeMap<String, String>();
                    while (row.next()) {
                        states.put(row.getString(1), row.getString(2));
                    }
                    return states;
                }
            }
        });
    }

    /** How many rows one statement changes that comes by the login of a service; none if it is refused. */
    int rowsChangedBy(String service, String sql) {
        return postgres.inIdle(raw -> {
            postgres.tellTime();
            try (var statement = raw.createStatement()) {
                statement.execute("SET ROLE " + service);
                try {
                    return statement.executeUpdate(sql);
                } catch (SQLException refused) {
                    return 0;
                } finally {
                    statement.execute("RESET ROLE");
                }
            }
        });
    }

    /** Changes rows at the universe's time. */
    void change(String sql) {
        postgres.inIdle(raw -> {
            postgres.tellTime();
            return SimulatedPostgres.execute(raw, sql);
        });
    }

    /** What one statement finds, at the universe's time; empty for NULL. */
    Optional<String> text(String sql) {
        return postgres.inIdle(raw -> {
            postgres.tellTime();
            return SimulatedPostgres.all(raw, sql, row -> Optional.ofNullable(row.getString(1))).stream().findFirst()
                    .orElse(Optional.empty());
        });
    }

    /** For a look at what is left of a universe that is over. */
    Connections afterwards() {
        return new Connections() {

            @Override
            public <T> T lend(Database.Work<T> work) {
                return postgres.inIdle(raw -> {
                    try {
                        return work.with(raw);
                    } finally {
                        if (!raw.getAutoCommit()) {
                            raw.rollback();
                            raw.setAutoCommit(true);
                        }
                    }
                });
            }

            @Override
            public void close() {
                // They are the next universe's.
            }
        };
    }
}
