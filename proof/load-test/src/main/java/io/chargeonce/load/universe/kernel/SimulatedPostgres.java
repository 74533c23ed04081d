// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The real Postgres of one universe, as its processes see it: transactions are one step each, except that ingest's may commit late, and
 * its connections break and lose the answer to a COMMIT as the faults say. It tells the universe's time. Only the strand that has the
 * turn may call it.
 */
public final class SimulatedPostgres {

    /**
     * How likely it is, at each COMMIT, that the connection breaks before it and after it, and that ingest's comes late; and that
     * a thread stalls, alone in its process: before it gets a connection, and before it takes the operations that it has work for.
     */
    public record Faults(double lostBefore, double lostAfter, double late, double stall, double hang, double idle) {

        public static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);
    }

    public static final String HUNG = "after a thread hung";

    private static final Duration SHORTEST_STALL = Duration.ofMillis(200);
    private static final Duration LONGEST_STALL = Duration.ofSeconds(5);

    private static SimulatedPostgres current;

    private final String url;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private final List<PostgresWire> wires = new ArrayList<>();
    private Faults faults = Faults.NONE;
    private boolean down;
    private Connection outside;
    private Connection emptying;
    private Stagings stagings = new Stagings();
    /** How far its clock is ahead. */
    private long clockMicros;
    private FileChannel clock;
    private long told;

    public SimulatedPostgres(String url) {
        this.url = url;
    }

    public void enter() {
        current = this;
        faults = Faults.NONE;
        down = false;
        clockMicros = 0;
        stagings = new Stagings();
    }

    /** How far Postgres's clock is ahead. */
    public static long clockMicros() {
        return current == null ? 0 : current.clockMicros;
    }

    public void step(Duration ahead) {
        clockMicros += ahead.toNanos() / 1_000;
    }

    public static SimulatedPostgres it() {
        return current;
    }

    Stagings stagings() {
        return stagings;
    }

    public void faults(Faults chosen) {
        faults = chosen;
    }

    public Faults faults() {
        return faults;
    }

    public void down(boolean isDown) {
        down = isDown;
        if (isDown) {
            List.copyOf(wires).forEach(PostgresWire::cut);
        }
    }

    /** As a pool hands it out: a place where the process may die. */
    public Connection connect() throws SQLException {
        Kernel kernel = Kernel.it();
        kernel.point("before a transaction");
        if (kernel.chance(faults.stall())) {
            kernel.sleep(kernel.between(SHORTEST_STALL, LONGEST_STALL));
        }
        if (down) {
            throw new SQLTransientConnectionException("the simulated Postgres is away", "08001");
        }
        PostgresWire wire = new PostgresWire(this, take());
        wires.add(wire);
        Host host = kernel.host();
        Runnable broken = wire::cut;
        host.lastWill.add(broken);
        wire.onClose(() -> host.lastWill.remove(broken));
        return wire.connection();
    }

    /** Later work is finished meanwhile, and a supervisor may end the process for the hang. */
    void hang() {
        Kernel kernel = Kernel.it();
        if (kernel.chance(faults.hang())) {
            kernel.sleep(kernel.between(SHORTEST_STALL, LONGEST_STALL));
            kernel.point(HUNG);
        }
    }

    private Connection take() throws SQLException {
        Connection raw = idle.poll();
        return raw != null ? raw : newConnection();
    }

    /** Every statement comes again in the next universe, so it is planned when it first comes; what has no parameters goes as mere text. */
    private Connection open() throws SQLException {
        var properties = new Properties();
        properties.setProperty("prepareThreshold", "1");
        properties.setProperty("preferQueryMode", "extendedForPrepared");
        return DriverManager.getConnection(url, properties);
    }

    /** As on large tables. By the size of small ones, a plan and with it the order of rows would depend on when it was made. */
    private Connection newConnection() throws SQLException {
        Connection raw = open();
        execute(raw, """
                SET search_path = chargeonce, universe, pg_catalog;
                SET lock_timeout = 1000;
                SET plan_cache_mode = force_generic_plan;
                SET jit = off;
                SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off
                """);
        return raw;
    }

    /** As mere text. */
    public static boolean execute(Connection raw, String sql) throws SQLException {
        try (var statement = raw.createStatement()) {
            return statement.execute(sql);
        }
    }

    /** What a statement finds that goes as mere text. */
    public static <T> List<T> all(Connection raw, String sql, Sql.Row<T> read) throws SQLException {
        try (var statement = raw.createStatement(); var row = statement.executeQuery(sql)) {
            var found = new ArrayList<T>();
            while (row.next()) {
                found.add(read.read(row));
            }
            return found;
        }
    }

    private static final String EMPTY = """
            SET session_replication_role = replica;
            DO $$
            DECLARE
                used text := (SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
                               WHERE relnamespace = 'chargeonce'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'flyway%'
                                 AND pg_relation_size(oid) > 0);
            BEGIN
                IF used IS NOT NULL THEN
                    EXECUTE 'TRUNCATE ' || used || ' CASCADE';
                END IF;
            END
            $$;
            SELECT setval(seqrelid, seqstart, false)
              FROM pg_sequence JOIN pg_class ON pg_class.oid = seqrelid AND relnamespace = 'chargeonce'::regnamespace;
            INSERT INTO chargeonce.merchant (merchant_id, created_at) VALUES ('shop-1', '2019-01-01'), ('shop-2', '2019-01-01');
            INSERT INTO chargeonce.agreed (tiers) VALUES ('{%s}');
            RESET session_replication_role
            """;

    /** One that tells the time of outside. Its end keeps it for the next check. */
    public Connection outside() throws SQLException {
        if (outside == null) {
            outside = open();
            execute(outside, "SET search_path = chargeonce, public");
        }
        return (Connection) Proxy.newProxyInstance(PostgresWire.class.getClassLoader(), new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        outside.rollback();
                        return null;
                    }
                    return method.invoke(outside, arguments);
                });
    }

    /** When the place of a dead row is free again depends on transactions of other universes, so none is until this one is over. */
    private static final String KEEP_DEAD_ROWS = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM chargeonce.merchant";

    /**
     * For the next universe, as if none was played before it: where a row lies decides among those that are due at the same time.
     *
     * @param tiers on which all of its processes have agreed
     */
    public void empty(List<Duration> tiers) {
        inEmptyingConnection(
                EMPTY.replace("%s", tiers.stream().map(tier -> Long.toString(tier.toMillis())).collect(Collectors.joining(","))));
        inEmptyingConnection(KEEP_DEAD_ROWS);
    }

    /** The universe is over. */
    public void leave() {
        inEmptyingConnection("ROLLBACK");
    }

    public void inEmptyingConnection(String sql) {
        try {
            emptying = emptying == null ? open() : emptying;
            execute(emptying, sql);
        } catch (SQLException e) {
            throw new IllegalStateException("Bug! The real Postgres is in trouble: " + e.getMessage(), e);
        }
    }

    /** Merchants may ask for it: some declines go to another PSP, and others come again on another day. */
    public void presentDeclinesAgain() {
        inIdleConnection("UPDATE chargeonce.merchant SET represent_declines = true, decline_failover = 'technical'");
    }

    /** What a person does when the cause is mended. */
    public void clearRefusals() {
        inIdleConnection("UPDATE chargeonce.outbox SET refusal = NULL WHERE refusal IS NOT NULL");
        stagings.committedAnywhere();
    }

    private void inIdleConnection(String sql) {
        inIdle(raw -> execute(raw, sql));
    }

    /** An attempt of which it is not known whether it moved money. People are told about it, or were when they purged it. */
    public record Unresolved(String operation, String key, String psp, boolean purged) {}

    private static final String UNRESOLVED = """
            SELECT operation_state.operation_id, psp_key, payment_attempt.psp, operation_state.state = 'purged'
              FROM operation_state JOIN payment_attempt USING (operation_id, sequence)
                             JOIN dead_letter ON dead_letter_id = operation_state.operation_id
             WHERE operation_state.state = 'unresolved' AND dead_letter.state = 'dead'
                OR operation_state.state = 'purged' AND dead_letter.state = 'purged' AND operation_state.resolve_at IS NOT NULL
             ORDER BY operation_state.operation_id
            """;

    public List<Unresolved> unresolved() {
        return inIdle(raw -> all(raw, UNRESOLVED,
                row -> new Unresolved(row.getString(1), row.getString(2), row.getString(3), row.getBoolean(4))));
    }

    /** In one that no process has. */
    public <T> T inIdle(Database.Work<T> work) {
        try {
            Connection raw = take();
            try {
                return work.with(raw);
            } finally {
                idle.push(raw);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("Bug! The real Postgres is in trouble", e);
        }
    }

    public boolean waitsFor(Waits what) {
        return inIdle(raw -> all(raw, what.question(), row -> row.getBoolean(1)).getFirst());
    }

    /** The server's side of a closed or broken connection: what was open is rolled back, its locks are free. */
    void giveBack(PostgresWire wire, Connection raw, boolean broken) {
        wires.remove(wire);
        try {
            if (!raw.getAutoCommit()) {
                raw.rollback();
                raw.setAutoCommit(true);
            }
            if (broken) {
                execute(raw, "SELECT pg_advisory_unlock_all()");
            }
            idle.push(raw);
        } catch (SQLException e) {
            throw new IllegalStateException("Bug! The real Postgres is in trouble", e);
        }
    }

    /** So that {@code now()} and its kin say the universe's time: see the schema {@code universe}. A file costs no round trip. */
    public void tellTime() throws SQLException {
        long now = Kernel.it().wall() + clockMicros;
        if (told != now) {
            told = now;
            try {
                clock().write(ByteBuffer.wrap(String.valueOf(now).getBytes(StandardCharsets.US_ASCII)), 0);
            } catch (IOException e) {
                throw new IllegalStateException("Postgres cannot be told the time: " + e.getMessage(), e);
            }
        }
    }

    /** All times of universes have 16 digits, so that each covers the one before. */
    private FileChannel clock() throws SQLException, IOException {
        if (clock == null) {
            Path file;
            try (var connection = open()) {
                file = all(connection, "SELECT current_setting('data_directory'), universe.clock_file()",
                        row -> Path.of(row.getString(1), row.getString(2))).getFirst();
            }
            clock = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        }
        return clock;
    }

    public void close() {
        Stream.concat(idle.stream(), Stream.of(outside, emptying).filter(Objects::nonNull)).forEach(raw -> {
            try {
                raw.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        try {
            if (clock != null) {
                clock.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
