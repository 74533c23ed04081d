// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;

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

    static Selection now(Connection connection, DeadLetterFilter filter, From from) throws SQLException {
        return new Selection(filter, from, Database.now(connection));
    }
}
