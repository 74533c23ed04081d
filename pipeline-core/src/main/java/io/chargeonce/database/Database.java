// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Connections to Postgres, lent for a while. Every error of Postgres leaves here as one of two: {@link DatabaseUnavailable} (wait
 * and repeat) or {@link DatabaseRefused} (which says whose fault it is). Safe for any thread.
 */
public final class Database implements AutoCloseable {

    /** Work done inside one transaction. It must not call anything over a network. */
    public interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    /** A row that is locked for longer leaves its batch and waits alone, so the others are not held up. */
    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(50);
    private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(30);
    /**
     * After this a server that says nothing is no longer waited for: one that is there has answered or given up by then. Only
     * a COMMIT whose synchronous standbys are all away takes longer; given up, it is as unknown as one whose answer was lost.
     */
    private static final Duration LONGEST_SILENCE = STATEMENT_TIMEOUT.plusSeconds(10);
    /** The same for a command, some of whose statements may take half an hour. */
    private static final Duration LONGEST_SILENCE_OF_COMMAND = Duration.ofMinutes(31);

    private static final String PLAN_EACH_TIME = """
            SET plan_cache_mode = force_custom_plan;
            SET jit = off
            """;
    private static final String PLAN_ONCE = """
            SET plan_cache_mode = force_generic_plan;
            SET enable_seqscan = off;
            SET enable_hashjoin = off;
            SET enable_mergejoin = off;
            SET jit = off
            """;

    private final Connections connections;
    private final Misfits misfits = new Misfits();

    private Database(Connections connections) {
        this.connections = connections;
    }

    /**
     * Opens without connecting, so that a service starts while Postgres is away.
     *
     * @param url         {@code jdbc:postgresql://…}
     * @param connections the most that this pool holds
     */
    public static Database open(String url, String user, String password, int connections) {
        return open(url, user, () -> password, connections, PLAN_EACH_TIME);
    }

    /**
     * The same for a service whose statements all find their rows by an index. They are planned once for each connection:
     * planning costs a small batch more than its work. What that plan may be does not depend on how full a table was then.
     */
    public static Database openForService(String url, String user, String password, int connections) {
        return openForService(url, user, () -> password, connections);
    }

    /** @param password asked for each new connection, so that it may change; those that are open stay */
    public static Database openForService(String url, String user, Supplier<String> password, int connections) {
        return open(url, user, password, connections, PLAN_ONCE);
    }

    private static Database open(String url, String user, Supplier<String> password, int connections, String planning) {
        return new Database(new PooledConnections(url, user, password, connections, prepare(planning), LONGEST_SILENCE));
    }

    /**
     * The same for a command that a person waits for: without a pool, and where Postgres cannot be reached that is told at
     * once instead of after a service's patience.
     */
    public static Database openForCommand(String url, String user, String password) {
        return new Database(new KeptConnections(url, user, password, prepare(PLAN_EACH_TIME), LONGEST_SILENCE_OF_COMMAND));
    }

    /** Over connections that come from elsewhere; a simulation's. */
    public static Database over(Connections connections) {
        return new Database(connections);
    }

    /**
     * What every connection begins with. Who loses a race waits for the winner and reads its rows; at a stricter level it would
     * fail. A client that is gone without a word is found out by the server within half a minute, and what it had locked is
     * free: a relay's shards would otherwise be nobody's for hours.
     */
    private static String prepare(String planning) {
        return """
                SET search_path = chargeonce;
                SET default_transaction_isolation = 'read committed';
                SET lock_timeout = %d;
                SET statement_timeout = %d;
                SET idle_in_transaction_session_timeout = %2$d;
                SET tcp_keepalives_idle = 10;
                SET tcp_keepalives_interval = 10;
                SET tcp_keepalives_count = 2;
                SET tcp_user_timeout = '30s';
                """.formatted(LOCK_TIMEOUT.toMillis(), STATEMENT_TIMEOUT.toMillis()) + planning;
    }

    /** Commits what {@code work} did, or nothing of it. */
    public <T> T inTransaction(Work<T> work) {
        return withConnection(connection -> {
            connection.setAutoCommit(false);
            try {
                T result = work.with(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollBack(connection, e);
                throw e;
            } finally {
                restoreAutoCommit(connection);
            }
        });
    }

    /**
     * Each statement commits by itself.
     *
     * @throws BrokenWork for an error of the work that speaks of what it worked on
     */
    public <T> T withConnection(Work<T> work) {
        try {
            return connections.lend(work);
        } catch (SQLException e) {
            if (isOutage(e)) {
                throw new DatabaseUnavailable(e);
            }
            var refused = new DatabaseRefused(e);
            misfits.notice(refused);
            throw refused;
        } catch (Error e) {
            throw BrokenWork.of(e).orElseThrow(() -> e);
        }
    }

    /** Lets this transaction wait longer for a locked row than a batch may. */
    public static void waitForLocks(Connection connection, Duration patience) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SET LOCAL lock_timeout = " + patience.toMillis());
        }
    }

    private static void rollBack(Connection connection, Throwable because) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    private static void restoreAutoCommit(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            connection.setAutoCommit(true);
        }
    }

    /**
     * Connection and resource errors are an outage; anything else is about the statement.
     * Classes and codes: PostgreSQL, appendix A. 25006 is a primary that became a standby under us, 25P03 and 25P04 are a server
     * that gave up a transaction of ours which stood still for too long.
     */
    private static boolean isOutage(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return e instanceof SQLTransientConnectionException
                || state.startsWith("08") || state.startsWith("53") || state.startsWith("57P")
                || state.startsWith("58") || state.equals("25006") || state.equals("25P03") || state.equals("25P04") || state.isEmpty();
    }

    /** What a commit says is stored must be: a setting of the server, the database or the role may say otherwise. */
    private static final String PING = """
            SELECT current_setting('synchronous_commit') = 'off' FROM (SELECT count(*) FROM (SELECT FROM outbox LIMIT 1) AS one) AS readable
            """;

    /** What keeps this process from working with Postgres, in one line; empty if nothing does. */
    public Optional<String> problem() {
        try {
            return withConnection(connection -> {
                try (var statement = connection.createStatement(); var row = statement.executeQuery(PING)) {
                    row.next();
                    return row.getBoolean(1) ? Optional.of("Postgres forgets commits in a crash: synchronous_commit is off; set it to on, "
                            + "and run migrate --roles, for a role may have set its own") : misfits.problem();
                }
            });
        } catch (DatabaseUnavailable | DatabaseRefused e) {
            return Optional.of(e.getMessage());
        }
    }

    /** Has it counted how often schema, rights or statements did not fit. */
    public Database countedBy(MeterRegistry meters) {
        misfits.countedBy(meters);
        return this;
    }

    @Override
    public void close() {
        connections.close();
    }
}
