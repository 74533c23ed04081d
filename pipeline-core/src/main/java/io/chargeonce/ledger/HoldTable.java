// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
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
        var holds = new ArrayList<Hold>();
        List<Instant> now = Sql.all(connection, IN_FORCE, row -> {
            if (row.getString(2) != null) {
                holds.add(read(row, 2));
            }
            return Sql.instant(row, 1);
        });
        return new InForce(holds, now.getLast());
    }

    /** Reads the columns of a hold, in the order of their table. */
    private static Hold read(ResultSet row, int first) throws SQLException {
        return new Hold(Hold.Kind.fromTag(row.getString(first)).orElseThrow(), row.getString(first + 1),
                Hold.Action.fromTag(row.getString(first + 2)).orElseThrow(), row.getString(first + 3), row.getString(first + 4),
                Sql.instant(row, first + 5), Optional.ofNullable(Sql.instant(row, first + 6)));
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
        return Sql.one(connection, PUT, row -> read(row, 1), kind.tag(), name, action.tag(), reason, until.map(Instant::toString), run,
                claim);
    }

    private static final String LIFT = """
            SELECT kind, name, action, reason, held_by, since, until FROM lift_hold(?, ?, ?, ?, ?)
            """;

    /** @return what was lifted; empty if nothing held it */
    public static Optional<Hold> lift(Connection connection, Hold.Kind kind, String name, String reason, String run,
                                      Optional<String> claim)
            throws SQLException {
        return Sql.first(connection, LIFT, row -> read(row, 1), kind.tag(), name, reason, run, claim);
    }
}
