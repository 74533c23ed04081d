// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Gives each shard to one relay at a time, and each relay its fair number of shards. It uses session-level advisory locks, which end with
 * their connection. For one thread.
 */
final class ShardLocks {

    /** The first number of our advisory locks, which have two. */
    private static final int LOCK_CLASS = 0x0c4a;
    /** Every relay holds this lock in shared mode, so that relays can be counted. */
    private static final int PRESENT = 1000;

    private final Connection connection;
    private final SortedSet<Integer> held = new TreeSet<>();

    ShardLocks(Connection connection) throws SQLException {
        this.connection = connection;
        call("SELECT pg_advisory_lock_shared(?, ?)", PRESENT);
    }

    List<Integer> shards() {
        return List.copyOf(held);
    }

    /**
     * Takes free shards, or releases some for others. Returns whether new shards were taken.
     *
     * @param mayLeave whether none of the held shards' rows is under way: another relay would send it a second time
     */
    boolean share(boolean mayLeave) throws SQLException {
        int fair = Math.ceilDiv(OutboxRow.SHARDS, relays());
        while (mayLeave && held.size() > fair) {
            call("SELECT pg_advisory_unlock(?, ?)", held.removeLast());
        }
        return held.size() < fair && takeFree(fair - held.size());
    }

    /** Tries one shard after the other and stops when it has enough. */
    private static final String TAKE = "SELECT shard FROM unnest(?::int[]) AS shard WHERE pg_try_advisory_lock(?, shard) LIMIT ?";

    private boolean takeFree(int most) throws SQLException {
        Object[] others = IntStream.range(0, OutboxRow.SHARDS).filter(shard -> !held.contains(shard)).boxed().toArray();
        try (var statement = connection.prepareStatement(TAKE)) {
            statement.setArray(1, connection.createArrayOf("int4", others));
            statement.setInt(2, LOCK_CLASS);
            statement.setInt(3, most);
            int before = held.size();
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    held.add(row.getInt(1));
                }
            }
            return held.size() > before;
        }
    }

    private static final String RELAYS = """
            SELECT count(*) FROM pg_locks
             WHERE locktype = 'advisory' AND classid = ? AND objid = ? AND objsubid = 2
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """;

    private int relays() throws SQLException {
        try (var statement = connection.prepareStatement(RELAYS)) {
            statement.setInt(1, LOCK_CLASS);
            statement.setInt(2, PRESENT);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private void call(String function, int number) throws SQLException {
        try (var statement = connection.prepareStatement(function)) {
            statement.setInt(1, LOCK_CLASS);
            statement.setInt(2, number);
            statement.execute();
        }
    }

    void release() throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_unlock_all()");
        }
    }
}
