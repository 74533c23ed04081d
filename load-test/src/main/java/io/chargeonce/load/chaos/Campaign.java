package io.chargeonce.load.chaos;

import io.chargeonce.checker.Checker;
import io.chargeonce.checker.Evidence;
import io.chargeonce.checker.EvidenceMissing;
import io.chargeonce.checker.Recovery;
import io.chargeonce.checker.Verdict;
import io.chargeonce.load.poison.PoisonCorpus;
import io.chargeonce.load.traffic.HistoryFile;
import io.chargeonce.load.traffic.Merchant;
import io.chargeonce.load.traffic.Mix;
import io.chargeonce.load.traffic.Traffic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** One campaign: load and faults at once, then heal, wait for rest, and balance the books. For one thread. */
final class Campaign {

    private static final double CALLS_PER_SECOND = 40;
    private static final int PERIODS = 3;
    private static final int POISON_RECORDS = 5;
    private static final Duration LOAD = Duration.ofSeconds(5);
    /** Processes start, groups wait for members that are gone, leases end, and the longest tier is a second long. */
    private static final Duration TO_DRAIN = Duration.ofSeconds(45);
    /** After the healing, what everybody needs to be at work again; a retry that falls due later may be no later than this. */
    private static final Duration TO_RECOVER = Duration.ofSeconds(10);
    /** So often may a fault make the relay send one and the same record again: what ends backends does so five times. */
    private static final int TIMES_PER_MISHAP = 5;

    private final Stage stage;
    private final HistoryFile history;
    private final long seed;

    Campaign(Stage stage, HistoryFile history, long seed) {
        this.stage = stage;
        this.history = history;
        this.seed = seed;
    }

    Verdict run(List<FaultKind> kinds, Coverage coverage) {
        var random = new Random(seed);
        var traffic = new Traffic(stage.ingest(), Optional.of(stage.stripe.apiBase()), 8, history::add);
        stage.operatorsAtWork(true);
        Thread load = Thread.ofPlatform().name("load").start(() ->
                traffic.run(CALLS_PER_SECOND, LOAD, Mix.stormy(), Merchant.sandbox(), new Random(seed), "c" + seed));
        sendPoison(random);
        var nemesis = new Nemesis(stage, random, kinds, coverage);
        for (int i = 0; i < PERIODS; i++) {
            nemesis.period();
        }
        traffic.stop();
        join(load);
        stage.operatorsAtWork(false);
        stage.heal();
        coverage.repeated(nemesis.copies());
        return drain(new Recovery(Instant.now().plus(TO_RECOVER), TO_RECOVER,
                coverage.mishaps() * TIMES_PER_MISHAP, coverage.copies(), stage.metrics()));
    }

    private static void join(Thread load) {
        try {
            load.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sendPoison(Random random) {
        Map<String, Object> client = new HashMap<>(Map.of("bootstrap.servers", stage.kafka(), "max.request.size", 2_000_000));
        try (var producer = new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
            var corpus = new ArrayList<>(PoisonCorpus.of(random));
            Collections.shuffle(corpus, random);
            corpus.stream().limit(POISON_RECORDS).forEach(record ->
                    producer.send(record.on(random.nextBoolean() ? "payments.requests" : "payments.retry-1")));
        }
    }

    /** Broken at once when broken; at the end of the patience, whatever is not at rest breaks the books too. */
    private Verdict drain(Recovery recovery) {
        Evidence evidence = stage.evidence(history.file());
        long giveUp = System.nanoTime() + TO_DRAIN.toNanos();
        while (Checker.underWay(evidence) > 0 && System.nanoTime() < giveUp) {
            Pauses.of(Duration.ofMillis(200));
        }
        Verdict verdict = check(evidence, giveUp);
        while (verdict.kind() == Verdict.Kind.UNKNOWN && System.nanoTime() < giveUp) {
            Pauses.of(Duration.ofMillis(500));
            verdict = check(evidence, giveUp);
        }
        return verdict.kind() == Verdict.Kind.BROKEN ? verdict : rested(evidence.recovered(recovery), giveUp);
    }

    /** Offsets are committed a moment after the last record was finished. */
    private static Verdict rested(Evidence evidence, long giveUp) {
        Verdict verdict = check(evidence, giveUp);
        while (!verdict.balanced() && System.nanoTime() < giveUp) {
            Pauses.of(Duration.ofMillis(500));
            verdict = check(evidence, giveUp);
        }
        return verdict;
    }

    /** A broker that has just come back may not lead its partitions yet, and a service may still be starting. */
    private static Verdict check(Evidence evidence, long giveUp) {
        while (true) {
            try {
                return Checker.check(evidence);
            } catch (EvidenceMissing notYet) {
                if (System.nanoTime() >= giveUp) {
                    throw notYet;
                }
                Pauses.of(Duration.ofMillis(500));
            }
        }
    }
}
