// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.chargeonce.database.cap.ConnectionCap;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Lends connections to Postgres. Each error of Postgres leaves this class as one of two exceptions: {@link DatabaseUnavailable} (wait and
 * repeat) or {@link DatabaseRefused} (which says whose fault it is). Any thread.
 */
public final class Database implements AutoCloseable {

    /** Work inside one transaction. It must not call anything over a network. */
    public interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    /** A row that stays locked for longer leaves its batch and waits alone, so that it does not delay the others. */
    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(50);
    private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(30);
    /**
     * After this silence a server is given up: a live one has answered or cancelled the statement by then. Only a COMMIT takes longer, when
     * all its synchronous standbys are down. Its outcome is then unknown, as if its answer had been lost.
     */
    private static final Duration LONGEST_SILENCE = STATEMENT_TIMEOUT.plusSeconds(10);
    /** The same for commands: some of their statements may take half an hour. */
    private static final Duration LONGEST_SILENCE_OF_COMMAND = Duration.ofMinutes(31);

    private static final String PLAN_EACH_TIME = """
            SET plan_cache_mode = force_custom_plan;
            SET jit = off
            """;
    /** The query of a command that was killed ends, too. */
    private static final String END_WITH_THE_CLIENT = "; SET client_connection_check_interval = '5s'";
    private static final String PLAN_ONCE = """
            SET plan_cache_mode = force_generic_plan;
            SET enable_seqscan = off;
            SET enable_hashjoin = off;
            SET enable_mergejoin = off;
            SET jit = off
            """;

    private final Connections connections;
    private final SchemaMismatches misfits = new SchemaMismatches();

    /** Whether a refusal for a missing right says that a service is set up wrongly. A person may just not have that right. */
    private final boolean ofService;

    private Database(Connections connections, boolean ofService) {
        this.connections = connections;
        this.ofService = ofService;
    }

    private Database(Connections connections) {
        this(connections, true);
    }

    /**
     * Opens without connecting, so that a service starts while Postgres is down.
     *
     * @param url         {@code jdbc:postgresql://…}
     * @param connections the largest size of the pool
     */
    public static Database open(String url, String user, String password, int connections) {
        return open(url, user, () -> password, connections, PLAN_EACH_TIME);
    }

    /**
     * The same for a service whose statements all find their rows by an index. Each connection plans them once, because planning costs more
     * than the work of a small batch. The settings keep that plan independent of how full a table was at that moment.
     */
    public static Database openForService(String url, String user, String password, int connections) {
        return openForService(url, user, () -> password, connections);
    }

    /** @param password read for each new connection, so that it may change; open connections stay */
    public static Database openForService(String url, String user, Supplier<String> password, int connections) {
        return open(url, user, password, connections, PLAN_ONCE);
    }

    private static Database open(String url, String user, Supplier<String> password, int connections, String planning) {
        return new Database(new PooledConnections(url, user, password, connections, prepare(planning), LONGEST_SILENCE));
    }

    /**
     * The same for a command that a person waits for: it has no pool, and it reports at once when Postgres cannot be reached, where a
     * service would wait.
     */
    public static Database openForCommand(String url, String user, String password) {
        return openForCommand(url, user, () -> password);
    }

    /** @param password read for each new connection */
    public static Database openForCommand(String url, String user, Supplier<String> password) {
        return new Database(
                new KeptConnections(url, user, password, prepare(PLAN_EACH_TIME + END_WITH_THE_CLIENT), LONGEST_SILENCE_OF_COMMAND));
    }

    /**
     * The same for a person at the console: a small pool that is empty while the person does nothing, and the patience of a command.
     *
     * @param connections the largest size of the pool
     * @param cap         of all people's pools together
     */
    static Database openForPerson(String url, String user, String password, int connections, ConnectionCap cap) {
        return new Database(PooledConnections.emptyWhenIdle(url, user, password, connections,
                prepare(PLAN_EACH_TIME + END_WITH_THE_CLIENT), LONGEST_SILENCE_OF_COMMAND, cap), false);
    }

    /** Uses given connections; for the simulation. */
    public static Database over(Connections connections) {
        return new Database(connections);
    }

    /**
     * The settings of every connection. At READ COMMITTED the loser of a race waits for the winner and reads its rows; at a stricter level
     * it would fail. The server detects a vanished client within half a minute and releases its locks. Otherwise a relay's shards could
     * stay locked for hours.
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
            if (ofService) {
                misfits.notice(refused);
            }
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

    private static final String NOW = "SELECT clock_timestamp()";

    /** By Postgres's clock, which all processes share; not the begin of the transaction. */
    public static Instant now(Connection connection) throws SQLException {
        return Sql.one(connection, NOW, row -> Sql.instant(row, 1));
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
     * Connection and resource errors are an outage; anything else is about the statement. Classes and codes: PostgreSQL, appendix A. 25006:
     * our primary became a standby. 25P03 and 25P04: the server ended a transaction of ours that was idle for too long.
     */
    public static boolean isOutage(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        return e instanceof SQLTransientConnectionException
                || state.startsWith("08") || state.startsWith("53") || state.startsWith("57P")
                || state.startsWith("58") || state.equals("25006") || state.equals("25P03") || state.equals("25P04") || state.isEmpty();
    }

    /** A committed row must be durable. A setting of the server, the database or the role may switch that off. */
    private static final String PING = """
            SELECT current_setting('synchronous_commit') = 'off' FROM (SELECT count(*) FROM (SELECT FROM %s LIMIT 1) AS one) AS readable
            """;

    /** What keeps this process from working with Postgres, in one line; empty if nothing does. */
    public Optional<String> problem() {
        return problem("outbox");
    }

    /** @param table that this process must be able to read */
    public Optional<String> problem(String table) {
        try {
            return withConnection(connection -> Sql.one(connection, PING.formatted(table), row -> row.getBoolean(1))
                    ? Optional.of("Postgres may lose commits in a crash: synchronous_commit is off. Set it to on, "
                            + "and run migrate --roles, because a role may have its own setting")
                    : misfits.problem());
        } catch (DatabaseUnavailable | DatabaseRefused e) {
            return Optional.of(e.getMessage());
        }
    }

    /** Counts into these meters how often schema, rights and statements did not fit, and the connections of a pool. */
    public Database countedBy(MeterRegistry meters) {
        misfits.countedBy(meters);
        connections.countedBy(meters);
        return this;
    }

    @Override
    public void close() {
        connections.close();
    }
}
