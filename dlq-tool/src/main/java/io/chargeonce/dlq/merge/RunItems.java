// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.merge;

import io.chargeonce.database.Columns;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Target;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The frozen sets of merge runs: in which order they move, and what was done with each. */
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

    /** By lot among what would be charged again: the oldest ones often all have one and the same trouble. */
    private static final String DRAW = "WITH charged_again AS (SELECT dead_letter_id FROM " + LETTERS
            + DeadLetterQuery.selected(Selection.From.THE_QUEUE) + ") AS letter\n" + """
             WHERE standing = ANY (?))
            SELECT dead_letter_id FROM charged_again ORDER BY md5(dead_letter_id)
             LIMIT (SELECT coalesce(?::bigint, least(ceil(count(*) * ? / 100.0), ?)::bigint) FROM charged_again)
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
                RETURNING dead_letter_id, generation, died_at, amount, currency
            )
            SELECT count(*), coalesce(bit_xor(\
            """ + DeadLetterQuery.FINGERPRINT + "), 0),\n" + """
                   (SELECT coalesce(jsonb_object_agg(currency, jsonb_build_array(letters, amount)), '{}')
                      FROM (SELECT currency, count(*) AS letters, sum(amount) AS amount FROM frozen
                             WHERE currency IS NOT NULL GROUP BY currency) AS sums)
              FROM frozen AS letter
            """;

    static Frozen freeze(Connection connection, String run, Selection selection, RunTerms terms) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(PATIENCE);
        }
        List<String> drawn = terms.givenCanary().equals(OptionalInt.of(0)) ? List.of() : draw(connection, selection, terms);
        try (var statement = connection.prepareStatement(FREEZE.formatted(DeadLetterQuery.selected(selection.from())))) {
            int next = DeadLetterQuery.bind(statement, selection);
            statement.setString(next, run);
            statement.setArray(next + 1, connection.createArrayOf("text", drawn.toArray()));
            try (var result = statement.executeQuery()) {
                result.next();
                return new Frozen(result.getLong(1), Plan.fingerprint(result.getLong(2)), result.getString(3),
                        terms.givenCanary().orElse(drawn.size()));
            }
        }
    }

    private static List<String> draw(Connection connection, Selection selection, RunTerms terms) throws SQLException {
        try (var statement = connection.prepareStatement(DRAW)) {
            int next = DeadLetterQuery.bind(statement, selection);
            statement.setArray(next, connection.createArrayOf("text", Arrays.stream(MoneyStatus.values()).filter(terms::chargesAgain)
                    .map(MoneyStatus::tag).toArray()));
            statement.setObject(next + 1, terms.givenCanary().isPresent() ? terms.givenCanary().getAsInt() : null, Types.BIGINT);
            statement.setInt(next + 2, RunTerms.USUAL_CANARY_PERCENT);
            statement.setInt(next + 3, RunTerms.LARGEST_USUAL_CANARY);
            var drawn = new ArrayList<String>();
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    drawn.add(result.getString(1));
                }
            }
            return drawn;
        }
    }

    private static final String FIRST_UNMOVED = "SELECT min(position) FROM dlq_run_item WHERE run_id = ? AND fate IS NULL";

    /** The position of the next to be moved; beyond all of them if there is none. Looks at every item. */
    static int firstUnmoved(Connection connection, MergeRun run) throws SQLException {
        try (var statement = connection.prepareStatement(FIRST_UNMOVED)) {
            statement.setString(1, run.id());
            try (var result = statement.executeQuery()) {
                result.next();
                int first = result.getInt(1);
                return result.wasNull() ? last(run) + 1 : first;
            }
        }
    }

    /** No item's position is higher. */
    static int last(MergeRun run) {
        return Math.toIntExact(run.items() + run.terms().canary());
    }

    /** A range and no limit, for the planner would read and sort all that is left to find the first few. */
    private static final String UNMOVED = """
            SELECT position, dead_letter_id, generation, died_at, amount, currency
              FROM dlq_run_item WHERE run_id = ? AND position BETWEEN ? AND ? AND fate IS NULL ORDER BY position
            """;

    /** Those that have not been moved, with these positions. */
    static List<Item> unmoved(Connection connection, String run, int from, int to) throws SQLException {
        try (var statement = connection.prepareStatement(UNMOVED)) {
            statement.setString(1, run);
            statement.setInt(2, from);
            statement.setInt(3, to);
            var items = new ArrayList<Item>();
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    items.add(new Item(result.getInt(1), target(result)));
                }
            }
            return items;
        }
    }

    private static Target target(ResultSet result) throws SQLException {
        String currency = result.getString("currency");
        return new Target(result.getString("dead_letter_id"), result.getInt("generation"),
                result.getObject("died_at", OffsetDateTime.class).toInstant(),
                currency == null ? Optional.empty() : Optional.of(new Money(result.getLong("amount"), currency)));
    }

    /** With their range, for else the planner may join them with all that the run has moved before. */
    private static final String MARK = """
            UPDATE dlq_run_item SET fate = row.fate, moved_at = clock_timestamp()
              FROM unnest(?::int[], ?::text[]) AS row (position, fate)
             WHERE run_id = ? AND dlq_run_item.position = row.position AND dlq_run_item.position BETWEEN ? AND ?
            """;

    static void mark(Connection connection, String run, List<Item> items, Map<String, MoveResult> results) throws SQLException {
        try (var statement = connection.prepareStatement(MARK)) {
            Columns.of(items, statement).with("int4", Item::position).with("text", item -> results.get(item.target().id()).tag());
            statement.setString(3, run);
            statement.setInt(4, items.getFirst().position());
            statement.setInt(5, items.getLast().position());
            statement.executeUpdate();
        }
    }

    private static final String PERMIT = "SELECT permit_moves(?, ?)";

    /** Lets this transaction move these items, if their run was approved. */
    static void permit(Connection connection, String run, List<Item> items) throws SQLException {
        try (var statement = connection.prepareStatement(PERMIT)) {
            statement.setString(1, run);
            statement.setArray(2, connection.createArrayOf("int4", items.stream().map(Item::position).toArray()));
            statement.execute();
        }
    }
}
