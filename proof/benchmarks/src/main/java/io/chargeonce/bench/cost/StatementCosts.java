// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.cost;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Counts what each statement costs: processor time of the Postgres process that ran it, by Linux's own account, and the WAL that came
 * meanwhile. So that this WAL is the statement's, transactions run one after the other. Any thread.
 */
public final class StatementCosts implements AutoCloseable {

    /**
     * @param micros   of the Postgres process, in all
     * @param walBytes in all
     */
    public record Cost(String statement, long calls, double micros, long walBytes) {}

    private static final class Subtotal {
        private long calls;
        private long nanos;
        private long walBytes;
    }

    /** What a statement does to which tables: its name in the list. */
    private static final Pattern DEEDS = Pattern.compile("\\b(INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN)\\s+([a-z_]+)\\b(?!\\()");
    private static final Pattern PARTS = Pattern.compile("(\\w+)\\s*(?:\\([^()]*\\))?\\s+AS\\s+(?:MATERIALIZED\\s+)?\\(");
    private static final String WAL = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint";

    private final ReentrantLock oneTransaction = new ReentrantLock(true);
    private final Map<String, Subtotal> subtotals = new HashMap<>();
    private final Connection watch;
    private final PreparedStatement wal;

    /** @param watch a connection of the measurement's own, closed with it */
    public StatementCosts(Connection watch) throws SQLException {
        this.watch = watch;
        this.wal = watch.prepareStatement(WAL);
    }

    /** What is measured: a call of JDBC. */
    interface Call {
        Object run() throws Throwable;
    }

    /** Of one thread: from the first statement of a transaction to its end, no other transaction runs. */
    void enter() {
        if (!oneTransaction.isHeldByCurrentThread()) {
            oneTransaction.lock();
        }
    }

    void leave() {
        if (oneTransaction.isHeldByCurrentThread()) {
            oneTransaction.unlock();
        }
    }

    /** @param backend process id of the connection's Postgres process */
    Object measured(int backend, String sql, Call call) throws Throwable {
        long walBefore = walBytes();
        long before = nanos(backend);
        try {
            return call.run();
        } finally {
            Subtotal subtotal = subtotals.computeIfAbsent(sql, any -> new Subtotal());
            subtotal.calls++;
            subtotal.nanos += nanos(backend) - before;
            subtotal.walBytes += walBytes() - walBefore;
        }
    }

    public void restart() {
        enter();
        subtotals.clear();
        leave();
    }

    /** The dearest first. */
    public List<Cost> dearest() {
        enter();
        try {
            return subtotals.entrySet().stream()
                    .map(each -> new Cost(name(each.getKey()), each.getValue().calls, each.getValue().nanos / 1e3,
                            each.getValue().walBytes))
                    .sorted(Comparator.comparingDouble(Cost::micros).reversed()).toList();
        } finally {
            leave();
        }
    }

    static String name(String sql) {
        Set<String> parts = PARTS.matcher(sql).results().map(part -> part.group(1)).collect(Collectors.toSet());
        String deeds = DEEDS.matcher(sql).results().filter(deed -> !parts.contains(deed.group(2)))
                .map(deed -> (deed.group(1).matches("FROM|JOIN") ? "read" : deed.group(1).replaceAll(" .*", "").toLowerCase(Locale.ROOT))
                        + " " + deed.group(2))
                .distinct().collect(Collectors.joining(", "));
        return deeds.isEmpty() ? sql.strip().replaceAll("\\s+", " ").replaceAll("^(.{60}).*", "$1") : deeds;
    }

    private static long nanos(int backend) {
        try {
            String account = Files.readString(Path.of("/proc", Integer.toString(backend), "schedstat"));
            return Long.parseLong(account.substring(0, account.indexOf(' ')));
        } catch (IOException e) {
            throw new UncheckedIOException("bench cost needs Linux, and Postgres on this machine", e);
        }
    }

    private long walBytes() throws SQLException {
        try (var row = wal.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        watch.close();
    }
}
