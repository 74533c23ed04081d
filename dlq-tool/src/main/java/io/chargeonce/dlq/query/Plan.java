// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A selection, and what it holds by standing. It moves nothing; a run looks at each dead letter again before it touches it.
 *
 * @param fingerprint equal for equal sets of dead letters
 * @param targets     to which topics a merge would send how many of other systems' records, those with the most first
 */
public record Plan(Selection selection, SumsByKind<MoneyStatus> standings, String fingerprint, Map<String, Long> targets) {

    /** A person can look at so many. Whoever writes the records chooses the topics, and could choose as many as there are records. */
    public static final int MOST_TARGETS = 100;

    public static Plan of(DeadLetterQueue queue, DeadLetterFilter filter) {
        return of(queue, filter, Selection.From.THE_QUEUE);
    }

    /** What a restore would bring back. */
    public static Plan ofPurged(DeadLetterQueue queue, DeadLetterFilter filter) {
        return of(queue, filter, Selection.From.THE_PURGED);
    }

    public static Plan of(DeadLetterQueue queue, DeadLetterFilter filter, Selection.From from) {
        return queue.database().withConnection(connection -> count(connection, Selection.now(connection, filter, from)));
    }

    private static final String COUNT =
            "SELECT standing, currency, count(*), sum(amount), bit_xor(fingerprint) FROM (SELECT letter.currency, letter.amount,"
                    + DeadLetterQuery.FINGERPRINT + " AS fingerprint,\n" + DeadLetterQuery.STANDING + " AS standing\n"
                    + "%s) AS letters GROUP BY standing, currency";

    private static Plan count(Connection connection, Selection selection) throws SQLException {
        var sums = new SumsByKind<MoneyStatus>();
        long fingerprint = Sql.all(connection, COUNT.formatted(DeadLetterQuery.selected(selection.from())), row -> {
            sums.add(MoneyStatus.fromTag(row.getString(1)), Sum.ofRow(row.getString(2), row.getLong(3), row.getLong(4)));
            return row.getLong(5);
        }, DeadLetterQuery.values(selection)).stream().reduce(0L, (one, other) -> one ^ other);
        return new Plan(selection, sums, fingerprint(fingerprint), targets(connection, selection, sums.of(MoneyStatus.FOREIGN)));
    }

    private static final String TARGETS = "SELECT target_topic, count(*) FROM (SELECT letter.target_topic,\n" + DeadLetterQuery.STANDING
            + " AS standing\n%s) AS letters WHERE standing = 'foreign' GROUP BY target_topic ORDER BY count(*) DESC, target_topic LIMIT "
            + MOST_TARGETS;

    private static Map<String, Long> targets(Connection connection, Selection selection, Sum foreign) throws SQLException {
        var targets = new LinkedHashMap<String, Long>();
        if (foreign.count() > 0) {
            Sql.all(connection, TARGETS.formatted(DeadLetterQuery.selected(selection.from())),
                    row -> targets.put(row.getString(1), row.getLong(2)), DeadLetterQuery.values(selection));
        }
        return targets;
    }

    /** Whether each topic that a merge would send other systems' records to is among the targets. */
    public boolean namesEachTarget() {
        return targets.size() < MOST_TARGETS
                || targets.values().stream().mapToLong(Long::longValue).sum() == standings.of(MoneyStatus.FOREIGN).count();
    }

    public static String fingerprint(long xor) {
        return "%016x".formatted(xor);
    }

    /** Of the ids that the filter names, those that are not where the change would find them; with the letter as it is now. */
    public Map<String, Optional<DeadLetterView>> missing(DeadLetterQueue queue) {
        List<String> named = selection.filter().ids().orElse(List.of());
        var missing = new LinkedHashMap<String, Optional<DeadLetterView>>();
        named.forEach(id -> missing.put(id, Optional.empty()));
        if (!named.isEmpty()) {
            queue.database().withConnection(connection -> {
                DeadLetterQuery.find(connection, named).forEach(letter -> missing.put(letter.id(), Optional.of(letter)));
                DeadLetterQuery.page(connection, selection, Order.OLDEST_FIRST, Optional.empty(), named.size())
                        .forEach(letter -> missing.remove(letter.id()));
                return missing;
            });
        }
        return missing;
    }
}
