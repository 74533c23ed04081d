// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rows of a channel's messages: how their tries went, how many wait, and how long they are kept. Any thread. */
public abstract class MessageTable<M extends Claimed> {

    protected final Database database;
    private final Channel channel;

    protected MessageTable(Database database, Channel channel) {
        this.database = database;
        this.channel = channel;
    }

    /** The tables have the same columns here: their names, and the word for what was taken, are the channel's. */
    private String of(String sql) {
        return sql.formatted(channel.table(), channel.noun(), channel.sent());
    }

    private static final String RECORD = """
            UPDATE %1$s AS message
               SET state = tried.state, attempts = greatest(attempts - tried.uncounted, 0), last_status = tried.status,
                   last_error = tried.error,
                   due_at = now() + tried.pause_ms * interval '1 millisecond', claimed_until = NULL,
                   ended_at = CASE WHEN tried.state <> 'waiting' THEN now() END
              FROM unnest(?::text[], ?::bigint[], ?::text[], ?::int[], ?::int[], ?::text[], ?::bigint[])
                AS tried (id, fence, state, uncounted, status, error, pause_ms)
             WHERE message.%2$s_id = tried.id
               -- A later claim decides, unless this try was taken. If the message was begun again meanwhile, it is sent once more.
               AND (message.state = 'waiting' AND message.fence = tried.fence
                    OR tried.state = '%3$s' AND message.state IN ('waiting', 'dead') AND message.attempts > 0)
            RETURNING message.%2$s_id
            """;

    /**
     * Within the caller's transaction. Repeating it is harmless.
     *
     * @return the ids of those that counted
     */
    public Set<String> record(Connection connection, List<Tried<M>> tries) throws SQLException {
        // In one order in each process, so that no two wait for each other's rows.
        List<Tried<M>> ordered = tries.stream().sorted(Comparator.comparing(tried -> tried.message().id())).toList();
        return Set.copyOf(Sql.all(connection, of(RECORD), row -> row.getString(1), Columns.of(ordered)
                .with("text", tried -> tried.message().id())
                .with("int8", tried -> tried.message().fence())
                .with("text", Tried::state)
                .with("int4", tried -> tried.answer().result() == SendResult.Result.NOT_SENT ? 1 : 0)
                .with("int4", tried -> tried.answer().status().isPresent() ? tried.answer().status().getAsInt() : null)
                .with("text", tried -> tried.answer().error().orElse(null))
                .with("int8", tried -> tried.pause().toMillis())));
    }

    private static final String FORGET = "SELECT forget_%2$ss(? * interval '1 millisecond', ?)";

    /** Returns how many it has deleted. */
    public int forget(Duration kept, int most) {
        return database.inTransaction(connection -> Sql.one(connection, of(FORGET), row -> row.getInt(1), kept.toMillis(), most));
    }

    private static final String WAITING_AND_DEAD = """
            SELECT (SELECT count(*) FROM (SELECT FROM %1$s WHERE state = 'waiting' LIMIT 100000) AS few) AS waiting,
                   (SELECT count(*) FROM (SELECT FROM %1$s WHERE state = 'dead' LIMIT 100000) AS few) AS dead
            """;

    /** What the metrics show, by its name. */
    public Map<String, Double> backlog() {
        return database.withConnection(connection -> {
            var all = new HashMap<>(Sql.one(connection, of(WAITING_AND_DEAD), MessageTable::byColumn));
            all.putAll(more(connection));
            return all;
        });
    }

    /** What this channel's metrics show beside how many wait and are dead. */
    protected abstract Map<String, Double> more(Connection connection) throws SQLException;

    protected static Map<String, Double> byColumn(ResultSet row) throws SQLException {
        var all = new HashMap<String, Double>();
        for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
            all.put(row.getMetaData().getColumnLabel(column), row.getDouble(column));
        }
        return all;
    }
}
