// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;

/** Whether the queue and the payments say the same of each other, and everything staged for the topic can go there. */
public final class Agreement {

    /** @param repairable whether the topic is right again once the table's copy is staged; the text says what else to do */
    public record Difference(String id, String what, boolean repairable) {

        public Difference(String id, String what) {
            this(id, what, true);
        }
    }

    private Agreement() {}

    /** To look at every operation takes its time. */
    private static final String PATIENCE = "SET LOCAL statement_timeout = '30min'";
    private static final int SOME = 5_000;

    /** One statement, so that all of it is of one moment. LIMIT keeps the planner from joining whole tables. */
    private static final String OF_THE_QUEUE = """
            SELECT dead_letter_id, what
              FROM dead_letter AS letter
              LEFT JOIN LATERAL (SELECT state, amount, currency FROM operation_now WHERE operation_now.operation_id = letter.operation_id
                                  LIMIT 1) AS its ON true
             CROSS JOIN LATERAL (VALUES
                   (CASE WHEN its.state IS NULL OR its.state NOT IN ('dead', 'unresolved')
                         THEN 'it is listed, but its payment is ' || coalesce(its.state, 'not there') END),
                   (CASE WHEN its.state IS NOT NULL AND (letter.amount, letter.currency) IS DISTINCT FROM (its.amount, its.currency)
                         THEN 'it is listed with another amount than its payment has' END)) AS difference (what)
             WHERE letter.state = 'dead' AND letter.operation_id IS NOT NULL AND what IS NOT NULL
             UNION ALL
            SELECT record_key, 'Kafka refuses its record on ' || topic || ': ' || refusal
              FROM outbox WHERE refusal IS NOT NULL AND topic = ?
             ORDER BY 1 LIMIT ?
            """;

    private static final String OF_PAYMENTS = """
            SELECT its.operation_id, 'its payment is ' || its.state || ', but the queue says ' || coalesce(letter.state, 'nothing of it')
              FROM operation_state AS its LEFT JOIN dead_letter AS letter ON letter.dead_letter_id = its.operation_id
             WHERE its.state IN ('dead', 'purged') AND letter.state IS DISTINCT FROM its.state
            """;
    private static final String OF_ALL_PAYMENTS = OF_PAYMENTS + " ORDER BY 1 LIMIT ?";
    private static final String OF_SOME_PAYMENTS = OF_PAYMENTS + " AND its.operation_id = ANY (?) ORDER BY 1 LIMIT ?";

    /** By two indexes, with their conditions. They are read from a time of the statement's clock on, but not of the present one. */
    private static final String OF_MOVED_PAYMENTS = OF_PAYMENTS + """
               AND its.operation_id = ANY (ARRAY(
                   SELECT resource_id FROM audit_record
                    WHERE action = 'dead_letter.entered' AND at > statement_timestamp() - ? * interval '1 second'
                    UNION
                   SELECT resource_id FROM audit_record WHERE action LIKE 'dlq.%' AND at > statement_timestamp() - ? * interval '1 second'))
             ORDER BY 1 LIMIT ?
            """;

    /**
     * Reads the queue, and of payments those that were accepted or came into the queue since then, or that a person moved.
     *
     * @param newerThan empty for all payments
     * @param limit     the most that are returned
     * @param read      gets again and again how many more of the new payments were read
     */
    public static List<Difference> differences(DeadLetterQueue queue, Optional<Duration> newerThan, int limit, LongConsumer read) {
        return queue.database().inTransaction(connection -> {
            Sql.call(connection, PATIENCE);
            // What is both new and moved is met twice.
            var found = new LinkedHashSet<>(read(connection, OF_THE_QUEUE, queue.topics().deadLetters(), limit));
            if (newerThan.isEmpty()) {
                found.addAll(read(connection, OF_ALL_PAYMENTS, limit));
            } else {
                long seconds = newerThan.get().toSeconds();
                found.addAll(read(connection, OF_MOVED_PAYMENTS, seconds, seconds, limit));
                ofAccepted(connection, seconds, limit, read, found);
            }
            return found.stream().limit(limit).toList();
        });
    }

    private static final String OF_ANOTHER_SERVER = """
            SELECT 1 FROM (SELECT accepted_xid FROM operation ORDER BY accepted_xid DESC LIMIT 1) AS newest
             WHERE accepted_xid >= pg_snapshot_xmax(pg_current_snapshot())
            """;

    /** Whether payments have numbers that this server has yet to give out: they are a dump's, and in no order with those that come. */
    public static boolean isOfAnotherServer(DeadLetterQueue queue) {
        return queue.database().withConnection(connection -> Sql.any(connection, OF_ANOTHER_SERVER));
    }

    private static final String NEWEST = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text";

    private static final String ACCEPTED = """
            WITH newest AS MATERIALIZED (
                SELECT operation_id, accepted_xid, accepted_at > statement_timestamp() - ? * interval '1 second' AS is_new
                  FROM operation WHERE accepted_xid < ?::xid8 ORDER BY accepted_xid DESC FETCH FIRST ? ROWS WITH TIES)
            SELECT array_agg(operation_id) FILTER (WHERE is_new), min(accepted_xid)::text, count(*) FILTER (WHERE is_new) FROM newest
            """;

    /**
     * @param operations empty if none is new
     * @param before     the number of its first transaction
     */
    private record Stretch(Optional<Array> operations, String before, long size) {}

    /** From the newest on, by the order of their transactions, because no index has their times; up to a stretch of which none is new. */
    private static void ofAccepted(Connection connection, long newerThan, int limit, LongConsumer read, Set<Difference> found)
            throws SQLException {
        String before = Sql.one(connection, NEWEST, row -> row.getString(1));
        while (found.size() < limit) {
            Stretch stretch = Sql.one(connection, ACCEPTED,
                    row -> new Stretch(Optional.ofNullable(row.getArray(1)), row.getString(2), row.getLong(3)), newerThan, before, SOME);
            if (stretch.operations.isEmpty()) {
                return;
            }
            found.addAll(read(connection, OF_SOME_PAYMENTS, stretch.operations.get(), limit));
            before = stretch.before;
            read.accept(stretch.size);
        }
    }

    private static List<Difference> read(Connection connection, String sql, Object... values) throws SQLException {
        return Sql.all(connection, sql, row -> new Difference(row.getString(1), row.getString(2)), values);
    }
}
