// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Latencies;
import io.chargeonce.bench.measure.Machine;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.tracing.Tracing;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Ten merchants send at the same pace; then one of them makes noise. What counts is the delay of the other nine, from when a payment
 * was to be sent, to its acceptance over HTTP and to its published outcome. All on this machine, the senders too. For one thread.
 */
public final class FairnessBench {

    /** Few, so that the slow PSP's payments can fill them within seconds. */
    private static final int IN_FLIGHT = 200;
    private static final Duration PSP = Duration.ofMillis(20);
    private static final Duration SLOW_PSP = Duration.ofMillis(1_500);
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    /** A cold JVM needs that long before its delays are the pipeline's. */
    private static final Duration FIRST_WARM_UP = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final double GOAL = 2;

    /** What the tenth merchant does. */
    private enum Noise { FLOOD, POISON, SLOW_PSP }

    private record Delays(Latencies acceptance, Latencies outcome, int refused, int refusedNoise, int missing) {}

    private record Round(Delays quiet, Delays noisy) {

        boolean isBalanced() {
            return quiet.refused + noisy.refused + quiet.missing + noisy.missing == 0;
        }
    }

    private final int share;
    private final int times;
    private final Duration time;
    private final Map<String, Long> noise = Crowd.newAwaited();
    private volatile boolean slow;

    private FairnessBench(int share, int times, Duration time) {
        this.share = share;
        this.times = times;
        this.time = time;
    }

    /** @param rounds how often each noise is played; a figure is the median of its rounds, for a single pause decides a p99 */
    public static Map<String, Object> run(int share, int times, int seconds, int rounds, PrintWriter story) throws Exception {
        var result = new LinkedHashMap<String, Object>();
        result.put("bench", "fairness");
        result.put("share_per_s", share);
        result.put("times", times);
        result.put("rounds", rounds);
        var machine = Machine.fingerprint();
        var played = new EnumMap<Noise, List<Round>>(Noise.class);
        try (var ground = new Ground()) {
            Duration warmUp = FIRST_WARM_UP;
            for (int i = 0; i < rounds; i++) {
                for (Noise noise : Noise.values()) {
                    Round round = new FairnessBench(share, times, Duration.ofSeconds(seconds)).play(ground, noise, warmUp);
                    warmUp = WARM_UP;
                    played.computeIfAbsent(noise, first -> new ArrayList<>()).add(round);
                    story.printf("%-9s %s%n", name(noise), figures(List.of(round)));
                }
            }
        }
        played.forEach((noise, its) -> result.put(name(noise), figures(its)));
        result.put("balanced", played.values().stream().flatMap(List::stream).allMatch(Round::isBalanced));
        machine.put("load_after", Machine.fingerprint().get("load_before"));
        result.put("machine", machine);
        return result;
    }

    private static String name(Noise noise) {
        return noise.name().toLowerCase(Locale.ROOT);
    }

    private Round play(Ground ground, Noise noise, Duration warmUp) throws Exception {
        try (var plot = ground.newPlot(); var meters = Meters.of("ingest-service")) {
            createMerchants(plot);
            plot.settle();
            var ingest = IngestService.start(new IngestSettings(plot.pipeline(Chargeonce.TIERS), new Address("127.0.0.1", 0), 16,
                    Duration.ofHours(24)), meters, Tracing.off());
            try (ingest; var charging = Chargeonce.start(plot.pipeline(Chargeonce.TIERS), this::charge, IN_FLIGHT)) {
                phase(plot, ingest.port(), "warm", share * times, warmUp);
                Delays quiet = phase(plot, ingest.port(), "quiet", share, time);
                slow = noise == Noise.SLOW_PSP;
                Thread poison = Thread.ofPlatform().unstarted(() -> sendPoison(plot));
                if (noise == Noise.POISON) {
                    poison.start();
                }
                Delays noisy = phase(plot, ingest.port(), "noisy", noise == Noise.POISON ? 0 : share * times, time);
                poison.interrupt();
                poison.join();
                slow = false;
                return new Round(quiet, noisy);
            }
        }
    }

    /** While its PSP is slow, only the noisy merchant's payments take longer. */
    private String charge(String key, String payment) {
        LockSupport.parkNanos(slow && noise.containsKey(payment) ? SLOW_PSP.toNanos() : PSP.toNanos());
        return "ref_" + key;
    }

    private static final String MERCHANT = """
            INSERT INTO merchant (merchant_id) VALUES ('%1$s');
            INSERT INTO merchant_token (token_sha256, merchant_id) VALUES (sha256('%2$s'), '%1$s')
            """;

    private static void createMerchants(Ground.Plot plot) throws SQLException {
        for (int i = 0; i < Crowd.MERCHANTS; i++) {
            plot.execute(MERCHANT.formatted(Crowd.merchant(i), Crowd.token(i)));
        }
    }

    /** What is on the topic and is no payment at all, as fast as the noisy merchant's payments would come. */
    private void sendPoison(Ground.Plot plot) {
        try (var producer = Payments.newProducer(plot)) {
            long start = System.nanoTime();
            for (int i = 0; i < share * times * time.toSeconds() && !Thread.currentThread().isInterrupted(); i++) {
                LockSupport.parkNanos(start + (long) (i * 1e9 / (share * times)) - System.nanoTime());
                producer.send(new ProducerRecord<>(plot.topics().requests(), ("poison-" + i).getBytes(StandardCharsets.US_ASCII),
                        "no payment".getBytes(StandardCharsets.US_ASCII)));
            }
        }
    }

    /** @param paceOfNoisy in payments a second */
    private Delays phase(Ground.Plot plot, int port, String name, int paceOfNoisy, Duration howLong) throws InterruptedException {
        Map<String, Long> awaited = Crowd.newAwaited();
        var crowd = new Crowd(port, name, awaited, noise);
        var outcomes = new Latencies();
        try (var reader = new Outcomes(plot)) {
            Thread sending = Thread.ofPlatform().start(() -> {
                try {
                    crowd.send(merchant -> merchant == Crowd.NOISY ? paceOfNoisy : share, howLong);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            long giveUp = System.nanoTime() + howLong.plus(PATIENCE).toNanos();
            while ((sending.isAlive() || !awaited.isEmpty()) && System.nanoTime() < giveUp) {
                reader.poll(awaited, outcomes);
            }
            sending.join();
        }
        return new Delays(crowd.accepted(), outcomes, crowd.refused(), crowd.refusedNoise(), awaited.size());
    }

    /** The outcomes from now on. For one thread. */
    private static final class Outcomes implements AutoCloseable {
        private final KafkaConsumer<byte[], byte[]> consumer;

        Outcomes(Ground.Plot plot) {
            consumer = new KafkaConsumer<>(Map.of("bootstrap.servers", plot.kafka(), "max.poll.records", "10000"),
                    new ByteArrayDeserializer(), new ByteArrayDeserializer());
            List<TopicPartition> partitions = consumer.partitionsFor(plot.topics().outcomes()).stream()
                    .map(info -> new TopicPartition(info.topic(), info.partition())).toList();
            consumer.assign(partitions);
            consumer.seekToEnd(partitions);
            partitions.forEach(consumer::position);
        }

        void poll(Map<String, Long> awaited, Latencies delays) {
            var records = consumer.poll(Duration.ofMillis(5));
            long now = System.nanoTime();
            for (ConsumerRecord<byte[], byte[]> record : records) {
                Long due = awaited.remove(new String(record.key(), StandardCharsets.US_ASCII));
                if (due != null) {
                    delays.add(now - due);
                }
            }
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    private static Map<String, Object> figures(List<Round> rounds) {
        var figures = new LinkedHashMap<String, Object>();
        put(figures, "acceptance", Delays::acceptance, rounds);
        put(figures, "outcome", Delays::outcome, rounds);
        figures.put("refused", rounds.stream().mapToInt(round -> round.quiet.refused + round.noisy.refused).sum());
        figures.put("missing", rounds.stream().mapToInt(round -> round.quiet.missing + round.noisy.missing).sum());
        figures.put("refused_noise", rounds.stream().mapToInt(round -> round.noisy.refusedNoise).sum());
        return figures;
    }

    private static void put(Map<String, Object> figures, String what, Function<Delays, Latencies> of, List<Round> rounds) {
        figures.put(what + "_p50_ms_quiet", median(rounds, round -> of.apply(round.quiet).millisAt(50)));
        figures.put(what + "_p50_ms_noisy", median(rounds, round -> of.apply(round.noisy).millisAt(50)));
        figures.put(what + "_p99_ms_quiet", median(rounds, round -> of.apply(round.quiet).millisAt(99)));
        figures.put(what + "_p99_ms_noisy", median(rounds, round -> of.apply(round.noisy).millisAt(99)));
        double times = median(rounds, round -> of.apply(round.noisy).millisAt(99) / of.apply(round.quiet).millisAt(99));
        figures.put(what + "_times", times);
        figures.put(what + "_met", times <= GOAL);
    }

    /** Of an even number the upper one. */
    private static double median(List<Round> rounds, ToDoubleFunction<Round> of) {
        return round1(rounds.stream().mapToDouble(of).sorted().skip(rounds.size() / 2).findFirst().orElseThrow());
    }

    private static double round1(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
