// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who did what with the dead-letter queue, when, why, and to how much money. What one call did is one line, and so is each
 * start, resume and stop of a run. What the queue itself records of every change, by a person or not, is not
 * repeated here.
 */
public final class AuditTrail {

    /**
     * @param actor     only this person's
     * @param action    only this, as {@code dlq.purged}
     * @param run       only what this one call or run did
     * @param newerThan how far back to look
     */
    public record Criteria(Optional<String> actor, Optional<String> action, Optional<String> run, Duration newerThan) {}

    /**
     * @param actor   who it was: the login of their session
     * @param claim   the account that they used at their machine, as the command line said
     * @param finding what a settlement by hand says of the money; empty for any other deed
     * @param of      the one thing that it was done to: a dead letter's id, or a hold's, such as {@code psp stripe}
     * @param sum     of the dead letters concerned, those of an unmasked export too; money per currency. Of a run that was planned or
     *                approved: its set; that was led, stopped or cancelled: what was left of it; that aborted: what failed again
     */
    public record Line(Instant from, Instant until, String actor, Optional<String> claim, String action, Optional<String> of,
            Optional<String> run, Optional<AttemptVerdict> finding, Optional<String> reason, Sum sum) {

        /** What a person paused, forced or resumed. */
        public Optional<String> held() {
            return HOLDS.contains(action) ? of : Optional.empty();
        }

        private Line with(Sum other) {
            return new Line(from, until, actor, claim, action, of, run, finding, reason, other);
        }
    }

    private static final Set<String> HOLDS = Set.of("dlq.paused", "dlq.forced", "dlq.resumed");
    private static final String OF_RUNS = "dlq.run.";
    private static final String ABORTED = "dlq.run.aborted";
    private static final String RATE_SET = "dlq.run.rate_set";
    private static final Set<String> WHOLE = Set.of("dlq.run.planned", "dlq.run.approved");

    private record Name(String actor, Optional<String> claim, String action, Optional<String> run, Optional<AttemptVerdict> finding,
            Optional<String> reason, long deed) {}

    private AuditTrail() {}

    /** The newest last. */
    public static List<Line> ask(DeadLetterQueue queue, Criteria criteria) {
        return queue.database().withConnection(connection -> read(connection, criteria));
    }

    /** The clock of the statement and not the present time, which no index is read up to. */
    private static final String READ = """
            WITH wanted AS (SELECT ?::text AS actor, ?::text AS action, ?::text AS run
            ), led AS MATERIALIZED (
                SELECT resource_id AS run, audit_id AS began, lead(audit_id) OVER (PARTITION BY resource_id ORDER BY audit_id) AS next
                  FROM audit_record CROSS JOIN wanted
                 WHERE audit_record.action = 'dlq.run.led' AND audit_record.action LIKE 'dlq.%'
                   AND at > statement_timestamp() - ?::bigint * interval '1 second'
            )
            SELECT min(at), max(at), audit_record.actor, audit_record.action, detail.run, reason, currency,
                   sum(CASE WHEN audit_record.action IN ('dlq.unmasked', 'dlq.run.aborted') AND detail.letters ~ '^[0-9]{1,12}$'
                            THEN detail.letters::bigint ELSE 1 END),
                   least(coalesce(sum(CASE WHEN amount ~ '^[0-9]{1,12}$' THEN amount::bigint END), 0), 9e18)::bigint,
                   verdict, psp_reference, origin,
                   CASE WHEN count(DISTINCT resource_id) = 1
                        THEN nullif(min(CASE resource_type WHEN 'hold' THEN replace(resource_id, '/', ' ') ELSE resource_id END),
                                    detail.run) END,
                   CASE WHEN audit_record.action LIKE 'dlq.run.%' AND audit_record.action <> 'dlq.run.aborted' THEN audit_id
                        ELSE coalesce(began, 0) END AS deed
              FROM audit_record
              CROSS JOIN LATERAL (SELECT audit_detail(data, 'run') AS run, audit_detail(data, 'currency') AS currency,
                                         audit_detail(data, 'amount') AS amount, audit_detail(data, 'verdict') AS verdict,
                                         audit_detail(data, 'psp_reference') AS psp_reference,
                                         audit_detail(data, 'count') AS letters) AS detail
              CROSS JOIN wanted
              LEFT JOIN led ON led.run = detail.run AND audit_id >= began AND audit_id < coalesce(next, 9e18)
             WHERE audit_record.action LIKE 'dlq.%'
               AND at > statement_timestamp() - ?::bigint * interval '1 second'
               AND (wanted.actor IS NULL OR audit_record.actor = wanted.actor)
               AND (wanted.action IS NULL OR audit_record.action = wanted.action)
               AND (wanted.run IS NULL OR detail.run = wanted.run)
             GROUP BY audit_record.actor, origin, audit_record.action, detail.run, reason, currency, verdict, psp_reference, deed
             ORDER BY min(at), min(audit_id)
            """;

    private static List<Line> read(Connection connection, Criteria criteria) throws SQLException {
        Map<Name, Line> lines = new LinkedHashMap<>();
        Sql.all(connection, READ, row -> {
            Line line = line(row);
            return lines.merge(new Name(line.actor, line.claim, line.action, line.run, line.finding, line.reason, row.getLong(14)), line,
                    AuditTrail::together);
        }, criteria.actor, criteria.action, criteria.run, criteria.newerThan.toSeconds(), criteria.newerThan.toSeconds());
        var withRuns = new ArrayList<Line>();
        for (Line line : lines.values()) {
            withRuns.add(line.action.startsWith(OF_RUNS) && !line.action.equals(ABORTED) && line.run.isPresent()
                    ? line.with(sum(connection, line, line.run.get())) : line);
        }
        return List.copyOf(withRuns);
    }

    private static Line line(ResultSet row) throws SQLException {
        return new Line(Sql.instant(row, 1), Sql.instant(row, 2), row.getString(3), Optional.ofNullable(row.getString(12)),
                row.getString(4), Optional.ofNullable(row.getString(13)), Optional.ofNullable(row.getString(5)),
                AttemptVerdict.of(row.getString(10), row.getString(11)), Optional.ofNullable(row.getString(6)),
                Sum.ofRow(currency(row.getString(7)), row.getLong(8), row.getLong(9)));
    }

    private static final String OF_RUN = """
            SELECT currency, count(*), coalesce(sum(amount), 0) FROM dlq_run_item
             WHERE run_id = ? AND (moved_at IS NULL OR moved_at > ?) GROUP BY currency
            """;

    private static Sum sum(Connection connection, Line line, String run) throws SQLException {
        Instant since = WHOLE.contains(line.action) ? Instant.EPOCH : line.from;
        return line.action.equals(RATE_SET) ? Sum.NOTHING
                : Sql.all(connection, OF_RUN, row -> Sum.ofRow(currency(row.getString(1)), row.getLong(2), row.getLong(3)), run, since)
                        .stream()
                        .reduce(Sum.NOTHING, Sum::plus);
    }

    /** NULL for one that does not exist: one odd record must not hide the others. */
    private static String currency(String code) {
        return Money.isCurrency(code) ? code : null;
    }

    private static Line together(Line line, Line more) {
        return new Line(line.from.isBefore(more.from) ? line.from : more.from, line.until.isAfter(more.until) ? line.until : more.until,
                line.actor, line.claim, line.action, line.of.filter(more.of.stream().toList()::contains), line.run, line.finding,
                line.reason,
                line.sum.plus(more.sum));
    }
}
