// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** One process's connection to Postgres, which may break at a COMMIT: before it, or after it and before the answer. */
final class PostgresWire implements InvocationHandler {

    private static final Duration SHORTEST_IDLE = Duration.ofSeconds(31);
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(45);
    private static final Duration LATEST = Duration.ofMillis(300);

    /** Whether a statement asks for no time: then it need not be told. */
    private static final Map<String, Boolean> TIMELESS = new HashMap<>();

    /** How a claim begins, and a decision about an answer. */
    private static final String LOCKS_OPERATIONS = "ORDER BY operation_id FOR UPDATE OF operation_state";

    private final SimulatedPostgres postgres;
    private final Connection raw;
    private Runnable onClose = () -> {};
    private boolean closed;
    private boolean cut;
    private final Set<Integer> stagedTo = new HashSet<>();
    /** Whether it is a relay's, which counts among them as long as it holds. */
    private boolean relay;
    private boolean looks;
    private boolean locks;
    /** Whether the transaction has gone further than its beginning. */
    private boolean begun;

    PostgresWire(SimulatedPostgres postgres, Connection raw) {
        this.postgres = postgres;
        this.raw = raw;
    }

    Connection connection() {
        return (Connection) Proxy.newProxyInstance(PostgresWire.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    void onClose(Runnable action) {
        onClose = action;
    }

    boolean isClosed() {
        return closed;
    }

    /** Nothing more comes through, and the server notices. */
    void cut() {
        if (!closed && !cut) {
            cut = true;
            postgres.giveBack(this, raw, true);
            relayChanged();
        }
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "close" -> close();
            case "isClosed" -> closed || cut;
            case "commit" -> commit();
            case "rollback" -> rollback(method, arguments);
            case "prepareStatement", "createStatement" -> statement(method, arguments);
            case "createArrayOf" -> array(method, arguments);
            default -> pass(method, arguments);
        };
    }

    private Object close() {
        if (!closed) {
            closed = true;
            if (!cut) {
                postgres.giveBack(this, raw, Kernel.it().isKilled());
                relayChanged();
            }
            onClose.run();
        }
        return null;
    }

    private void relayChanged() {
        if (relay) {
            postgres.stagings().relaysChanged();
        }
    }

    private Object array(Method method, Object[] arguments) throws Throwable {
        if (looks && arguments[0].equals("int4")) {
            Stagings.looksInto(Kernel.it().host().seen, (Object[]) arguments[1]);
        }
        return pass(method, arguments);
    }

    private Object rollback(Method method, Object[] arguments) throws Throwable {
        stagedTo.clear();
        locks = false;
        begun = false;
        return pass(method, arguments);
    }

    private Object statement(Method method, Object[] arguments) throws Throwable {
        requireWhole();
        if (raw.getAutoCommit()) {
            Kernel.it().point("before a statement");
            requireWhole();
        }
        String sql = arguments == null ? "" : String.valueOf(arguments[0]);
        if (!begun && !raw.getAutoCommit() && sql.contains(LOCKS_OPERATIONS)) {
            postgres.hang();
            requireWhole();
        }
        if (begun && !raw.getAutoCommit() && Kernel.it().host() != Kernel.it().world() && Kernel.it().chance(postgres.faults().idle())) {
            idle();
        }
        begun = !raw.getAutoCommit();
        locks = locks || sql.contains("FOR UPDATE") || sql.contains("lock_") || sql.contains("detach_");
        watchRelay(sql);
        if (TIMELESS.computeIfAbsent(sql, PostgresWire::isTimeless)) {
            return pass(method, arguments);
        }
        postgres.tellTime();
        Object statement = pass(method, arguments);
        return sql.startsWith("INSERT INTO outbox") ? Stagings.heard((PreparedStatement) statement, stagedTo) : statement;
    }

    private void watchRelay(String sql) {
        Stagings stagings = postgres.stagings();
        looks = sql.contains("AS MATERIALIZED") && sql.contains("FROM outbox_to_relay AS staged");
        if (looks) {
            stagings.looks(Kernel.it().host().seen);
        } else if (!relay && sql.contains("pg_try_advisory_lock")) {
            relay = true;
            stagings.relaysChanged();
        } else if (relay && sql.startsWith("SELECT count(*) FROM (SELECT objid")) {
            stagings.counts(Kernel.it().host().seen);
        } else if (relay && (sql.startsWith("UPDATE relay_shard SET mark = 0") || sql.contains("pg_advisory_unlock"))) {
            stagings.relaysChanged();
        }
    }

    /** The process stands still until Postgres has ended its session, and hears of that when it goes on. */
    private void idle() throws SQLException {
        Kernel kernel = Kernel.it();
        Duration time = kernel.between(SHORTEST_IDLE, LONGEST_IDLE);
        kernel.tell("frozen within a transaction", kernel.host().name + " frozen within a transaction for " + time.toMillis() + " ms");
        cut();
        kernel.host().freeze(kernel.now(), kernel.after(time));
        kernel.await(SimulatedThread.AT_ONCE, SimulatedThread.NEVER);
        throw new SQLException("FATAL: terminating connection due to idle-in-transaction timeout", "25P03");
    }

    private static boolean isTimeless(String sql) {
        return !sql.isEmpty() && !sql.contains("now()") && !sql.contains("_timestamp()") && !sql.contains("forget_")
                && !sql.contains("reap_")
                && !sql.contains("take_back_") && !sql.contains("append_") && !sql.contains("list_")
                && !sql.contains("merchants_of") && !sql.contains("erase_") && !sql.contains("stage_") && !sql.contains("disable_")
                && !sql.contains("end_webhooks_") && !sql.contains("receipt_to_send") && !sql.contains("_webhook")
                && !sql.contains("_payment_method(")
                && !sql.contains("INSERT") && !sql.contains("UPDATE ");
    }

    private Object commit() throws SQLException {
        requireWhole();
        Kernel kernel = Kernel.it();
        // No other session may have to wait for its locks: that would stop the thread that has the turn.
        if (kernel.host().name.startsWith("ingest") && !locks && kernel.chance(postgres.faults().late())) {
            kernel.sleep(kernel.between(Duration.ZERO, LATEST));
            requireWhole();
        }
        if (kernel.chance(postgres.faults().lostBefore())) {
            kernel.mishap("connection lost before the COMMIT");
            cut();
            throw lost();
        }
        raw.commit();
        locks = false;
        begun = false;
        if (!stagedTo.isEmpty()) {
            postgres.stagings().committed(stagedTo);
            stagedTo.clear();
        }
        if (kernel.chance(postgres.faults().lostAfter())) {
            kernel.mishap("answer to the COMMIT lost");
            cut();
            throw lost();
        }
        kernel.point("after a COMMIT");
        return null;
    }

    private Object pass(Method method, Object[] arguments) throws Throwable {
        requireWhole();
        try {
            return method.invoke(raw, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void requireWhole() throws SQLException {
        if (Kernel.it().isKilled()) {
            throw new Killed();
        }
        if (cut) {
            throw lost();
        }
    }

    private static SQLException lost() {
        return new SQLException("the simulated connection broke", "08006");
    }
}
