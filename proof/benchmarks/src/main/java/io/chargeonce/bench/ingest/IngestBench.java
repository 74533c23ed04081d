// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.ingest;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.chargeonce.bench.measure.CpuTime;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.bench.measure.RoundSpread;
import io.chargeonce.bench.measure.WarmUp;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.wire.PaymentJson;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/** The ingest service, a server with a commit a request, and the same rows without any server, in turn. For one thread. */
public final class IngestBench {

    private static final Duration WARM_UP = Duration.ofSeconds(2);
    private static final Duration MEASURED = Duration.ofSeconds(5);
    private static final Duration[] TIERS = {Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(10)};
    private static final int RAW_CONNECTIONS = 2;
    private static final int RAW_BATCH = 500;
    private static final List<String> CONTESTANTS = List.of("chargeonce", "one-commit", "raw-unnest");

    private final Ground ground;
    private final CpuTime cpu;
    private final int connections;
    private final int repeatedPercent;
    private final Map<String, List<HttpLoad.Outcome>> outcomes = new LinkedHashMap<>();
    private final Map<String, List<Double>> cpuMicros = new LinkedHashMap<>();
    private final Map<String, List<Double>> postgresMicros = new LinkedHashMap<>();
    private final List<String> faults = new ArrayList<>();

    private IngestBench(Ground ground, int connections, int repeatedPercent) throws SQLException {
        this.ground = ground;
        this.cpu = new CpuTime(ground.maintenanceUrl());
        this.connections = connections;
        this.repeatedPercent = repeatedPercent;
    }

    public static Map<String, Object> run(int connections, int repeatedPercent, int rounds, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        try (var ground = new Ground()) {
            var bench = new IngestBench(ground, connections, repeatedPercent);
            for (String name : CONTESTANTS) {
                double rate = WarmUp.until(1, rateBefore -> 1, turns -> bench.turn(name).acceptedPerSecond());
                story.printf("warm-up  %-12s %9s/s%n", name, RoundSpread.brief(rate));
            }
            bench.outcomes.clear();
            bench.cpuMicros.clear();
            bench.postgresMicros.clear();
            for (int i = 1; i <= rounds; i++) {
                var order = new ArrayList<>(CONTESTANTS);
                Collections.shuffle(order);
                for (String name : order) {
                    var outcome = bench.turn(name);
                    story.printf("round %d  %-12s %9s/s  p50 %.1f ms  p99 %.1f ms%n", i, name,
                            RoundSpread.brief(outcome.acceptedPerSecond()),
                            outcome.p50(), outcome.p99());
                }
            }
            return bench.result(machine);
        }
    }

    private HttpLoad.Outcome turn(String name) throws Exception {
        try (var plot = ground.newPlot()) {
            plot.addMerchant();
            plot.settle();
            CpuTime.Spent before = cpu.spent();
            HttpLoad.Outcome outcome = switch (name) {
                case "chargeonce" -> overOurs(plot);
                case "one-commit" -> overOneCommit(plot);
                default -> raw(plot);
            };
            // The warm-up counts on both sides: it is the same work.
            CpuTime.Spent spent = cpu.spent().since(before);
            double fresh = Math.max(1, outcome.fresh());
            cpuMicros.computeIfAbsent(name, unused -> new ArrayList<>()).add(spent.micros() / fresh);
            postgresMicros.computeIfAbsent(name, unused -> new ArrayList<>()).add(spent.postgresMicros() / fresh);
            outcomes.computeIfAbsent(name, unused -> new ArrayList<>()).add(outcome);
            check(plot, name, outcome);
            return outcome;
        }
    }

    private HttpLoad.Outcome overOurs(Ground.Plot plot) throws Exception {
        var settings = new IngestSettings(plot.pipeline(TIERS), new Address("127.0.0.1", 0), 16, Duration.ofHours(24));
        try (var meters = Meters.of("ingest-service"); var service = IngestService.start(settings, meters)) {
            return new HttpLoad(service.port(), connections, repeatedPercent).run(WARM_UP, MEASURED);
        }
    }

    private HttpLoad.Outcome overOneCommit(Ground.Plot plot) throws Exception {
        try (var server = OneCommitServer.start(plot)) {
            return new HttpLoad(server.port(), connections, repeatedPercent).run(WARM_UP, MEASURED);
        }
    }

    /** The limit: batches straight into the tables, without HTTP, relay or repeats. */
    private HttpLoad.Outcome raw(Ground.Plot plot) throws Exception {
        long from = System.nanoTime() + WARM_UP.toNanos();
        long to = from + MEASURED.toNanos();
        var counts = new int[RAW_CONNECTIONS][2];
        try (var writers = Executors.newFixedThreadPool(RAW_CONNECTIONS)) {
            for (int i = 0; i < RAW_CONNECTIONS; i++) {
                int writer = i;
                writers.submit(() -> {
                    write(plot, writer, from, to, counts[writer]);
                    return null;
                });
            }
        }
        int count = counts[0][0] + counts[1][0];
        return new HttpLoad.Outcome(count * 1e9 / MEASURED.toNanos(), 0, 0, counts[0][1] + counts[1][1], 0);
    }

    private static void write(Ground.Plot plot, int writer, long from, long to, int[] counts) throws SQLException {
        try (var connection = plot.connect()) {
            while (System.nanoTime() < to) {
                var batch = new ArrayList<IngestRows.Payment>();
                for (int i = 0; i < RAW_BATCH; i++) {
                    batch.add(IngestRows.Payment.of("writer-%d-%09d".formatted(writer, counts[1] + i)));
                }
                counts[1] += IngestRows.insert(connection, plot.topics().requests(), batch);
                long now = System.nanoTime();
                counts[0] += now >= from && now <= to ? RAW_BATCH : 0;
            }
        }
    }

    private static final String COUNT = "SELECT (SELECT count(*) FROM operation), (SELECT count(*) FROM idempotency_key)";

    /** Everything that was answered with 202 is there once, and nothing else is. */
    private void check(Ground.Plot plot, String name, HttpLoad.Outcome outcome) throws SQLException {
        try (var connection = plot.connect(); var statement = connection.createStatement(); var row = statement.executeQuery(COUNT)) {
            row.next();
            if (row.getLong(1) != outcome.fresh() || row.getLong(2) != outcome.fresh() || outcome.refused() > 0) {
                faults.add("%s: %d accepted, %d operations, %d keys, %d refused".formatted(name, outcome.fresh(), row.getLong(1),
                        row.getLong(2), outcome.refused()));
            }
        }
    }

    private Map<String, Object> result(Map<String, Object> machine) {
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "ingest");
        result.put("contestant", "chargeonce");
        result.put("connections", connections);
        result.put("repeated_percent", repeatedPercent);
        result.putAll(figures("chargeonce"));
        var against = new LinkedHashMap<String, Object>();
        CONTESTANTS.stream().skip(1).forEach(other -> {
            var figures = figures(other);
            figures.put("ratio", round2(ratio(other).median()));
            figures.put("ratio_min", round2(ratio(other).min()));
            figures.put("ratio_max", round2(ratio(other).max()));
            against.put(other, figures);
        });
        result.put("against", against);
        result.put("balanced", faults.isEmpty());
        result.put("faults", faults);
        result.put("machine", machine);
        return result;
    }

    private RoundSpread ratio(String other) {
        var ratios = new ArrayList<Double>();
        for (int i = 0; i < outcomes.get(other).size(); i++) {
            ratios.add(outcomes.get("chargeonce").get(i).acceptedPerSecond() / outcomes.get(other).get(i).acceptedPerSecond());
        }
        return RoundSpread.of(ratios);
    }

    private Map<String, Object> figures(String name) {
        var figures = new LinkedHashMap<String, Object>();
        RoundSpread rate = RoundSpread.of(outcomes.get(name).stream().map(HttpLoad.Outcome::acceptedPerSecond).toList());
        figures.put("payments_per_s", Math.round(rate.median()));
        figures.put("payments_per_s_min", Math.round(rate.min()));
        figures.put("payments_per_s_max", Math.round(rate.max()));
        figures.put("p50_ms", round2(RoundSpread.of(outcomes.get(name).stream().map(HttpLoad.Outcome::p50).toList()).median()));
        figures.put("p99_ms", round2(RoundSpread.of(outcomes.get(name).stream().map(HttpLoad.Outcome::p99).toList()).median()));
        figures.put("cpu_us_per_payment", Math.round(RoundSpread.of(cpuMicros.get(name)).median()));
        figures.put("postgres_us_per_payment", Math.round(RoundSpread.of(postgresMicros.get(name)).median()));
        figures.put("rounds", outcomes.get(name).stream().map(each -> Math.round(each.acceptedPerSecond())).toList());
        return figures;
    }

    private static double round2(double value) {
        return Math.round(value * 100) / 100.0;
    }

    /** The usual server: each request one transaction of its own, on the same HTTP server, with the same rows. */
    private static final class OneCommitServer implements AutoCloseable {

        private static final int CONNECTIONS = 32;

        private final HikariDataSource pool;
        private final String topic;
        private final WebServer server;

        private OneCommitServer(Ground.Plot plot) {
            var config = new HikariConfig();
            config.setJdbcUrl(plot.jdbcUrl());
            config.setSchema("chargeonce");
            config.setMaximumPoolSize(CONNECTIONS);
            this.pool = new HikariDataSource(config);
            this.topic = plot.topics().requests();
            this.server =
                    WebServer.builder().host("127.0.0.1").port(0).routing(routes -> routes.post("/v1/payments", this::accept)).build()
                            .start();
        }

        static OneCommitServer start(Ground.Plot plot) {
            return new OneCommitServer(plot);
        }

        int port() {
            return server.port();
        }

        private void accept(ServerRequest request, ServerResponse response) throws SQLException {
            PaymentJson.MAPPER.readTree(request.content().as(byte[].class));
            var payment = IngestRows.Payment.of(request.headers().get(HeaderNames.create("Idempotency-Key")).get());
            // One statement, so one round trip and one commit.
            try (var connection = pool.getConnection()) {
                IngestRows.insert(connection, topic, List.of(payment));
            }
            response.status(Status.ACCEPTED_202).send(payment.answer());
        }

        @Override
        public void close() {
            server.stop();
            pool.close();
        }
    }
}
