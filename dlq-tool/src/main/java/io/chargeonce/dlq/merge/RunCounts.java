// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.merge;

import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * What the items of one run were, what was done with them, and what became of those that re-entered. One pass over them, for
 * there may be a million and somebody who watches asks again and again.
 *
 * @param standings as they stood when they were frozen
 */
record RunCounts(SumsByKind<MoneyStatus> standings, SumsByKind<MoveResult> fates, Outcomes outcomes) {

    private static final String COUNT = """
            SELECT standing, fate, outcome, currency, count(*), coalesce(sum(amount), 0)
              FROM dlq_run_item WHERE run_id = ? GROUP BY standing, fate, outcome, currency
            """;

    static RunCounts of(Connection connection, String run) throws SQLException {
        var standings = new SumsByKind<MoneyStatus>();
        var fates = new SumsByKind<MoveResult>();
        Outcomes outcomes = Outcomes.NONE;
        try (var statement = connection.prepareStatement(COUNT)) {
            statement.setString(1, run);
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    Sum sum = Sum.ofRow(result.getString(4), result.getLong(5), result.getLong(6));
                    standings.add(MoneyStatus.fromTag(result.getString(1)), sum);
                    if (result.getString(2) != null) {
                        MoveResult fate = MoveResult.fromTag(result.getString(2));
                        fates.add(fate, sum);
                        outcomes =
                                fate == MoveResult.REENTERED ? outcomes.plus(Outcomes.ofRow(result.getString(3), sum.count())) : outcomes;
                    }
                }
            }
        }
        return new RunCounts(standings, fates, outcomes);
    }
}
