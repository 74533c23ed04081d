// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * The dead letters that a filter meant at one moment. What dies later, or dies again, is not among them, so a merge
 * never meets twice what it moved itself.
 *
 * @param from where they are
 * @param asOf by the database's clock, like every other time here
 */
public record Selection(DeadLetterFilter filter, From from, Instant asOf) {

    public enum From {
        THE_QUEUE,
        /** Those that can still be restored. */
        THE_PURGED
    }

    private static final String NOW = "SELECT clock_timestamp()";

    static Selection now(Connection connection, DeadLetterFilter filter, From from) throws SQLException {
        try (var statement = connection.prepareStatement(NOW); var result = statement.executeQuery()) {
            result.next();
            return new Selection(filter, from, result.getObject(1, OffsetDateTime.class).toInstant());
        }
    }
}
