package io.chargeonce.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** One relay at a time per shard: session-level advisory locks, which end with the connection that holds them. */
final class ShardLocks {

    /** Of the two-number advisory locks, ours carry this first number. */
    private static final int LOCK_CLASS = 0x0c4a;

    private ShardLocks() {}

    private static final String LOCK = "SELECT shard FROM unnest(?::int[]) AS shard WHERE pg_try_advisory_lock(?, shard)";

    /** Takes every free shard and returns which this connection holds now, those it held before among them if they are free still. */
    static List<Integer> take(Connection connection) throws SQLException {
        release(connection);
        try (var statement = connection.prepareStatement(LOCK)) {
            statement.setArray(1, connection.createArrayOf("int4", IntStream.range(0, OutboxRow.SHARDS).boxed().toArray()));
            statement.setInt(2, LOCK_CLASS);
            var shards = new ArrayList<Integer>();
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    shards.add(result.getInt(1));
                }
            }
            return shards;
        }
    }

    static void release(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_unlock_all()");
        }
    }
}
