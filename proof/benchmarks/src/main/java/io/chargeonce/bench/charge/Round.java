// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Arena;
import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.bench.contestant.Contestant;
import io.chargeonce.bench.contestant.StubPsp;
import io.chargeonce.bench.measure.CpuTime;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.bench.measure.Latencies;
import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.Checker;
import io.chargeonce.checker.evidence.CheckEvidence;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** One contestant's turn: on fresh ground, with the books checked at its end. For one thread. */
final class Round {

    /** The start (joining the group, first batches) and the tail are left out: they weigh only because a run is short. */
    private static final double FROM = 0.15;
    private static final double TO = 0.95;
    private static final byte[] NO_JSON = "{\"type\":\"payment.request\",".getBytes(StandardCharsets.US_ASCII);

    /** @param fault what is wrong with the books, in a sentence; empty if they balance */
    record Rate(double paymentsPerSecond, double cpuMicrosPerPayment, double postgresMicrosPerPayment, Optional<String> fault) {}

    /** Durations from the intended send to the outcome's arrival at a consumer, in milliseconds. */
    record Delay(double p50, double p99, Optional<String> fault) {}

    private record Sample(long nanos, long cpuMicros, long postgresMicros, int settled) {}

    private final Ground ground;
    private final CpuTime cpu;
    private final Duration pspLatency;

    Round(Ground ground, CpuTime cpu, Duration pspLatency) {
        this.ground = ground;
        this.cpu = cpu;
        this.pspLatency = pspLatency;
    }

    /** Closed loop: drains a backlog of so many payments. */
    Rate drain(Contestant contestant, int count) throws Exception {
        try (var plot = ground.newPlot()) {
            var arena = new Arena(plot, new StubPsp(pspLatency, 0));
            var payments = new Payments(count);
            payments.accept(plot);
            payments.publish(plot);
            plot.settle();
            try (var reader = new OutcomeReader(arena, payments)) {
                Sample from;
                Sample to;
                try (AutoCloseable running = contestant.start(arena)) {
                    reader.readUntil((int) (count * FROM));
                    from = sample(reader);
                    reader.readUntil((int) (count * TO));
                    to = sample(reader);
                    reader.readUntil(count);
                }
                double done = Math.max(1, to.settled - from.settled);
                return new Rate(done * 1e9 / (to.nanos - from.nanos), (to.cpuMicros - from.cpuMicros) / done,
                        (to.postgresMicros - from.postgresMicros) / done, fault(arena, payments, reader, contestant));
            }
        }
    }

    private Sample sample(OutcomeReader reader) {
        long postgres = cpu.postgresMicros();
        return new Sample(System.nanoTime(), postgres + cpu.jvmMicros(), postgres, reader.settled());
    }

    /**
     * Open loop: so many payments a second, no matter how fast the contestant is.
     *
     * @param failing per cent of the payments whose first call fails, and as many undecodable records on top; only the
     *                others' delays count
     */
    Delay pace(Contestant contestant, double perSecond, Duration duration, int failing) throws Exception {
        try (var plot = ground.newPlot()) {
            var arena = new Arena(plot, new StubPsp(pspLatency, failing));
            int warmUp = (int) (perSecond * 3);
            int count = warmUp + (int) (perSecond * duration.toMillis() / 1000);
            var payments = new Payments(count);
            payments.accept(plot);
            plot.settle();
            try (var reader = new OutcomeReader(arena, payments); var producer = Payments.newProducer(plot)) {
                long start;
                try (AutoCloseable running = contestant.start(arena)) {
                    start = System.nanoTime() + Duration.ofSeconds(2).toNanos();
                    var sender = Thread.ofPlatform().start(() -> send(payments, arena, producer, start, perSecond, failing));
                    reader.readUntil(count);
                    sender.join();
                    if (contestant instanceof Chargeonce) {
                        OwnBooks.awaitRest(arena);
                    }
                }
                var latencies = new Latencies();
                for (int i = warmUp; i < count; i++) {
                    if (reader.arrivedAt(i) > 0 && !arena.ledger().isSick(payments.ids().get(i))) {
                        latencies.add(reader.arrivedAt(i) - intended(start, i, perSecond));
                    }
                }
                return new Delay(latencies.millisAt(50), latencies.millisAt(99), fault(arena, payments, reader, contestant));
            }
        }
    }

    static void send(Payments payments, Arena arena, Producer<byte[], byte[]> producer, long start,
                     double perSecond, int undecodable) {
        for (int i = 0; i < payments.count(); i++) {
            long wait = intended(start, i, perSecond) - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(wait);
            }
            producer.send(payments.record(arena.requests(), i));
            if (i % 100 < undecodable) {
                producer.send(new ProducerRecord<>(arena.requests(), ("junk-" + i).getBytes(StandardCharsets.US_ASCII), NO_JSON));
            }
        }
        producer.flush();
    }

    private static long intended(long start, int number, double perSecond) {
        return start + (long) (number * 1e9 / perSecond);
    }

    /** Every payment has exactly one capture and an outcome; for ours the checker goes through rows and topics as well. */
    static Optional<String> fault(Arena arena, Payments payments, OutcomeReader reader, Contestant contestant) {
        var captured = new HashSet<String>();
        long twice = arena.ledger().executed().values().stream().filter(payment -> !captured.add(payment)).count();
        long lost = payments.ids().stream().filter(id -> !captured.contains(id)).count();
        if (twice > 0 || lost > 0 || reader.settled() < payments.count()) {
            return Optional.of(String.format(Locale.ROOT, "%d charged twice, %d never, %d without an outcome, of %d",
                    twice, lost, payments.count() - reader.settled(), payments.count()));
        }
        return contestant instanceof Chargeonce ? OwnBooks.fault(arena) : Optional.empty();
    }

    /** The checker over the rows and topics of a run of ours; the stub's ledger is compared for every contestant alike. */
    private static final class OwnBooks {

        private static final Duration LONGEST_REST = Duration.ofSeconds(20);
        private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

        private OwnBooks() {}

        /** Every outcome is there before the last undecodable record is a dead letter and its copy on the topic. */
        static void awaitRest(Arena arena) throws InterruptedException {
            long until = System.nanoTime() + LONGEST_REST.toNanos();
            while (verdict(arena).kind() == CheckVerdict.Kind.UNKNOWN && System.nanoTime() < until) {
                Thread.sleep(LOOK_AGAIN);
            }
        }

        static Optional<String> fault(Arena arena) {
            CheckVerdict verdict = verdict(arena);
            return verdict.balanced() ? Optional.empty() : Optional.of("the checker says %s: %s, %d violations, the first: %s".formatted(
                    verdict.kind(), verdict.counts(), verdict.violations().size(),
                    verdict.violations().stream().findFirst().map(Object::toString).orElse("none")));
        }

        private static CheckVerdict verdict(Arena arena) {
            return Checker.check(
                    CheckEvidence.of(arena.plot().jdbcUrl(), "postgres", "", arena.plot().kafka(), List.of(Chargeonce.TIERS), List.of())
                            .topicPrefix(arena.plot().topics().prefix()));
        }
    }
}
