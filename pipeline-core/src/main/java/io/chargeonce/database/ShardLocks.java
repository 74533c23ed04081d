// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.chargeonce.database.mark.SessionMark;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Gives each shard to one relay at a time, and each relay its fair number of shards. A row says which session has a shard, and only the
 * logins of relays may write it. What a session has ends with its connection. For one thread.
 */
final class ShardLocks {

    private static final String OF_RELAYS = SessionMark.living("relay_shard");
    private static final String RELAYS = "SELECT count(*) FROM (" + OF_RELAYS + ") AS relay";

    private final Connection connection;
    private final int mark;
    private final SortedSet<Integer> held = new TreeSet<>();

    ShardLocks(Connection connection) throws SQLException {
        this.connection = connection;
        this.mark = SessionMark.begin(connection);
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
        int relays = Math.max(1, Sql.one(connection, RELAYS, row -> row.getInt(1)));
        int fair = Math.ceilDiv(OutboxRow.SHARDS, relays);
        while (mayLeave && held.size() > fair) {
            leave(List.of(held.removeLast()));
        }
        return held.size() < fair && takeFree(fair - held.size());
    }

    /** A relay that ends leaves its mark in its rows: no living session has it. */
    private static final String FREE = """
            WITH living AS MATERIALIZED (%s)
            SELECT number, coalesce(mark, 0)
              FROM generate_series(0, ?) AS number LEFT JOIN relay_shard ON shard = number
             WHERE coalesce(mark, 0) NOT IN (SELECT mark FROM living)
             ORDER BY number
             LIMIT ?
            """.formatted(OF_RELAYS);
    /** Another relay may have been faster. */
    private static final String TAKE = """
            INSERT INTO relay_shard AS its (shard, mark) SELECT shard, ? FROM unnest(?::int[], ?::int[]) AS free (shard, before)
            ON CONFLICT (shard) DO UPDATE SET mark = excluded.mark
             WHERE (its.shard, its.mark) IN (SELECT shard, before FROM unnest(?::int[], ?::int[]) AS free (shard, before))
            RETURNING shard
            """;

    private record Free(int shard, int before) {}

    private boolean takeFree(int most) throws SQLException {
        List<Free> free = Sql.all(connection, FREE, row -> new Free(row.getInt(1), row.getInt(2)), OutboxRow.SHARDS - 1, most);
        if (free.isEmpty()) {
            return false;
        }
        Array shards = connection.createArrayOf("int4", free.stream().map(Free::shard).toArray());
        Array before = connection.createArrayOf("int4", free.stream().map(Free::before).toArray());
        return held.addAll(Sql.all(connection, TAKE, row -> row.getInt(1), mark, shards, before, shards, before));
    }

    private static final String LEAVE = "UPDATE relay_shard SET mark = 0 WHERE shard = ANY (?) AND mark = ?";

    private void leave(List<Integer> shards) throws SQLException {
        Sql.update(connection, LEAVE, connection.createArrayOf("int4", shards.toArray()), mark);
    }

    /** Even if its rows cannot be written: the session may live on in a pool, and its mark would keep the shards. */
    void release() throws SQLException {
        try {
            leave(shards());
        } finally {
            SessionMark.end(connection, mark);
        }
    }
}
