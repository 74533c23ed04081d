// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
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
              FROM waiting JOIN operation_now USING (operation_id) WHERE list = 'question' AND state = 'unresolved' GROUP BY currency
            """;

    public static UnresolvedSum of(DeadLetterQueue queue) {
        return queue.database().withConnection(UnresolvedSum::read);
    }

    private static UnresolvedSum read(Connection connection) throws SQLException {
        Sum sum = Sum.NOTHING;
        Optional<Instant> oldest = Optional.empty();
        try (var statement = connection.prepareStatement(COUNT); var row = statement.executeQuery()) {
            while (row.next()) {
                sum = sum.plus(Sum.ofRow(row.getString(1), row.getLong(2), row.getLong(3)));
                Optional<Instant> since = Optional.ofNullable(row.getObject(4, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
                oldest = Stream.of(oldest, since).flatMap(Optional::stream).min(Instant::compareTo);
            }
        }
        return new UnresolvedSum(sum, oldest);
    }
}
