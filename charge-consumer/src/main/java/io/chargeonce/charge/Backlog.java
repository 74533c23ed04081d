// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.runtime.Rest;
import io.chargeonce.runtime.SeriesGauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Counts what waits in Postgres for a person: dead letters with their money, those of the last quarter of an hour once more, unknown
 * outcomes (a bank's only when its time to answer is over), those of purged payments, records that the broker refuses, webhooks and lines
 * of banks that match no attempt, disputes whose PSP waits for an answer. Every charge consumer reports the same numbers, so use their
 * maximum and not their sum. For one thread.
 */
final class Backlog {

    private final Database database;
    private final InstantSource clock;
    private Instant restsUntil = Instant.MIN;
    private final SeriesGauge count;
    private final SeriesGauge money;
    private final SeriesGauge oldest;

    Backlog(Database database, InstantSource clock, MeterRegistry meters) {
        this.database = database;
        this.clock = clock;
        this.count = new SeriesGauge("chargeonce.backlog", "What waits for a person", meters);
        this.money = new SeriesGauge("chargeonce.backlog.minor.units", "Its money in minor units", meters);
        this.oldest = new SeriesGauge("chargeonce.backlog.oldest.seconds", "The age of its oldest", meters);
    }

    private record Waiting(Tags tags, long count, long money, double oldestSeconds) {}

    /** Counts, unless it rests from the last count. Always returns 0: the next count is not urgent. */
    int runOnce() {
        Instant start = clock.instant();
        if (start.isBefore(restsUntil)) {
            return 0;
        }
        List<Waiting> waiting = database.withConnection(Backlog::read);
        Instant end = clock.instant();
        // With a million dead letters a count takes seconds, and each process counts.
        restsUntil = end.plus(Rest.after(Duration.between(start, end)));
        count.set(waiting.stream().collect(Collectors.toMap(Waiting::tags, Waiting::count)));
        money.set(waiting.stream().collect(Collectors.toMap(Waiting::tags, Waiting::money)));
        oldest.set(waiting.stream().collect(Collectors.toMap(Waiting::tags, Waiting::oldestSeconds)));
        return 0;
    }

    private static final String READ = """
            SELECT what, cause, currency, items, coalesce(money, 0),
                   coalesce(extract(epoch FROM clock_timestamp() - since), 0)
              FROM (SELECT 'unresolved' AS what, '' AS cause, currency, count(*) AS items, sum(amount) AS money,
                           min(unresolved_since) AS since
                      FROM waiting JOIN operation_now USING (operation_id)
                     WHERE list = 'query' AND state = 'unresolved'
                       AND NOT EXISTS (SELECT FROM payment_attempt AS attempt JOIN bank_batch_item AS item USING (psp_key)
                                        WHERE attempt.payment_id = operation_now.payment_id AND attempt.operation = operation_now.kind
                                          AND attempt.operation_ref = operation_now.operation_ref AND NOT attempt.failed_definite
                                          AND item.answer_due > now())
                     GROUP BY currency
                     UNION ALL
                    SELECT 'purged_unresolved', '', currency, count(*), sum(amount), min(unresolved_since)
                      FROM waiting JOIN operation_now USING (operation_id)
                     WHERE list = 'query' AND state = 'purged' GROUP BY currency
                     UNION ALL
                    SELECT 'dead_letter', cause, coalesce(currency, ''), count(*), sum(amount), min(died_at)
                      FROM dead_letter WHERE state = 'dead' GROUP BY cause, currency
                     UNION ALL
                    SELECT 'dead_letter_new', '', '', count(*), 0, min(died_at)
                      FROM dead_letter WHERE state = 'dead' AND died_at > now() - interval '15 minutes'
                     UNION ALL
                    SELECT 'refused_record', '', '', count(*), 0, min(staged_at)
                      FROM outbox WHERE refusal IS NOT NULL
                     UNION ALL
                    SELECT 'unmatched_notice', '', '', count(*), 0, min(received_at)
                      FROM unmatched_notice
                     UNION ALL
                    SELECT 'bank_line', '', '', count(*), 0, min(taken_at)
                      FROM bank_line WHERE state = 'unmatched'
                     UNION ALL
                    SELECT 'dispute_to_answer', '', coalesce(currency, ''), count(*), sum(amount), min(changed_at)
                      FROM dispute WHERE NOT final AND NOT answered AND due_by BETWEEN now() AND now() + interval '3 days'
                     GROUP BY currency
                     UNION ALL
                    SELECT 'settlement_line', '', currency, count(*), sum(amount), min(recorded_at)
                      FROM settlement_line WHERE due_at IS NOT NULL GROUP BY currency) AS backlog
            """;

    private static List<Waiting> read(Connection connection) throws SQLException {
        return Sql.all(connection, READ, row -> new Waiting(
                Tags.of("what", row.getString(1), "cause", row.getString(2), "currency", row.getString(3)), row.getLong(4), row.getLong(5),
                row.getDouble(6)));
    }
}
