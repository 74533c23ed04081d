// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.checker.Checker;
import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.EvidenceMissing;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.database.Database;
import io.chargeonce.load.chaos.outsiders.MerchantProducer;
import io.chargeonce.load.chaos.woven.CrashPoint;
import io.chargeonce.load.poison.PoisonCorpus;
import io.chargeonce.load.traffic.HistoryFile;
import io.chargeonce.load.traffic.TrafficMerchant;
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

    private static final double CALLS_PER_SECOND = 15;
    private static final int DEATHS = 3;
    private static final int POISON_RECORDS = 5;
    private static final int RECEIPTS = 300;
    private static final int DEBITS = 300;
    private static final int STORED = 200;
    /** What was under way when all was healed has ended by then. */
    private static final Duration LAST_TRIES = Duration.ofSeconds(2);
    /** Ended when the faults are over, and not before: an idle process cannot die in the middle of something. */
    private static final Duration LONGEST_LOAD = Duration.ofMinutes(5);
    /** Processes start, groups wait for members that are gone, leases end, and the longest tier is a second long. */
    private static final Duration TO_DRAIN = Duration.ofSeconds(60);
    /**
     * After the healing, what all need to be at work again; a retry that falls due later may be no later than this. The partitions of a
     * member that was killed are its own for the session's ten seconds; then the group needs a moment to share them.
     */
    private static final Duration TO_RECOVER = Duration.ofSeconds(12);
    /** So often may a fault make the relay send one and the same record again: what ends backends does so five times. */
    private static final int TIMES_PER_MISHAP = 5;

    /**
     * A refund waits for a payment that is dead until a person decides, or to its own deadline. The shortest deadline that can be set
     * is a minute, so it is brought nearer in the rows.
     */
    private static final String LAST_REFUNDS = """
            UPDATE chargeonce.operation_state SET charge_before = now() + interval '5 seconds'
              FROM chargeonce.operation
             WHERE operation.operation_id = operation_state.operation_id AND kind = 'refund'
               AND state IN ('accepted', 'scheduled', 'parked') AND charge_before > now() + interval '5 seconds'
            """;

    /**
     * @param faults how long they went on
     * @param rest       how long everything took to come to rest and to balance
     * @param story      what was done, and when
     * @param testimony  what the console's witness said beside the verdict
     * @param objections of the witness to the verdict, and of attempts in spite of a pause
     */
    record End(CheckVerdict verdict, Duration faults, Duration rest, List<String> story, WitnessedConsole.Testimony testimony,
            List<String> objections) {}

    private final CampaignStage stage;
    private final HistoryFile history;
    private final long seed;
    private final int number;

    /** @param number from 1: which campaign of those that have this seed */
    Campaign(CampaignStage stage, HistoryFile history, long seed, int number) {
        this.stage = stage;
        this.history = history;
        this.seed = seed;
        this.number = number;
    }

    /** What decides everything that is drawn in it. */
    long ownSeed() {
        return seed * 1_000 + number;
    }

    End run(List<FaultKind> kinds, int periods, Coverage coverage) {
        long start = System.nanoTime();
        var random = new Random(ownSeed());
        var traffic = traffic();
        stage.operatorsAtWork(true);
        Thread load = load(traffic, CALLS_PER_SECOND, mix(), "c" + ownSeed());
        sendPoison(random);
        var merchant = new MerchantProducer(stage.kafka(), "i" + ownSeed(), history::add);
        var injector = new FaultInjector(stage, random, kinds, coverage, deaths(kinds, coverage), merchant);
        firstPeriod(injector, kinds);
        for (int i = 1; i < periods; i++) {
            injector.period();
        }
        injector.end();
        traffic.stop();
        join(load);
        stage.operatorsAtWork(false);
        stage.database.sql(LAST_REFUNDS);
        if (stage.outsiders.isPresent()) {
            Pauses.of(LAST_TRIES);
            stage.outsiders.get().sendAgain().forEach(stage.database::sql);
        }
        coverage.repeated(injector.copies());
        long healed = System.nanoTime();
        CheckVerdict verdict = drain(new Recovery(Instant.now().plus(TO_RECOVER), TO_RECOVER,
                coverage.mishaps() * TIMES_PER_MISHAP, coverage.copies(), false, stage.metrics()), merchant.published());
        long atRest = System.nanoTime();
        WitnessedConsole.Testimony testimony =
                stage.witness.beside(verdict, stage.database.letters(), () -> check(stage.evidence(history.file()), System.nanoTime()));
        var objections = new ArrayList<>(injector.holdsBroken());
        testimony.objection().ifPresent(objections::add);
        return new End(verdict, Duration.ofNanos(healed - start), Duration.ofNanos(atRest - healed), injector.story(), testimony,
                objections);
    }

    private Traffic traffic() {
        return new Traffic(stage.ingest(), Optional.of(stage.stripe.apiBase()), 8, history::add, history::add);
    }

    /** @param prefix of its idempotency keys */
    private Thread load(Traffic traffic, double callsPerSecond, Mix mix, String prefix) {
        return Thread.ofPlatform().name("load").start(() -> traffic.run(callsPerSecond, LONGEST_LOAD, mix, TrafficMerchant.sandbox(),
                new Random(ownSeed()), prefix));
    }

    private Mix mix() {
        Mix stormy = Mix.stormy().withStored(STORED);
        Mix mix = stage.outsiders.isPresent() ? stormy.withReceipts(RECEIPTS) : stormy;
        return stage.bank.isPresent() ? mix.withDebits(DEBITS) : mix;
    }

    /** Each kind of fault has its turn, and in each round of turns a sick PSP has payments wait for it in another way. */
    private void firstPeriod(FaultInjector injector, List<FaultKind> kinds) {
        FaultKind kind = new FaultTurns<>(kinds, seed).of(number, 1).getFirst();
        if (kind == FaultKind.PSP || !kinds.contains(FaultKind.PSP)) {
            injector.period(kind);
        } else {
            injector.period(kind, Wait.values()[(number - 1) / kinds.size() % Wait.values().length]);
        }
    }

    private Deaths deaths(List<FaultKind> kinds, Coverage coverage) {
        List<CrashPoint> places = kinds.contains(FaultKind.KILL)
                ? new FaultTurns<>(List.of(CrashPoint.values()), seed).of(number, DEATHS) : List.of();
        return new Deaths(stage.services, places, new Random(ownSeed()), coverage);
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
            corpus.stream().limit(POISON_RECORDS)
                    .forEach(record -> producer.send(record.on(random.nextBoolean() ? "payments.requests" : "payments.retry-1")));
        }
    }

    /** Broken books end the wait at once. When the patience ends, what is not at rest breaks the books too. */
    private CheckVerdict drain(Recovery recovery, List<String> published) {
        try (var database = Database.open(stage.database.url(), "postgres", "", 1)) {
            Operators.restoreWhatIsOpen(database);
            Operators.takeBackWhatCannotBeAsked(database);
        }
        CheckEvidence evidence = stage.evidence(history.file());
        long giveUp = System.nanoTime() + TO_DRAIN.toNanos();
        payWhileItDrains(() -> awaitNothingUnderWay(evidence, published, giveUp));
        awaitNothingUnderWay(evidence, published, giveUp);
        while (true) {
            CheckVerdict verdict = check(stage.settled(evidence).recovered(recovery), giveUp);
            if (verdict.balanced() || System.nanoTime() >= giveUp) {
                return verdict;
            }
            // Offsets, say, are committed a moment after the last record was finished; what is wrong without them stays wrong.
            CheckVerdict ofWhatNeverMends = check(evidence, giveUp);
            if (ofWhatNeverMends.kind() == CheckVerdict.Kind.BROKEN) {
                return ofWhatNeverMends;
            }
            Pauses.of(Duration.ofMillis(300));
        }
    }

    /** @param published what a merchant's topic has, and ingest may not have read */
    private void awaitNothingUnderWay(CheckEvidence evidence, List<String> published, long giveUp) {
        try (var database = Database.open(stage.database.url(), "postgres", "", 1)) {
            while ((!stage.database.hasAccepted(published) || Checker.underWay(evidence) > 0 || stage.database.hasStaged()
                    || stage.database.hasToSend()) && System.nanoTime() < giveUp) {
                // A process that was late may set a record aside after a person had offered all of them again.
                stage.database.offerRefused();
                Operators.settleWhatAdyenHasNot(database, stage.adyen::movements);
                Pauses.of(Duration.ofMillis(100));
            }
        }
    }

    /** As on any day, payments go on meanwhile: what decides by the calls of others, such as a circuit breaker, has some to decide by. */
    private void payWhileItDrains(Runnable drain) {
        var traffic = traffic();
        Thread load = load(traffic, 1, Mix.good(), "d" + ownSeed());
        drain.run();
        traffic.stop();
        join(load);
    }

    /** A broker that has just come back may not lead its partitions yet, and a service may still be starting. */
    private static CheckVerdict check(CheckEvidence evidence, long giveUp) {
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
