// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database.pooler;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.postgresql.PGConnection;

/**
 * Finds out, before the first statement, whether each connection has a session of Postgres to itself. A pooler that gives each transaction
 * another session (PgBouncer's {@code pool_mode = transaction}) runs statements under the names of other clients' statements. Then a commit
 * may not be one, and an accepted payment is lost. Any thread.
 */
public final class OwnSessions {

    /** Opens a connection. */
    public interface Opener {
        Connection open() throws SQLException;
    }

    private enum Seen {
        NOTHING_YET, OWN, SHARED
    }

    /** For as long as another thread looks. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** Other clients may hide the pooler from one look, and hardly from all of them. */
    private static final int LOOKS = 20;
    private static final String PROTOCOL_VIOLATION = "08P01";
    private static final String NOT_CONNECTED = "08001";

    private static final String MY_PROCESS = "SELECT pg_backend_pid()";
    private static final String MARK = "SELECT set_config('chargeonce.mark', ?, false)";
    private static final String READ_MARK = "SELECT current_setting('chargeonce.mark', true)";

    private final boolean onlyWherePoolerShows;
    private final ReentrantLock looking = new ReentrantLock();
    private volatile Seen seen = Seen.NOTHING_YET;

    private OwnSessions(boolean onlyWherePoolerShows) {
        this.onlyWherePoolerShows = onlyWherePoolerShows;
    }

    /** For a service: two connections are compared, whatever is at their other end. */
    public static OwnSessions compared() {
        return new OwnSessions(false);
    }

    /** For what mostly needs one connection: a second one is opened, and compared with it, only if a pooler shows itself. */
    public static OwnSessions comparedBehindPooler() {
        return new OwnSessions(true);
    }

    /**
     * Once a pooler has shared a session, this refuses until a restart, because a later look may seem well.
     *
     * @throws SQLTransientConnectionException if sessions are shared; no statement may run
     */
    public void require(Opener opener) throws SQLException {
        if (seen == Seen.OWN) {
            return;
        }
        if (!looking.tryLock()) {
            awaitOtherLook();
            return;
        }
        try {
            if (seen != Seen.SHARED) {
                seen = look(opener);
            }
        } finally {
            looking.unlock();
        }
        if (seen == Seen.SHARED) {
            throw new SQLTransientConnectionException("a pooler between this process and Postgres shares sessions (PgBouncer's "
                    + "pool_mode = transaction); that loses payments. Connect to Postgres itself, or set pool_mode = session",
                    PROTOCOL_VIOLATION);
        }
    }

    private void awaitOtherLook() throws SQLException {
        try {
            if (looking.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                looking.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (seen != Seen.OWN) {
            throw new SQLTransientConnectionException("no connection was to be had", NOT_CONNECTED);
        }
    }

    private Seen look(Opener opener) throws SQLException {
        try (Connection one = opener.open()) {
            if (onlyWherePoolerShows && isPostgresItself(one)) {
                return Seen.OWN;
            }
            try (Connection other = opener.open()) {
                return keepTheirMarks(one, other) ? Seen.OWN : Seen.SHARED;
            }
        }
    }

    /** Postgres names its process at the start of a connection. A pooler names something of its own there. */
    private static boolean isPostgresItself(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(MY_PROCESS); var row = statement.executeQuery()) {
            row.next();
            return row.getInt(1) == connection.unwrap(PGConnection.class).getBackendPID();
        }
    }

    /** A pooler gives the next transaction the session that was free last, which the other connection has marked by then. */
    private static boolean keepTheirMarks(Connection one, Connection other) throws SQLException {
        for (int look = 0; look < LOOKS; look++) {
            String mark = UUID.randomUUID().toString();
            mark(one, mark + 1);
            mark(other, mark + 2);
            if (!mark(one).equals(mark + 1) || !mark(other).equals(mark + 2)) {
                return false;
            }
        }
        return true;
    }

    private static String mark(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(READ_MARK); var row = statement.executeQuery()) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }

    private static void mark(Connection connection, String mark) throws SQLException {
        try (var statement = connection.prepareStatement(MARK)) {
            statement.setString(1, mark);
            statement.execute();
        }
    }
}
