// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * What the items of one run were, what was done with them, and what became of those that re-entered or were asked about. One pass over
 * them, for there may be a million and a watching person asks again and again.
 *
 * @param standings as they stood when they were frozen; none of what waits
 * @param outcomes  of those that re-entered
 * @param asked     of those about which the PSP was asked
 */
record RunCounts(SumsByKind<MoneyStatus> standings, SumsByKind<MoveResult> results, Outcomes outcomes, Outcomes asked) {

    private static final String COUNT = """
            SELECT standing, fate, outcome, currency, count(*), coalesce(sum(amount), 0)
              FROM dlq_run_item WHERE run_id = ? GROUP BY standing, fate, outcome, currency
            """;

    private record Group(String standing, String fate, String outcome, Sum sum) {}

    static RunCounts of(Connection connection, String run) throws SQLException {
        var standings = new SumsByKind<MoneyStatus>();
        var results = new SumsByKind<MoveResult>();
        Outcomes outcomes = Outcomes.NONE;
        Outcomes asked = Outcomes.NONE;
        for (Group group : Sql.all(connection, COUNT, row -> new Group(row.getString(1), row.getString(2), row.getString(3),
                Sum.ofRow(row.getString(4), row.getLong(5), row.getLong(6))), run)) {
            if (group.standing != null) {
                standings.add(MoneyStatus.fromTag(group.standing), group.sum);
            }
            if (group.fate != null) {
                MoveResult result = MoveResult.fromTag(group.fate);
                results.add(result, group.sum);
                Outcomes became = Outcomes.ofRow(group.outcome, group.sum);
                outcomes = result == MoveResult.REENTERED ? outcomes.plus(became) : outcomes;
                asked = result == MoveResult.ASKED ? asked.plus(became) : asked;
            }
        }
        return new RunCounts(standings, results, outcomes, asked);
    }
}
