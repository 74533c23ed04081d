// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Arena;
import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.bench.contestant.StubPsp;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.sandbox.KafkaBroker;
import io.chargeonce.sandbox.PostgresServer;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A steady load, and one fault each: how long after its end are outcomes published as fast again as payments come in? The
 * engine runs in two processes, of which one may be killed. For one thread.
 */
public final class RecoveryBench {

    private static final Duration PSP_LATENCY = Duration.ofMillis(20);
    private static final double PER_SECOND = 400;
    private static final Duration BEFORE = Duration.ofSeconds(12);
    private static final Duration AFTER = Duration.ofSeconds(15);
    /** The services': so long a silent member keeps its partitions. */
    private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofMillis(50);
    private static final double AS_GOOD_AS_ALL = 0.95;

    private final Path folder;
    private KafkaBroker broker;
    private final PostgresServer postgres;
    private Process toBeKilled;

    /** What happens to the running pipeline. It returns when the fault is over. */
    private interface Fault {
        void strike() throws Exception;
    }

    /** @param folder the next sandbox that starts clears it away, by its name */
    private RecoveryBench(Path folder) {
        this.folder = folder;
        this.broker = KafkaBroker.start(folder, 0);
        this.postgres = PostgresServer.startTemporary();
    }

    public static Map<String, Object> run(PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var bench = new RecoveryBench(Files.createTempDirectory("chargeonce-kafka-"));
        var cells = new LinkedHashMap<String, Object>();
        try {
            cells.put("postgres_restart", bench.cell(() -> bench.postgres.restart(PostgresServer.Stop.FAST), AFTER));
            story.println("postgres restarted: " + cells.get("postgres_restart"));
            cells.put("postgres_crash", bench.cell(() -> bench.postgres.restart(PostgresServer.Stop.IMMEDIATE), AFTER));
            story.println("postgres stopped at once and started: " + cells.get("postgres_crash"));
            cells.put("backends_killed", bench.cell(bench::killBackends, AFTER));
            story.println("five backends a second killed: " + cells.get("backends_killed"));
            cells.put("broker_restart", bench.cell(bench::restartBroker, AFTER.multipliedBy(2)));
            story.println("broker restarted: " + cells.get("broker_restart"));
            cells.put("consumer_killed", bench.cell(() -> bench.toBeKilled.destroyForcibly().waitFor(), SESSION_TIMEOUT.plus(AFTER)));
            story.println("one of two consumers killed: " + cells.get("consumer_killed"));
        } finally {
            bench.broker.close();
            bench.postgres.close();
        }
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "recovery");
        result.put("contestant", "chargeonce");
        result.put("payments_per_s", PER_SECOND);
        result.put("session_timeout_s", SESSION_TIMEOUT.toSeconds());
        result.put("cells", cells);
        result.put("balanced", cells.values().stream().allMatch(cell -> ((Map<?, ?>) cell).get("all_settled").equals(true)));
        result.put("machine", machine);
        return result;
    }

    private Map<String, Object> cell(Fault fault, Duration after) throws Exception {
        try (var ground = new Ground(broker.bootstrapServers(), postgres::newDatabase, postgres::jdbcUrl); var plot = ground.newPlot()) {
            int count = (int) (PER_SECOND * (BEFORE.plus(after).plusSeconds(5)).toMillis() / 1000);
            var payments = new Payments(count);
            payments.accept(plot);
            plot.settle();
            var arena = new Arena(plot, new StubPsp(PSP_LATENCY, 0));
            toBeKilled = Member.start(plot.pipeline(Chargeonce.TIERS), PSP_LATENCY);
            Process stays = Member.start(plot.pipeline(Chargeonce.TIERS), PSP_LATENCY);
            try (var reader = new OutcomeReader(arena, payments); var producer = Payments.newProducer(plot)) {
                long start = System.nanoTime() + Duration.ofSeconds(5).toNanos();
                var sender = Thread.ofPlatform().start(() -> Round.send(payments, arena, producer, start, PER_SECOND, 0));
                var over = new long[1];
                var striker = Thread.ofPlatform().start(() -> {
                    LockSupport.parkNanos(start + BEFORE.toNanos() - System.nanoTime());
                    over[0] = strike(fault);
                });
                // What a killed member had claimed is taken up again when its lease has ended.
                boolean all = reader.readUntil(count, Chargeonce.LEASE.plus(OutcomeReader.PATIENCE));
                sender.join();
                striker.join();
                return figures(reader, payments, over[0], all);
            } finally {
                toBeKilled.destroyForcibly().waitFor();
                stays.destroyForcibly().waitFor();
            }
        }
    }

    private static long strike(Fault fault) {
        try {
            fault.strike();
            return System.nanoTime();
        } catch (Exception e) {
            throw new IllegalStateException("the fault could not be made", e);
        }
    }

    private static Map<String, Object> figures(OutcomeReader reader, Payments payments, long over, boolean all) {
        long[] arrivals = IntStream.range(0, payments.count()).mapToLong(reader::arrivedAt).filter(at -> at > over).sorted().toArray();
        var figures = new LinkedHashMap<String, Object>();
        OptionalLong recovered = recoveredAfter(arrivals, over);
        figures.put("recovers", recovered.isPresent());
        recovered.ifPresent(millis -> figures.put("recovered_after_ms", millis));
        figures.put("all_settled", all);
        figures.put("missing", payments.count() - reader.settled());
        return figures;
    }

    /** The beginning of the first second after the fault in which nearly as many outcomes arrive as payments are sent. */
    private static OptionalLong recoveredAfter(long[] arrivals, long over) {
        for (long from = over; arrivals.length > 0 && from < arrivals[arrivals.length - 1]; from += STEP.toNanos()) {
            if (before(arrivals, from + WINDOW.toNanos()) - before(arrivals, from) >= AS_GOOD_AS_ALL * PER_SECOND * WINDOW.toSeconds()) {
                return OptionalLong.of((from - over) / 1_000_000);
            }
        }
        return OptionalLong.empty();
    }

    private static int before(long[] sorted, long time) {
        int found = Arrays.binarySearch(sorted, time);
        return found >= 0 ? found : -found - 1;
    }

    private void killBackends() throws SQLException {
        try (var connection = DriverManager.getConnection(postgres.jdbcUrl("postgres")); var statement = connection.createStatement()) {
            for (int i = 0; i < 15; i++) {
                statement.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'chargeonce' ORDER BY random() "
                                + "LIMIT 1");
                LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            }
        }
    }

    private void restartBroker() {
        int port = broker.port();
        broker.close();
        broker = KafkaBroker.start(folder, port);
    }
}
