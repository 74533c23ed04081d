// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.Connection;
import java.sql.SQLException;

/** A connection as the relay wants it, until it is given back. */
final class RelaySession implements AutoCloseable {

    /**
     * The outbox is empty more often than not, and then Postgres believes that reading all of it is quickest, dead rows
     * included. A deletion that a crash takes back only has its record sent twice, so nobody need wait for the disk.
     */
    private static final String BEGIN = """
            SET enable_seqscan = off;
            SET enable_bitmapscan = off;
            SET max_parallel_workers_per_gather = 0;
            SET synchronous_commit = off
            """;
    /** The one setting that nobody else may inherit. */
    private static final String END = "RESET synchronous_commit";

    private final Connection connection;

    RelaySession(Connection connection) throws SQLException {
        this.connection = connection;
        execute(BEGIN);
    }

    private void execute(String settings) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(settings);
        }
    }

    @Override
    public void close() throws SQLException {
        execute(END);
    }
}
