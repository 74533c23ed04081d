// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.Connection;
import java.sql.SQLException;

/** A connection with the relay's settings, which are reset at the end. */
final class RelaySession implements AutoCloseable {

    /**
     * The outbox is mostly empty, and Postgres then plans to scan all of it, dead rows included. If a crash takes back a deletion, its
     * record is only sent twice, so no commit here need wait for the disk.
     */
    private static final String BEGIN = """
            SET enable_seqscan = off;
            SET enable_bitmapscan = off;
            SET max_parallel_workers_per_gather = 0;
            SET synchronous_commit = off
            """;
    /** The one setting that no other user of the connection may inherit. */
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
