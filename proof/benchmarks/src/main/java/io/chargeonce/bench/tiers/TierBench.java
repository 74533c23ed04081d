// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.tiers;

import io.chargeonce.bench.contestant.SpringTier;
import io.chargeonce.bench.measure.CpuTime;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Latencies;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Lateness of a tier at several rates, beside Spring's retry topic, and the CPU that many waiting records take. The handler
 * does nothing. For one thread.
 */
public final class TierBench {

    private static final Duration DELAY = SpringTier.DELAY;
    private static final Duration SENDING = Duration.ofSeconds(8);
    private static final List<Integer> RATES = List.of(100, 1_000, 5_000);
    /** What Spring can't keep up with says nothing about how late it is. */
    private static final List<Integer> SPRINGS_RATES = List.of(100, 1_000);
    private static final int WAITING = 100_000;
    private static final Duration WATCHED = Duration.ofSeconds(10);
    private static final byte[] VALUE = new byte[330];

    private TierBench() {}

    public static Map<String, Object> run(PrintWriter story) throws Exception {
        var machine = Machine.fingerprint();
        try (var ground = new Ground()) {
            List<Map<String, Object>> rates = lateness(ground, OURS, RATES, story);
            List<Map<String, Object>> springs = lateness(ground, SPRINGS, SPRINGS_RATES, story);
            double cpu = waiting(ground);
            story.printf("%,d waiting: %.1f %% of a core%n", WAITING, cpu);
            var result = new LinkedHashMap<String, Object>();
            result.put("bench", "tiers");
            result.put("contestant", "chargeonce");
            result.put("delay_ms", DELAY.toMillis());
            result.put("rates", rates);
            result.put("against", Map.of("spring", Map.of("rates", springs)));
            result.put("waiting", WAITING);
            result.put("waiting_cpu_percent_of_a_core", cpu);
            result.put("early", rates.stream().mapToInt(rate -> (int) rate.get("early")).sum());
            result.put("machine", machine);
            return result;
        }
    }

    /** What the handler saw: lateness behind the moment at which the record was due. */
    private static final class Watch {
        private final Latencies lateness = new Latencies();
        private final Duration delay;
        private int early;

        Watch(Duration delay) {
            this.delay = delay;
        }

        Verdict handle(ConsumerRecord<byte[], byte[]> record) {
            add(Duration.between(Instant.ofEpochMilli(record.timestamp()).plus(delay), Instant.now()));
            return Verdict.done();
        }

        synchronized void add(Duration late) {
            early += late.isNegative() ? 1 : 0;
            lateness.add(late.toNanos());
        }

        synchronized int seen() {
            return lateness.size();
        }
    }

    /** Whose tier it is: where records come in, and what takes them. */
    private record Contender(String name, Function<Topics, String> topic, BiFunction<Ground.Plot, Watch, AutoCloseable> start) {}

    private static final Contender OURS = new Contender("chargeonce", topics -> topics.retry(1), (plot, watch) -> loop(plot, DELAY, watch));
    private static final Contender SPRINGS = new Contender("spring", Topics::requests, (plot, watch) -> SpringTier.start(plot, watch::add));

    private static RecordLoop loop(Ground.Plot plot, Duration delay, Watch watch) {
        String topic = plot.topics().retry(1);
        var consumers = new ConsumerSettings(new KafkaConnection(plot.kafka(), Map.of()), topic + ".workers", GroupProtocol.CLASSIC);
        return new RecordLoop(LoopSettings.of(topic, Set.of(topic), 2_000), consumers, DueTimes.afterAppend(delay),
                watch::handle, InstantSource.system(), new SimpleMeterRegistry()).start();
    }

    /** Once before it counts, to warm up. */
    private static List<Map<String, Object>> lateness(Ground ground, Contender contender, List<Integer> rates, PrintWriter story)
            throws Exception {
        lateness(ground, contender, 1_000);
        var figures = new ArrayList<Map<String, Object>>();
        for (int rate : rates) {
            figures.add(lateness(ground, contender, rate));
            story.println(contender.name + " " + figures.getLast());
        }
        return figures;
    }

    private static Map<String, Object> lateness(Ground ground, Contender contender, int perSecond) throws Exception {
        int count = (int) (perSecond * SENDING.toSeconds());
        var watch = new Watch(DELAY);
        try (var plot = ground.newPlot(); var producer = producer(plot); AutoCloseable running = contender.start.apply(plot, watch)) {
            String topic = contender.topic.apply(plot.topics());
            long start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                LockSupport.parkNanos(Math.max(0, start + (long) (i * 1e9 / perSecond) - System.nanoTime()));
                producer.send(record(topic, i));
            }
            producer.flush();
            long giveUp = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (watch.seen() < count && System.nanoTime() < giveUp) {
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
        var figures = new LinkedHashMap<String, Object>();
        figures.put("due_per_s", perSecond);
        figures.put("p50_ms", watch.lateness.millisAt(50));
        figures.put("p99_ms", watch.lateness.millisAt(99));
        figures.put("max_ms", watch.lateness.millisAt(100));
        figures.put("early", watch.early);
        figures.put("lost", count - watch.seen());
        return figures;
    }

    /** CPU of the whole process, broker included, beyond what it takes with the same loop over an empty topic. */
    private static double waiting(Ground ground) throws Exception {
        var cpu = new CpuTime(ground.maintenanceUrl());
        double idle = watchCpu(ground, cpu, 0);
        return Math.max(0, Math.round((watchCpu(ground, cpu, WAITING) - idle) * 10) / 10.0);
    }

    private static double watchCpu(Ground ground, CpuTime cpu, int count) throws Exception {
        try (var plot = ground.newPlot(); var producer = producer(plot)) {
            for (int i = 0; i < count; i++) {
                producer.send(record(plot.topics().retry(1), i));
            }
            producer.flush();
            System.gc();
            try (var loop = loop(plot, Duration.ofHours(1), new Watch(Duration.ofHours(1)))) {
                LockSupport.parkNanos(Duration.ofSeconds(5).toNanos());
                long before = cpu.jvmMicros();
                LockSupport.parkNanos(WATCHED.toNanos());
                return (cpu.jvmMicros() - before) / 1e4 / WATCHED.toSeconds();
            }
        }
    }

    private static Producer<byte[], byte[]> producer(Ground.Plot plot) {
        return new ProducerSettings(new KafkaConnection(plot.kafka(), Map.of()), "bench-load").newProducer();
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, int number) {
        return new ProducerRecord<>(topic, ("pay-" + number).getBytes(java.nio.charset.StandardCharsets.US_ASCII), VALUE);
    }
}
