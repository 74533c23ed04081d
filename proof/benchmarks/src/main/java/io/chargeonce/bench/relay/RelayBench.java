// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.relay;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Latencies;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.bench.measure.RoundSpread;
import io.chargeonce.database.Database;
import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.ledger.Staging;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A full outbox drained, beside raw reading and raw producing of the same rows; then one row each millisecond. For one thread. */
public final class RelayBench {

    private static final int ROWS = 60_000;
    private static final int ROWS_OF_ONE_TRANSACTION = 500;
    private static final int PACED_ROWS = 8_000;
    /** A minute's worth. */
    private static final int PACED_ROWS_BESIDE_AN_OPEN_TRANSACTION = 60_000;
    private static final Duration PACE = Duration.ofMillis(1);
    private static final String SOURCE = "/chargeonce";
    private static final Map<String, String> HEADERS = Map.of("ce_specversion", "1.0", "ce_type", "chargeonce.payment.outcome",
            "ce_id", "pay_aaaaaaaaaaaaaaaaaaaaaaaaaa/2/outcome", "ce_time", "2026-01-01T00:00:00Z");

    private RelayBench() {}

    public static Map<String, Object> run(int rounds, PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        var drained = new ArrayList<Double>();
        var beside = new ArrayList<Double>();
        var produced = new ArrayList<Double>();
        var read = new ArrayList<Double>();
        Latencies delay;
        Latencies delayBeside;
        try (var ground = new Ground()) {
            drain(ground, false);
            for (int i = 1; i <= rounds; i++) {
                drained.add(drain(ground, false));
                beside.add(drain(ground, true));
                produced.add(produce(ground));
                read.add(read(ground));
                story.printf("round %d  relay %s/s, beside an open transaction %s/s; raw produce %s/s, raw read %s/s%n", i,
                        RoundSpread.brief(drained.getLast()), RoundSpread.brief(beside.getLast()), RoundSpread.brief(produced.getLast()),
                        RoundSpread.brief(read.getLast()));
            }
            delay = delay(ground, PACED_ROWS, false);
            delayBeside = delay(ground, PACED_ROWS_BESIDE_AN_OPEN_TRANSACTION, true);
        }
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "relay");
        result.put("contestant", "chargeonce");
        result.put("rows_per_s", Math.round(RoundSpread.of(drained).median()));
        result.put("rows_per_s_beside_an_open_transaction", Math.round(RoundSpread.of(beside).median()));
        result.put("raw_produce_per_s", Math.round(RoundSpread.of(produced).median()));
        result.put("raw_read_per_s", Math.round(RoundSpread.of(read).median()));
        result.put("ratio", Math.round(100 * RoundSpread.of(drained).median()
                / Math.min(RoundSpread.of(produced).median(), RoundSpread.of(read).median())) / 100.0);
        result.put("p50_ms", delay.millisAt(50));
        result.put("p99_ms", delay.millisAt(99));
        result.put("p50_ms_beside_a_transaction_open_for_60_s", delayBeside.millisAt(50));
        result.put("p99_ms_beside_a_transaction_open_for_60_s", delayBeside.millisAt(99));
        result.put("rounds", drained.stream().map(Math::round).toList());
        result.put("machine", machine);
        return result;
    }

    private static OutboxRow row(Ground.Plot plot, int number) {
        return new OutboxRow(plot.topics().outcomes(), "pay-" + number, Optional.of(value(number)), HEADERS);
    }

    /** An outcome's text of about 330 bytes; its identifiers differ from row to row, so that it compresses as real ones do. */
    private static byte[] value(int number) {
        var random = new SplittableRandom(number);
        return """
                {"type":"payment.outcome","version":1,"payment_id":"pay_%016x%08x","outcome":"succeeded","amount":%d,"currency":"EUR",\
                "merchant":"acme","idempotency_key":"order-%016x-%016x","reference":"order-%d","psp":"stripe",\
                "psp_reference":"pi_%016x%08x","attempt":1,"generation":1,"settled_at":"2026-01-01T00:00:00.000000Z"}\
                """.formatted(random.nextLong(), random.nextInt(), random.nextInt(100, 100_000), random.nextLong(), random.nextLong(),
                number, random.nextLong(), random.nextInt()).getBytes(StandardCharsets.US_ASCII);
    }

    private static void fill(Ground.Plot plot, Database database) throws SQLException {
        for (int from = 0; from < ROWS; from += ROWS_OF_ONE_TRANSACTION) {
            var rows = new ArrayList<OutboxRow>();
            for (int i = from; i < from + ROWS_OF_ONE_TRANSACTION; i++) {
                rows.add(row(plot, i));
            }
            database.inTransaction(connection -> {
                Outbox.stage(connection, rows);
                return null;
            });
        }
        plot.settle();
    }

    private static Producer<byte[], byte[]> producer(Ground.Plot plot) {
        return new ProducerSettings(new KafkaConnection(plot.kafka(), Map.of()), "bench-relay").newProducer();
    }

    /** @param held whether a transaction with a row of its own stays open meanwhile, as a slow writer's would */
    private static double drain(Ground ground, boolean held) throws Exception {
        try (var plot = ground.newPlot(); var database = Database.open(plot.jdbcUrl(), "postgres", "", 4);
             var writer = plot.connect()) {
            writer.setAutoCommit(false);
            if (held) {
                Outbox.stage(writer, List.of(row(plot, -1)));
            }
            fill(plot, database);
            var meters = new SimpleMeterRegistry();
            var published = meters.counter("chargeonce.relay.published");
            long start = System.nanoTime();
            double rate;
            try (var relay = new OutboxRelay(database, Staging::request, () -> producer(plot), SOURCE, meters).start()) {
                await(published::count, ROWS);
                rate = ROWS * 1e9 / (System.nanoTime() - start);
                writer.commit();
                // The row of the late writer lies behind everything that is gone, and must not be passed over.
                await(published::count, held ? ROWS + 1 : ROWS);
            }
            return rate;
        }
    }

    private interface Count {
        double get();
    }

    private static void await(Count count, int target) {
        long giveUp = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (count.get() < target) {
            if (System.nanoTime() > giveUp) {
                throw new IllegalStateException("the relay published %.0f of %d rows in a minute".formatted(count.get(), target));
            }
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    private static double produce(Ground ground) throws Exception {
        try (var plot = ground.newPlot(); var producer = producer(plot)) {
            var values = IntStream.range(0, ROWS).mapToObj(RelayBench::value).toList();
            long start = System.nanoTime();
            for (int i = 0; i < ROWS; i++) {
                var record =
                        new ProducerRecord<>(plot.topics().outcomes(), ("pay-" + i).getBytes(StandardCharsets.US_ASCII), values.get(i));
                HEADERS.forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
                producer.send(record);
            }
            producer.flush();
            return ROWS * 1e9 / (System.nanoTime() - start);
        }
    }

    private static final String READ = """
            SELECT outbox_id, topic, record_key, value, headers, staged_at FROM outbox WHERE outbox_id > ? ORDER BY outbox_id LIMIT 1000
            """;

    private static double read(Ground ground) throws Exception {
        try (var plot = ground.newPlot(); var database = Database.open(plot.jdbcUrl(), "postgres", "", 4);
             var connection = plot.connect()) {
            fill(plot, database);
            long start = System.nanoTime();
            long last = 0;
            int rows = 0;
            while (rows < ROWS) {
                try (var statement = connection.prepareStatement(READ)) {
                    statement.setLong(1, last);
                    try (var result = statement.executeQuery()) {
                        while (result.next()) {
                            last = result.getLong(1);
                            result.getBytes(4);
                            result.getString(5);
                            rows++;
                        }
                    }
                }
            }
            return ROWS * 1e9 / (System.nanoTime() - start);
        }
    }

    /** From the commit of a row to its arrival at a consumer, the first quarter left out. The late writer's row must come too. */
    private static Latencies delay(Ground ground, int count, boolean held) throws Exception {
        try (var plot = ground.newPlot(); var database = Database.open(plot.jdbcUrl(), "postgres", "", 4);
             var relay = new OutboxRelay(database, Staging::request, () -> producer(plot), SOURCE, new SimpleMeterRegistry()).start();
             var writer = plot.connect();
             var late = plot.connect()) {
            late.setAutoCommit(false);
            if (held) {
                Outbox.stage(late, List.of(row(plot, count)));
            }
            var committedAt = new long[count];
            var sender = Thread.ofPlatform().start(() -> send(plot, writer, relay, committedAt, late));
            Map<Integer, Long> arrivals = arrivals(plot, held ? count + 1 : count);
            sender.join();
            var delays = new Latencies();
            for (int i = count / 4; i < count; i++) {
                delays.add(arrivals.get(i) - committedAt[i]);
            }
            return delays;
        }
    }

    private static void send(Ground.Plot plot, Connection writer, OutboxRelay relay, long[] committedAt, Connection late) {
        try {
            writer.setAutoCommit(false);
            long start = System.nanoTime();
            for (int i = 0; i < committedAt.length; i++) {
                LockSupport.parkNanos(Math.max(0, start + i * PACE.toNanos() - System.nanoTime()));
                Outbox.stage(writer, List.of(row(plot, i)));
                writer.commit();
                committedAt[i] = System.nanoTime();
                relay.nudge();
            }
            late.commit();
        } catch (SQLException e) {
            throw new IllegalStateException("the rows could not be staged", e);
        }
    }

    private static Map<Integer, Long> arrivals(Ground.Plot plot, int count) {
        var arrivals = new HashMap<Integer, Long>();
        try (var consumer =
                new KafkaConsumer<>(Map.of("bootstrap.servers", plot.kafka()), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partitions = new HashSet<TopicPartition>();
            for (int i = 0; i < Ground.PARTITIONS; i++) {
                partitions.add(new TopicPartition(plot.topics().outcomes(), i));
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (arrivals.size() < count) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    arrivals.putIfAbsent(Integer.parseInt(new String(record.key(), StandardCharsets.US_ASCII).substring(4)),
                            System.nanoTime());
                }
            }
        }
        return arrivals;
    }
}
