// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.dlq;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.database.Sql;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** One purge or merge that is killed at half-way and begun again until it ends. For one thread. */
final class KilledChange implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(20);

    private final BenchOperator operator;
    private final int records;
    private final Connection watch;

    /** How fast letters moved while they did, and how long it took until the first one did, after the kill as well. */
    record Figures(double perSecond, double untilFirstMillis, double untilFirstAgainMillis) {}

    /** @param records how many outbox rows each letter's change stages */
    KilledChange(Ground.Plot plot, BenchOperator operator, int records) throws SQLException {
        this.operator = operator;
        this.records = records;
        this.watch = plot.connect();
    }

    Figures run(int letters, String... arguments) throws Exception {
        long base = staged();
        long started = System.nanoTime();
        Process first = operator.start(arguments);
        long from = awaitStaged(base + 1, first);
        long half = awaitStaged(base + (long) letters * records / 2, first);
        first.destroyForcibly().waitFor();
        long resumedAt = staged();

        long again = System.nanoTime();
        Process second = untilItMoves(resumedAt, again(arguments));
        long fromAgain = System.nanoTime();
        int code = second.waitFor();
        if (code != 0) {
            throw new IllegalStateException("what was begun again ended with " + code);
        }
        double seconds = (half - from + System.nanoTime() - fromAgain) / 1e9;
        return new Figures((staged() - base) / (double) records / seconds, (from - started) / 1e6, (fromAgain - again) / 1e6);
    }

    /** The run that was left. */
    private String[] again(String... arguments) throws SQLException {
        return new String[] {arguments[0], "--resume", text("SELECT run_id FROM dlq_run ORDER BY planned_at DESC LIMIT 1")};
    }

    /** A leader that was killed is forgotten only when its silence has lasted, so the first tries may be refused. */
    private Process untilItMoves(long resumedAt, String... arguments) throws IOException, SQLException {
        Process process = operator.start(arguments);
        while (staged() == resumedAt && (process.isAlive() || process.exitValue() != 0)) {
            if (!process.isAlive()) {
                process = operator.start(arguments);
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return process;
    }

    private long awaitStaged(long number, Process process) throws SQLException {
        while (staged() < number) {
            if (!process.isAlive()) {
                throw new IllegalStateException("the command ended with %d before half of it was done".formatted(process.exitValue()));
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return System.nanoTime();
    }

    /** Cheap at any size: every change stages its records, and their numbers only grow. */
    private long staged() throws SQLException {
        return Long.parseLong(text("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM outbox_outbox_id_seq"));
    }

    private String text(String sql) throws SQLException {
        return Sql.one(watch, sql, row -> row.getString(1));
    }

    @Override
    public void close() throws SQLException {
        watch.close();
    }
}
