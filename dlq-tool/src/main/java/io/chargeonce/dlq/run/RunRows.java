// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.Sum;
import io.chargeonce.wire.PaymentJson;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.UUID;

/** The rows of runs, without their items. */
final class RunRows {

    private RunRows() {}

    private static final String INSERT = """
            INSERT INTO dlq_run (run_id, reason, fingerprint, items, canary, rate, max_rate, abort_above_percent,
                                 even_capped, state, kind, even_unresolved, even_stopped, money)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?, ?::jsonb)
            """;

    static void insert(Connection connection, RunKind kind, AuditContext by, RunTerms terms, RunItems.Frozen frozen) throws SQLException {
        Sql.update(connection, INSERT, by.run(), by.reason(), frozen.fingerprint(), frozen.items(), frozen.canary(), boxed(terms.rate()),
                boxed(terms.maxRate()), terms.abortAbovePercent(), terms.evenCapped(), kind.tag(), terms.evenUnresolved(),
                terms.evenStopped(), frozen.money());
    }

    private static Integer boxed(OptionalInt number) {
        return number.isPresent() ? number.getAsInt() : null;
    }

    private static final String COLUMNS = """
            SELECT run_id, planned_by, reason, planned_at, fingerprint, items, money, canary, rate, max_rate, abort_above_percent,
                   even_capped, even_stopped, state, verdict, leader,
                   (extract(epoch FROM clock_timestamp() - led_at) * 1000)::bigint AS silence_ms, judged_after, ended_at, kind,
                   even_unresolved,
                   awaits_approval AND state IN ('planned', 'running', 'aborted') AND EXISTS (SELECT FROM four_eyes) AS awaits_approval,
                   (SELECT approved_by FROM approval WHERE approval.run_id = dlq_run.run_id) AS approved_by
              FROM dlq_run
            """;

    private static final String FIND = COLUMNS + " WHERE run_id = ?";

    static Optional<DlqRun> find(Connection connection, String id) throws SQLException {
        return Sql.first(connection, FIND, RunRows::read, id);
    }

    private static final String NEWEST = COLUMNS + " ORDER BY planned_at DESC LIMIT ?";

    static List<DlqRun> newest(Connection connection, int limit) throws SQLException {
        return Sql.all(connection, NEWEST, RunRows::read, limit);
    }

    private static final String TAKE = """
            UPDATE dlq_run
               SET state = 'running', leader = session_user, leader_token = ?, led_at = clock_timestamp(), verdict = NULL, ended_at = NULL,
                   awaits_approval = false,
                   judged_after = CASE WHEN state <> 'aborted' THEN judged_after ELSE
                       coalesce((SELECT max(position) FROM dlq_run_item AS item
                                  WHERE item.run_id = dlq_run.run_id AND fate IS NOT NULL), 0) END
             WHERE run_id = ? AND state IN ('planned', 'running', 'aborted')
               AND (leader IS NULL OR led_at < clock_timestamp() - ? * interval '1 second')
            """;

    /** @return false if it has ended, or another process leads it */
    static boolean take(Connection connection, String id, UUID token) throws SQLException {
        return Sql.update(connection, TAKE, token, id, DlqRun.LONGEST_SILENCE.toSeconds()) == 1;
    }

    private static final String SIGN_OF_LIFE = """
            UPDATE dlq_run SET led_at = clock_timestamp() WHERE run_id = ? AND leader_token = ? AND state = 'running'
            """;

    /** Also locks the run until the commit. @return false if it was cancelled, or another process leads it now */
    static boolean isStillLedBy(Connection connection, String id, UUID token) throws SQLException {
        return Sql.update(connection, SIGN_OF_LIFE, id, token) == 1;
    }

    private static final String LET_GO = """
            UPDATE dlq_run SET leader = NULL, leader_token = NULL WHERE run_id = ? AND leader_token = ?
            """;

    static void letGo(Connection connection, String id, UUID token) throws SQLException {
        Sql.update(connection, LET_GO, id, token);
    }

    private static final String STOP = """
            UPDATE dlq_run SET leader = NULL, leader_token = NULL WHERE run_id = ? AND state = 'running' AND leader IS NOT NULL
            """;

    /** Its leader stops at its next batch. @return false if nothing led it */
    static boolean stop(Connection connection, String id) throws SQLException {
        return Sql.update(connection, STOP, id) == 1;
    }

    private static final String SET_RATE = """
            UPDATE dlq_run SET rate = ?, max_rate = ? WHERE run_id = ? AND state IN ('planned', 'running', 'aborted')
            """;

    /** @return false if it has ended */
    static boolean setRate(Connection connection, String id, int perSecond) throws SQLException {
        return Sql.update(connection, SET_RATE, perSecond, perSecond, id) == 1;
    }

    private static final String END = """
            UPDATE dlq_run
               SET state = ?, verdict = ?, leader = NULL, leader_token = NULL, ended_at = clock_timestamp()
             WHERE run_id = ? AND state IN ('planned', 'running', 'aborted')
            """;

    /** @return false if it had ended before */
    static boolean end(Connection connection, String id, RunState state, Optional<String> verdict) throws SQLException {
        return Sql.update(connection, END, state.tag(), verdict, id) == 1;
    }

    private static final String STOP_AFTERWARDS = """
            UPDATE dlq_run SET state = 'aborted', verdict = ? WHERE run_id = ? AND state = 'finished'
            """;

    /** It had sent everything, and now too many of it are dead again. */
    static void stopAfterwards(Connection connection, DlqRun stopped) throws SQLException {
        Sql.update(connection, STOP_AFTERWARDS, stopped.verdict().orElseThrow(), stopped.id());
    }

    private static final String CANCEL = """
            UPDATE dlq_run
               SET state = 'cancelled', verdict = 'cancelled by ' || session_user, leader = NULL, leader_token = NULL,
                   ended_at = clock_timestamp()
             WHERE run_id = ? AND state IN ('planned', 'running', 'aborted')
            """;

    /** @return false if it had ended before */
    static boolean cancel(Connection connection, String id) throws SQLException {
        return Sql.update(connection, CANCEL, id) == 1;
    }

    private static DlqRun read(ResultSet result) throws SQLException {
        var terms = new RunTerms(number(result, "canary"), number(result, "rate"), number(result, "max_rate"),
                result.getInt("abort_above_percent"), result.getBoolean("even_capped"), result.getBoolean("even_stopped"),
                result.getBoolean("even_unresolved"));
        return new DlqRun(result.getString("run_id"), result.getString("planned_by"),
                Optional.ofNullable(result.getString("reason")), instant(result, "planned_at").orElseThrow(),
                result.getString("fingerprint"), sum(result), terms, RunState.fromTag(result.getString("state")),
                Optional.ofNullable(result.getString("verdict")), Optional.ofNullable(result.getString("leader")),
                Optional.ofNullable(result.getObject("silence_ms", Long.class)).map(Duration::ofMillis),
                result.getInt("judged_after"), instant(result, "ended_at"), RunKind.fromTag(result.getString("kind")),
                result.getBoolean("awaits_approval"),
                Optional.ofNullable(result.getString("approved_by")));
    }

    private static Sum sum(ResultSet result) throws SQLException {
        var money = new TreeMap<String, Long>();
        var counts = new TreeMap<String, Long>();
        PaymentJson.MAPPER.readTree(result.getString("money")).properties().forEach(one -> {
            counts.put(one.getKey(), one.getValue().path(0).asLong());
            money.put(one.getKey(), one.getValue().path(1).asLong());
        });
        return new Sum(result.getLong("items"), money, counts);
    }

    private static OptionalInt number(ResultSet result, String column) throws SQLException {
        int number = result.getInt(column);
        return result.wasNull() ? OptionalInt.empty() : OptionalInt.of(number);
    }

    private static Optional<Instant> instant(ResultSet result, String column) throws SQLException {
        return Optional.ofNullable(Sql.instant(result, column));
    }
}
