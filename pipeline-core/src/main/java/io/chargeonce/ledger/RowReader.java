// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;

/** Reads a row's columns one after another, in the order of the select: names would be looked up again for every row. */
final class RowReader {

    private final ResultSet result;
    private int column;

    RowReader(ResultSet result) {
        this.result = result;
    }

    String text() throws SQLException {
        return result.getString(++column);
    }

    Optional<String> textIfAny() throws SQLException {
        return Optional.ofNullable(result.getString(++column));
    }

    int integer() throws SQLException {
        return result.getInt(++column);
    }

    long big() throws SQLException {
        return result.getLong(++column);
    }

    Instant instant() throws SQLException {
        return result.getObject(++column, OffsetDateTime.class).toInstant();
    }

    Optional<Instant> instantIfAny() throws SQLException {
        return Optional.ofNullable(result.getObject(++column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }

    Optional<UUID> uuidIfAny() throws SQLException {
        return Optional.ofNullable(result.getObject(++column, UUID.class));
    }
}
