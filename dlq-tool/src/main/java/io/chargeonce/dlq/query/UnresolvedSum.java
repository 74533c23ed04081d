// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Payments and refunds of which it is not known whether the money moved; the resolver asks their PSPs.
 *
 * @param oldest since when the oldest of them is so
 */
public record UnresolvedSum(Sum sum, Optional<Instant> oldest) {

    private static final String COUNT = """
            SELECT currency, count(*), sum(amount), min(unresolved_since)
              FROM waiting JOIN operation_now USING (operation_id) WHERE list = 'query' AND state = 'unresolved' GROUP BY currency
            """;

    public static UnresolvedSum of(DeadLetterQueue queue) {
        return queue.database().withConnection(connection -> Sql.all(connection, COUNT, UnresolvedSum::ofRow)).stream()
                .reduce(new UnresolvedSum(Sum.NOTHING, Optional.empty()), UnresolvedSum::plus);
    }

    private static UnresolvedSum ofRow(ResultSet row) throws SQLException {
        return new UnresolvedSum(Sum.ofRow(row.getString(1), row.getLong(2), row.getLong(3)), Optional.ofNullable(Sql.instant(row, 4)));
    }

    private UnresolvedSum plus(UnresolvedSum more) {
        return new UnresolvedSum(sum.plus(more.sum),
                Stream.of(oldest, more.oldest).flatMap(Optional::stream).min(Instant::compareTo));
    }
}
