// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A PSP as the charging processes report it, about once a second. Times are the database's.
 *
 * @param processes how many reported it within the last minute; none if no running process has it
 * @param open      how many of these have their breaker open
 * @param good      when the latest call began that was answered well
 * @param trouble   when trouble was last noticed
 * @param unwell    since when a breaker that is open now has been open
 * @param inARow    failed calls in a row, the most that one process has seen
 * @param told      when the last process reported it
 */
public record PspStatus(String psp, int processes, int open, Optional<Instant> good, Optional<Instant> trouble,
        Optional<Instant> unwell, int inARow, Instant told) {

    /** A PSP without a report for a minute is set up in no running process. */
    private static final String READ = """
            SELECT psp, count(*) FILTER (WHERE here) AS processes, count(*) FILTER (WHERE here AND open) AS open_in,
                   max(good_at) AS good_at,
                   max(bad_at) AS bad_at, min(coalesce(unwell_from, unwell_at)) FILTER (WHERE here AND open) AS unwell_since,
                   coalesce(max(failed_in_a_row) FILTER (WHERE here), 0) AS in_a_row, max(told_at) AS told_at
              FROM (SELECT *, told_at > clock_timestamp() - interval '1 minute' AS here
                      FROM (SELECT psp, good_at, bad_at, unwell_from, unwell_at, open, failed_in_a_row, told_at FROM psp_health) AS reports)
                AS health
             GROUP BY psp ORDER BY psp
            """;

    public static List<PspStatus> of(DeadLetterQueue queue) {
        return queue.database().withConnection(connection -> Sql.all(connection, READ, PspStatus::read));
    }

    public boolean isAbsent() {
        return processes == 0;
    }

    public boolean isUnwell() {
        return open > 0;
    }

    private static PspStatus read(ResultSet row) throws SQLException {
        return new PspStatus(row.getString("psp"), row.getInt("processes"), row.getInt("open_in"), time(row, "good_at"),
                time(row, "bad_at"), time(row, "unwell_since"), row.getInt("in_a_row"), time(row, "told_at").orElseThrow());
    }

    private static Optional<Instant> time(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(Sql.instant(row, column));
    }
}
