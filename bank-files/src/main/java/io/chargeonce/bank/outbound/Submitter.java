// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.database.mark.SessionMark;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Makes this process the only one that submits to a bank, for one pass. The bank's row says whose session that is, and keeps others out
 * while the session lasts; the fence, raised each time, keeps this one out if its session was lost while it slept. Any thread.
 */
public final class Submitter {

    /** Work of the only submitter. */
    public interface Pass {
        int run(long fence) throws SQLException;
    }

    /** Another process has become the submitter, so this one must stop. */
    public static final class Fenced extends RuntimeException {

        private static final long serialVersionUID = 1;

        Fenced(String bank) {
            super("another process submits to %s now".formatted(bank));
        }
    }

    private Submitter() {}

    private static final String BEGIN = """
            WITH living AS MATERIALIZED (%s)
            UPDATE bank SET mark = ?, fence = fence + 1, told_at = now()
             WHERE bank = ? AND mark NOT IN (SELECT mark FROM living)
            RETURNING fence
            """.formatted(SessionMark.living("bank"));
    private static final String END = "UPDATE bank SET mark = 0 WHERE bank = ? AND mark = ?";

    /**
     * Empty if another process is the submitter now, or {@link Outbound} has not registered the bank yet. The connection that is the
     * submitter's has no transaction open.
     */
    public static Optional<Integer> alone(Database database, String bank, Pass pass) {
        return database.withConnection(connection -> {
            int mark = SessionMark.begin(connection);
            try {
                Optional<Long> fence = Sql.first(connection, BEGIN, row -> row.getLong(1), mark, bank);
                return fence.isPresent() ? Optional.of(run(connection, bank, mark, pass, fence.get())) : Optional.empty();
            } finally {
                SessionMark.end(connection, mark);
            }
        });
    }

    private static int run(Connection connection, String bank, int mark, Pass pass, long fence) throws SQLException {
        try {
            return pass.run(fence);
        } finally {
            Sql.update(connection, END, bank, mark);
        }
    }
}
