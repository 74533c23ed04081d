// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The holds in force, by the database's clock. Changed only by functions of the database, for people who have the operator's rights. */
public final class HoldTable {

    /** @param now by the database's clock */
    public record InForce(List<Hold> holds, Instant now) {

        public static final InForce NONE = new InForce(List.of(), Instant.EPOCH);

        public InForce {
            holds = List.copyOf(holds);
        }

        public Optional<Hold> of(Hold.Kind kind, String name) {
            return holds.stream().filter(hold -> hold.isOf(kind, name)).findFirst();
        }
    }

    private HoldTable() {}

    /** One row even if there is no hold, for the time. */
    private static final String IN_FORCE = """
            SELECT at, kind, name, action, reason, held_by, since, until
              FROM (SELECT clock_timestamp() AS at) AS moment LEFT JOIN hold ON until IS NULL OR until > at
             ORDER BY kind, name
            """;

    public static InForce inForce(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(IN_FORCE); var row = statement.executeQuery()) {
            var holds = new ArrayList<Hold>();
            Instant now = Instant.EPOCH;
            while (row.next()) {
                now = time(row, 1).orElseThrow();
                if (row.getString(2) != null) {
                    holds.add(read(row, 2));
                }
            }
            return new InForce(holds, now);
        }
    }

    /** Reads the columns of a hold, in the order of their table. */
    private static Hold read(ResultSet row, int first) throws SQLException {
        return new Hold(Hold.Kind.fromTag(row.getString(first)).orElseThrow(), row.getString(first + 1),
                Hold.Action.fromTag(row.getString(first + 2)).orElseThrow(), row.getString(first + 3), row.getString(first + 4),
                time(row, first + 5).orElseThrow(), time(row, first + 6));
    }

    private static final String PUT = """
            SELECT kind, name, action, reason, held_by, since, until
              FROM put_hold(?, ?, ?, ?, ?::timestamptz, ?, ?)
            """;

    /**
     * Pauses or forces in the name of the session's login, and records that in the audit log.
     *
     * @param run   names what belongs together in the audit log
     * @param claim the account at the person's machine, if known
     */
    public static Hold put(Connection connection, Hold.Kind kind, String name, Hold.Action action, String reason,
                           Optional<Instant> until, String run, Optional<String> claim)
            throws SQLException {
        try (var statement = connection.prepareStatement(PUT)) {
            statement.setString(1, kind.tag());
            statement.setString(2, name);
            statement.setString(3, action.tag());
            statement.setString(4, reason);
            statement.setString(5, until.map(Instant::toString).orElse(null));
            statement.setString(6, run);
            statement.setString(7, claim.orElse(null));
            try (var row = statement.executeQuery()) {
                row.next();
                return read(row, 1);
            }
        }
    }

    private static final String LIFT = """
            SELECT kind, name, action, reason, held_by, since, until FROM lift_hold(?, ?, ?, ?, ?)
            """;

    /** @return what was lifted; empty if nothing held it */
    public static Optional<Hold> lift(Connection connection, Hold.Kind kind, String name, String reason, String run,
                                      Optional<String> claim)
            throws SQLException {
        try (var statement = connection.prepareStatement(LIFT)) {
            statement.setString(1, kind.tag());
            statement.setString(2, name);
            statement.setString(3, reason);
            statement.setString(4, run);
            statement.setString(5, claim.orElse(null));
            try (var row = statement.executeQuery()) {
                return row.next() ? Optional.of(read(row, 1)) : Optional.empty();
            }
        }
    }

    private static Optional<Instant> time(ResultSet row, int column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }
}
