// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.route.Routes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/** What the charging processes report to each other about PSPs. Their clocks differ, so they exchange ages instead of times. */
public final class PspHealthTable {

    /**
     * @param good       how long ago the latest call began that was answered well
     * @param bad        how long ago trouble was last reported
     * @param unwellFrom how long ago the first of the failures came that last opened its breaker
     * @param unwell     how long ago the breaker opened, or was found open again
     * @param row        failed calls in a row
     * @param inARow     their payments, separated by commas
     * @param asked      how long ago a payment last wanted to go there
     */
    public record Row(String psp, Duration good, Optional<Duration> bad, Optional<Duration> unwellFrom,
            Optional<Duration> unwell, boolean open, int row, String inARow, Optional<Duration> asked) {}

    private PspHealthTable() {}

    private static final String REPORT = """
            INSERT INTO psp_health (psp, process, good_at, bad_at, unwell_from, unwell_at, open, failed_in_a_row, failed_payments,
                                    asked_at, told_at, routes, tiers, ask_first_until)
            SELECT psp, process, clock_timestamp() - good * interval '1 ms', clock_timestamp() - bad * interval '1 ms',
                   clock_timestamp() - unwell_from * interval '1 ms', clock_timestamp() - unwell * interval '1 ms', is_open, in_a_row,
                   payments, clock_timestamp() - asked * interval '1 ms', clock_timestamp(), routes,
                   CAST(string_to_array(tiers, ',') AS bigint[]), asked_until
              FROM unnest(?::text[], ?::uuid[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bool[], ?::int[], ?::text[],
                          ?::bigint[], ?::text[], ?::text[], ?::timestamptz[])
                AS reported (psp, process, good, bad, unwell_from, unwell, is_open, in_a_row, payments, asked, routes, tiers, asked_until)
                ON CONFLICT (psp, process) DO UPDATE
               SET good_at = excluded.good_at, bad_at = excluded.bad_at, unwell_from = excluded.unwell_from, unwell_at = excluded.unwell_at,
                   open = excluded.open,
                   failed_in_a_row = excluded.failed_in_a_row, failed_payments = excluded.failed_payments, asked_at = excluded.asked_at,
                   told_at = excluded.told_at, routes = excluded.routes
            """;

    /**
     * @param routes where the process sends payments, as {@link Routes#parse} reads it
     * @param tiers  the retry tiers of this process
     * @param until  until when it queries the PSPs before each attempt
     */
    public static void report(Connection connection, UUID process, String routes, List<Duration> tiers, Optional<Instant> until,
                              List<Row> rows)
            throws SQLException {
        String milliseconds = tiers.stream().map(tier -> Long.toString(tier.toMillis())).collect(Collectors.joining(","));
        Sql.update(connection, REPORT, Columns.of(rows)
                .with("text", Row::psp)
                .with("uuid", row -> process)
                .with("int8", row -> row.good().toMillis())
                .with("int8", row -> row.bad().map(Duration::toMillis).orElse(null))
                .with("int8", row -> row.unwellFrom().map(Duration::toMillis).orElse(null))
                .with("int8", row -> row.unwell().map(Duration::toMillis).orElse(null))
                .with("bool", Row::open)
                .with("int4", Row::row)
                .with("text", Row::inARow)
                .with("int8", row -> row.asked().map(Duration::toMillis).orElse(null))
                .with("text", row -> routes)
                .with("text", row -> milliseconds)
                .with("timestamptz", row -> until.orElse(null)));
    }

    private static final String OTHERS = """
            SELECT psp, (extract(epoch FROM clock_timestamp() - good_at) * 1000)::bigint,
                   (extract(epoch FROM clock_timestamp() - bad_at) * 1000)::bigint,
                   (extract(epoch FROM clock_timestamp() - unwell_from) * 1000)::bigint,
                   (extract(epoch FROM clock_timestamp() - unwell_at) * 1000)::bigint, open, failed_in_a_row, failed_payments,
                   (extract(epoch FROM clock_timestamp() - asked_at) * 1000)::bigint
              FROM psp_health WHERE process <> ? AND told_at > clock_timestamp() - interval '1 minute'
            """;

    /** What the other processes reported within the last minute. */
    public static List<Row> others(Connection connection, UUID process) throws SQLException {
        return Sql.all(connection, OTHERS, row -> new Row(row.getString(1), Duration.ofMillis(row.getLong(2)),
                age(row.getObject(3, Long.class)), age(row.getObject(4, Long.class)), age(row.getObject(5, Long.class)),
                row.getBoolean(6), row.getInt(7), row.getString(8), age(row.getObject(9, Long.class))), process);
    }

    private static Optional<Duration> age(Long milliseconds) {
        return Optional.ofNullable(milliseconds).map(Duration::ofMillis);
    }

    private static final String ROUTES =
            "SELECT DISTINCT routes FROM psp_health WHERE routes <> '' AND told_at > clock_timestamp() - interval '1 minute'";

    /** Where the charging processes send payments; several while they change, and none while no process charges. */
    public static List<Routes> routes(Connection connection) throws SQLException {
        return Sql.all(connection, ROUTES, row -> Routes.parse(row.getString(1)));
    }

    private static final String FORGET = "DELETE FROM psp_health WHERE told_at < clock_timestamp() - interval '1 hour'";

    /** Deletes reports of processes that have ended. */
    public static void forgetOld(Connection connection) throws SQLException {
        Sql.update(connection, FORGET);
    }
}
