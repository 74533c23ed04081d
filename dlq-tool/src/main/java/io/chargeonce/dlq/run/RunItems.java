// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Target;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/** The frozen sets of runs: in which order they move, and what was done with each. */
final class RunItems {

    record Item(int position, Target target) {}

    /** @param money count and minor units by currency, as JSON: {@code {"EUR": [8, 11520]}} */
    record Frozen(long items, String fingerprint, String money, int canary) {}

    private RunItems() {}

    /** A big set takes longer than a statement usually may. */
    private static final String PATIENCE = "SET LOCAL statement_timeout = '10min'; SET LOCAL work_mem = '64MB'";

    private static final String LETTERS =
            "(SELECT letter.dead_letter_id, letter.generation, letter.died_at, letter.amount, letter.currency, "
                    + DeadLetterQuery.STANDING + " AS standing\n";

    /** By lot among what tells whether it goes well: the oldest ones often all have one and the same trouble. */
    private static final String DRAW = "WITH tried AS (SELECT dead_letter_id FROM " + LETTERS + "%s) AS letter\n" + """
             WHERE standing = ANY (?))
            SELECT dead_letter_id FROM tried ORDER BY md5(dead_letter_id)
             LIMIT (SELECT coalesce(?::bigint, least(ceil(count(*) * ? / 100.0), ?)::bigint) FROM tried)
            """;

    private static final String FROZEN = """
                RETURNING dead_letter_id, generation, died_at, amount, currency
            )
            SELECT count(*), coalesce(bit_xor(\
            """ + DeadLetterQuery.FINGERPRINT + "), 0),\n" + """
                   (SELECT coalesce(jsonb_object_agg(currency, jsonb_build_array(letters, amount)), '{}')
                      FROM (SELECT currency, count(*) AS letters, sum(amount) AS amount FROM frozen
                             WHERE currency IS NOT NULL GROUP BY currency) AS sums)
              FROM frozen AS letter
            """;
    /** The oldest first, as the index has them; those that were drawn have a number before all others. */
    private static final String FREEZE = """
            WITH frozen AS (
                INSERT INTO dlq_run_item (run_id, position, dead_letter_id, generation, died_at, standing, amount, currency)
                SELECT run, coalesce(array_position(drawn, dead_letter_id),
                                     cardinality(drawn) + row_number() OVER (ORDER BY died_at, dead_letter_id)),
                       dead_letter_id, generation, died_at, standing, amount, currency
                  FROM \
            """ + LETTERS + "%s) AS letter\n" + """
                 CROSS JOIN (SELECT ?::text AS run, ?::text[] AS drawn) AS given
            """ + FROZEN;
    /**
     * What is due first comes first, behind the canary, which is drawn by lot. What was parked in its tier at that moment and is parked
     * there again since is stopped too: that changes neither the payment nor its money.
     */
    private static final String FREEZE_WAITS = """
            WITH frozen AS (
                INSERT INTO dlq_run_item (run_id, position, dead_letter_id, generation, died_at, amount, currency)
                SELECT run, row_number() OVER (ORDER BY lot > canary, not_before, operation_id),
                       operation_id, CASE WHEN stops THEN generation ELSE sequence END, not_before, amount, currency
                  FROM (SELECT operation_id, its.generation, its.sequence, its.not_before, operation.amount, operation.currency,
                               row_number() OVER (ORDER BY md5(operation_id)) AS lot
            """ + WaitingPayments.WAITS + """
                           AND (its.staged_at <= wanted.as_of
                                OR ?::boolean AND EXISTS (
                                       SELECT FROM tier_visit AS visit
                                        WHERE visit.operation_id = its.operation_id AND visit.step = its.step
                                          AND visit.began_at <= wanted.as_of))
                       ) AS waits
                 CROSS JOIN (SELECT ?::text AS run, ?::int AS canary, ?::boolean AS stops) AS given
            """ + FROZEN;

    static Frozen freeze(Connection connection, RunKind kind, String run, WaitingFilter filter, Instant asOf, RunTerms terms)
            throws SQLException {
        Sql.call(connection, PATIENCE);
        int canary = terms.givenCanary().orElse(0);
        boolean stops = kind == RunKind.STOP;
        return Sql.one(connection, FREEZE_WAITS, row -> frozen(row, canary),
                WaitingPayments.values(filter, asOf, stops, run, canary, stops));
    }

    private static Frozen frozen(ResultSet row, int canary) throws SQLException {
        return new Frozen(row.getLong(1), Plan.fingerprint(row.getLong(2)), row.getString(3), canary);
    }

    static Frozen freeze(Connection connection, RunKind kind, String run, Selection selection, RunTerms terms) throws SQLException {
        Sql.call(connection, PATIENCE);
        List<String> drawn = terms.givenCanary().equals(OptionalInt.of(0)) ? List.of() : draw(connection, kind, selection, terms);
        return Sql.one(connection, FREEZE.formatted(DeadLetterQuery.selected(selection.from())),
                row -> frozen(row, terms.givenCanary().orElse(drawn.size())),
                DeadLetterQuery.values(selection, run, drawn));
    }

    private static List<String> draw(Connection connection, RunKind kind, Selection selection, RunTerms terms) throws SQLException {
        List<String> drawn = draw(connection, standing -> kind.tries(standing, terms), selection, terms);
        return drawn.isEmpty() ? draw(connection, kind::triesElsewhere, selection, terms) : drawn;
    }

    private static List<String> draw(Connection connection, Predicate<MoneyStatus> tries, Selection selection, RunTerms terms)
            throws SQLException {
        List<String> standings = Arrays.stream(MoneyStatus.values()).filter(tries).map(MoneyStatus::tag).toList();
        return standings.isEmpty() ? List.of()
                : Sql.all(connection, DRAW.formatted(DeadLetterQuery.selected(selection.from())), row -> row.getString(1),
                        DeadLetterQuery.values(selection, standings, terms.givenCanary().stream().asLongStream().boxed().findFirst(),
                                RunTerms.USUAL_CANARY_PERCENT, RunTerms.LARGEST_USUAL_CANARY));
    }

    private static final String FIRST_UNMOVED = "SELECT min(position) FROM dlq_run_item WHERE run_id = ? AND fate IS NULL";

    /** The position of the next to be moved; beyond all of them if there is none. Looks at every item. */
    static int firstUnmoved(Connection connection, DlqRun run) throws SQLException {
        return Optional.ofNullable(Sql.one(connection, FIRST_UNMOVED, row -> row.getObject(1, Integer.class), run.id()))
                .orElseGet(() -> last(run) + 1);
    }

    /** No item's position is higher. */
    static int last(DlqRun run) {
        return Math.toIntExact(run.items() + run.terms().canary());
    }

    private static final String TARGETS = """
            SELECT target_topic, count(*) FROM dlq_run_item JOIN dead_letter USING (dead_letter_id)
             WHERE run_id = ? AND target_topic <> '' GROUP BY target_topic ORDER BY count(*) DESC, target_topic LIMIT ?
            """;

    /** To which topics other systems' records would go, and how many, as a {@link Plan} has them. */
    static Map<String, Long> targets(Connection connection, String run) throws SQLException {
        var targets = new LinkedHashMap<String, Long>();
        Sql.all(connection, TARGETS, row -> targets.put(row.getString(1), row.getLong(2)), run, Plan.MOST_TARGETS);
        return targets;
    }

    /** A range and no limit, for the planner would read and sort all that is left to find the first few. */
    private static final String UNMOVED = """
            SELECT position, dead_letter_id, generation, died_at, amount, currency
              FROM dlq_run_item WHERE run_id = ? AND position BETWEEN ? AND ? AND fate IS NULL ORDER BY position
            """;

    /** Those that have not been moved, with these positions. */
    static List<Item> unmoved(Connection connection, String run, int from, int to) throws SQLException {
        return Sql.all(connection, UNMOVED, row -> new Item(row.getInt(1), target(row)), run, from, to);
    }

    private static Target target(ResultSet result) throws SQLException {
        String currency = result.getString("currency");
        return new Target(result.getString("dead_letter_id"), result.getInt("generation"),
                Sql.instant(result, "died_at"),
                currency == null ? Optional.empty() : Optional.of(new Money(result.getLong("amount"), currency)));
    }

    /** With their range, for else the planner may join them with all that the run has moved before. */
    private static final String MARK = """
            UPDATE dlq_run_item SET fate = row.fate, moved_at = clock_timestamp()
              FROM unnest(?::int[], ?::text[]) AS row (position, fate)
             WHERE run_id = ? AND dlq_run_item.position = row.position AND dlq_run_item.position BETWEEN ? AND ?
            """;

    static void mark(Connection connection, String run, List<Item> items, Map<String, MoveResult> results) throws SQLException {
        Sql.update(connection, MARK,
                Columns.of(items).with("int4", Item::position).with("text", item -> results.get(item.target().id()).tag()), run,
                items.getFirst().position(), items.getLast().position());
    }

    private static final String PERMIT = "SELECT permit_moves(?, ?)";

    /** Lets this transaction move these items, if their run was approved. */
    static void permit(Connection connection, String run, List<Item> items) throws SQLException {
        Sql.call(connection, PERMIT, run, Columns.of(items).with("int4", Item::position));
    }
}
