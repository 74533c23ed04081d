// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.Checker;
import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.Recovery;
import io.chargeonce.checker.evidence.Sources;
import io.chargeonce.checker.evidence.TopicNames;
import io.chargeonce.database.agreed.AgreedSettings;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.game.Game;
import io.chargeonce.load.game.Played;
import io.chargeonce.load.game.SecretFiles;
import io.chargeonce.load.plant.Tampering;
import io.chargeonce.load.traffic.Wallet;
import io.chargeonce.load.universe.kafka.Broker;
import io.chargeonce.load.universe.kafka.Log;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedPostgres;
import io.chargeonce.load.universe.kernel.Waits;
import io.chargeonce.load.universe.outside.BankModel;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.databind.JsonNode;

/** Plays one universe after the other in one database: clients and faults, healing, rest, and the checker's verdict. */
public final class Universe implements Game {

    private static final Duration CLIENTS_COME_WITHIN = Duration.ofSeconds(4);
    /** A crowd fills every buffer and slot. */
    private static final Duration CROWDS_COME_WITHIN = Duration.ofMillis(200);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final int LOOKS_PER_SALE = 10;
    /** A presenter looks once meanwhile, however leisurely: longer, and a deadline passes before a card is presented again. */
    private static final int LOOKS_PER_SOME_DAYS = 45;
    /** What is on its way when it all seems to rest: a late record, a late charge. */
    private static final Duration STILL_ON_ITS_WAY = Duration.ofSeconds(3);
    private static final Duration TO_REST = Duration.ofMinutes(8);
    /** As it is: a PSP knows a key for long after the lease, and when its search shows what came of it. */
    private static final Duration MINDFUL = Duration.ofMinutes(1);
    /** A PSP that forgets a key before it shows what came of it: then it can only be asked. */
    private static final Duration FORGETFUL = Duration.ofMillis(600);
    /** A key lives for as long as a lease. */
    private static final Duration USUAL = Duration.ofSeconds(4);
    /** PSPs keep keys longer than they promise: at least so long that what was sent in time comes in time. */
    private static final Duration LEAST_LONGER = Duration.ofSeconds(3);
    private static final Duration MOST_LONGER = Duration.ofSeconds(15);
    /** Shorter than the longest pause. Then only a person can tell. */
    private static final Duration ADYEN_KEY_LIFE = Duration.ofSeconds(45);
    /** After so long a person may say that a bank did not collect. */
    private static final Duration HOURS = Duration.ofHours(2);
    /** After so long a card is presented again. */
    private static final Duration DAYS = Duration.ofDays(3);
    /** After so long a purge is final, and a refund need no longer wait. */
    private static final Duration A_MONTH = Duration.ofDays(31);
    /** Without a sweeper nothing is staged again whose record Kafka lost, or whose claim a restore lost. */
    private static final Set<Fault> LOSING = EnumSet.of(Fault.LOST_TAIL, Fault.RECREATED_TOPIC, Fault.LOST_CLAIM);
    private static final int PARTITIONS = 2;
    private static final List<String> WORK = List.of("payments.requests", "payments.retry-1", "payments.retry-2", "payments.retry-3");

    private static final URI SERVICES = URI.create("model:services");
    /** After the healing all are at work again within this time, and retries start within this time of their due time. */
    private static final Duration LATEST = Duration.ofSeconds(30);

    private final SimulatedPostgres postgres;
    private final SecretFiles secrets;
    private final boolean sweeping;
    private final Set<Fault> faults;

    /**
     * @param sweeping whether the sweeper works; if not, nothing is lost either
     * @param faults   what may go wrong at all
     */
    public Universe(String jdbcUrl, SecretFiles secrets, boolean sweeping, Set<Fault> faults) {
        this.faults = faults.isEmpty() ? EnumSet.noneOf(Fault.class) : EnumSet.copyOf(faults);
        if (!sweeping) {
            this.faults.removeAll(LOSING);
        }
        this.postgres = new SimulatedPostgres(jdbcUrl);
        this.secrets = secrets;
        this.sweeping = sweeping;
    }

    @Override
    public Played play(long seed) {
        postgres.enter();
        postgres.empty(Cluster.TIERS);
        SimulationHooks.forgetDoors();
        Tampering.forget();
        secrets.reset();
        var kernel = new Kernel(seed);
        var broker = broker();
        broker.enter();
        var cluster = new Cluster[1];
        var webhooks = new ModelWebhooks(() -> cluster[0].webhooks());
        Duration stripesKeyLife = kernel.chance(0.5) ? MINDFUL : kernel.chance(0.5) ? FORGETFUL : USUAL;
        List<SimulatedPsp> psps = List.of(new StripeModel(stripesKeyLife, kernel.between(LEAST_LONGER, MOST_LONGER), webhooks),
                new AdyenModel(ADYEN_KEY_LIFE, MOST_LONGER, webhooks));
        cluster[0] = new Cluster(secrets, sweeping, psps,
                kernel.chance(0.5) ? Duration.ZERO : faults.contains(Fault.CLOCK_OFF) ? Duration.ofHours(1) : Duration.ZERO);
        var scheduler = new FaultScheduler(kernel, cluster[0], broker, postgres, psps, webhooks, faults);
        if (scheduler.knows(Fault.INTAKE)) {
            broker.create("payments.intake-refused", 1, true);
            broker.create("payments.intake.shop-1", 2, false);
            broker.create("payments.intake.shop-2", 1, false);
        }
        var witness = new UniverseWitness();
        Optional<Tokens> tokens = scheduler.knows(Fault.TOKEN) ? Optional.of(new Tokens(kernel)) : Optional.empty();
        var shop = new Shop(cluster[0], broker, scheduler, tokens, witness);
        var cards = new CardTraffic(kernel, broker);
        var rotations = new Rotations(kernel, secrets, psps, cards);
        var eraser = new Eraser(kernel, shop);
        scheduler.also(cards.all());
        scheduler.also(rotations.all());
        scheduler.also(eraser.all());
        scheduler.also(new Thief(kernel, new PostgresView(postgres), witness).all());
        var pspBlows = new PspFaultActions(kernel, cluster[0], psps);
        scheduler.also(pspBlows.one(shop));
        scheduler.also(pspBlows.takingBack(new PostgresView(postgres)));
        var disputes = new ModelDisputes(kernel, psps, new PostgresView(postgres));
        scheduler.also(disputes.all());
        var people = new UniversePeople(kernel, scheduler, psps, shop, postgres, witness);
        scheduler.also(people.all());
        scheduler.also(new Restore(kernel, scheduler, cluster[0], psps.getFirst(), shop, new PostgresView(postgres)).all());
        if (scheduler.knows(Fault.HARSH_OPERATOR) || scheduler.knows(Fault.CANCEL)) {
            psps.forEach(psp -> psp.watch(people::sends));
        }
        var oldTimes = new OldTimes(kernel, scheduler, cluster[0], psps, shop, new PostgresView(postgres));
        tokens.ifPresent(all -> scheduler.also(all.all(Shop.MERCHANTS, shop::stealWith)));
        var holding = new UniverseHolds(kernel, scheduler, psps, new PostgresView(postgres), witness);
        scheduler.also(holding.all());
        var outsiders = new UniverseOutsiders(kernel, scheduler, new PostgresView(postgres), broker, witness);
        scheduler.also(outsiders.all());
        var rail = new BankRail(kernel, scheduler, new PostgresView(postgres));
        scheduler.also(rail.all());
        var aftermath = new Aftermath(kernel, scheduler, psps, shop, new PostgresView(postgres), witness);
        try {
            kernel.run(() -> {
                tokens.ifPresent(all -> all.issue(Shop.MERCHANTS));
                begin(cluster[0], scheduler, outsiders, rail);
                oldTimes.pass();
                live(kernel, shop, scheduler, outsiders, rail, holding::resumeAll, () -> aftermath.look(LATEST, rotations));
                Runnable rest = () -> rest(kernel, broker, shop, psps, scheduler, outsiders, rail, people);
                rest.run();
                people.judge();
                if (scheduler.knows(Fault.FAILED_REFUND)) {
                    pspBlows.takeBack(new PostgresView(postgres));
                    rest.run();
                }
                if (scheduler.knows(Fault.DISPUTE)) {
                    disputes.begin();
                    kernel.await(() -> disputes.areAtRest() && webhooks.areDelivered(), kernel.after(TO_REST));
                    rest.run();
                }
                if (oldTimes.useAgain()) {
                    rest.run();
                }
                pspBlows.judge(new PostgresView(postgres), witness);
                outsiders.judge();
                if (scheduler.knows(Fault.ERASURE)) {
                    eraser.erase();
                }
            });
        } catch (RuntimeException broke) {
            throw new IllegalStateException("universe %d broke: %s".formatted(seed, broke.getMessage()), broke);
        } finally {
            postgres.leave();
        }
        var recovery = new Recovery(scheduler.healedAt().plus(LATEST), LATEST, kernel.mishaps(), kernel.copies(),
                LOSING.stream().noneMatch(scheduler::knows), List.of(SERVICES));
        var evidence = CheckEvidence
                .of("", "", "", "model", Cluster.TIERS, List.of(URI.create("psp:stripe"), URI.create("psp:adyen"), URI.create("psp:bank")))
                .calls(new Calls.InMemory(shop.calls(), shop.refunds())).recovered(recovery).planted(nowhere(scheduler, eraser), List.of());
        if (outsiders.areThere()) {
            evidence = evidence.arrivals(outsiders);
        }
        if (outsiders.mailed()) {
            evidence = evidence.withOurReceipts();
        }
        if (scheduler.knows(Fault.DATA_KEY) || scheduler.knows(Fault.CARD_DATA)) {
            rotations.open(new PostgresView(postgres).sealed(), witness);
        }
        if (scheduler.knows(Fault.THEFT)) {
            UniverseAudit.look(postgres, witness);
        }
        CheckVerdict verdict = Checker.check(evidence, sources(broker, psps, disputes, rail.bank(), cluster[0]), witness.seen());
        if (verdict.balanced() && kernel.bug().isPresent()) {
            throw new IllegalStateException("universe %d: a thread of a service ended with %s".formatted(seed, kernel.bug().get()),
                    kernel.bug().get());
        }
        return new Played(seed, verdict, kernel.hash(), kernel.steps(), kernel.trace(), kernel.log(), kernel.done());
    }

    private static List<String> nowhere(FaultScheduler scheduler, Eraser eraser) {
        List<String> nowhere = eraser.erased();
        if (scheduler.knows(Fault.CARD_DATA) || scheduler.knows(Fault.DATA_KEY)) {
            nowhere.addAll(CardTraffic.NOWHERE);
        }
        return nowhere;
    }

    private static Broker broker() {
        var broker = new Broker();
        WORK.forEach(topic -> broker.create(topic, PARTITIONS, true));
        broker.create("payments.outcomes", 1, true);
        broker.create("payments.dlq", 1, true);
        broker.create("payments.disputes", 1, true);
        broker.create("payments.waiting", 1, true);
        broker.create("payments.audit-seals", 1, true);
        return broker;
    }

    private void begin(Cluster cluster, FaultScheduler scheduler, UniverseOutsiders outsiders, BankRail rail) {
        if (!postgres.inIdle(AgreedSettings::read).tiers().equals(Optional.of(Cluster.TIERS))) {
            throw new IllegalStateException("Bug! This universe begins without the settings on which its processes have agreed");
        }
        scheduler.begin();
        outsiders.begin(cluster);
        rail.begin(cluster);
        Wallet.rows(Shop.MERCHANTS).forEach(new PostgresView(postgres)::change);
        cluster.start();
    }

    private static void live(Kernel kernel, Shop shop, FaultScheduler scheduler, UniverseOutsiders outsiders, BankRail rail,
                             Runnable resumption,
                             Runnable aftermath) {
        shop.open(5 + kernel.random().nextInt(11), kernel.chance(0.3) ? CROWDS_COME_WITHIN : CLIENTS_COME_WITHIN);
        int blows = 4 + kernel.random().nextInt(12);
        for (int i = 0; i < blows; i++) {
            scheduler.strike();
        }
        scheduler.awaitThaw();
        scheduler.heal();
        outsiders.heal();
        rail.heal();
        resumption.run();
        aftermath.run();
    }

    private void rest(Kernel kernel, Broker broker, Shop shop, List<SimulatedPsp> psps, FaultScheduler scheduler,
                      UniverseOutsiders outsiders,
                      BankRail rail, UniversePeople people) {
        boolean queries = scheduler.knows(Fault.HARSH_OPERATOR) && kernel.chance(0.5);
        long giveUp = kernel.after(TO_REST);
        kernel.await(shop::isClosed, giveUp);
        do {
            kernel.sleep(STILL_ON_ITS_WAY);
            int sincePassed = LOOKS_PER_SOME_DAYS;
            for (int looks = 1; !isAtRest(broker, outsiders, rail) && kernel.now() < giveUp; looks++) {
                kernel.sleep(LOOK_EVERY);
                if (looks % LOOKS_PER_SALE == 0) {
                    // Without other payments nothing tells a payment that always fails from an outage.
                    shop.sellOne();
                    UniverseOperator.settle(books(psps, rail.bank()), postgres.unresolved());
                    UniverseOperator.restore(postgres.unresolved());
                }
                sincePassed++;
                if (queries && postgres.waitsFor(Waits.STATUS_QUERIES)) {
                    queries = false;
                    kernel.tell("a purge grew old", "a month passes, and it is not known what became of what was purged");
                    kernel.daysPass(A_MONTH);
                    kernel.sleep(STILL_ON_ITS_WAY);
                    people.judge();
                } else if (sincePassed >= LOOKS_PER_SOME_DAYS && outsiders.areAtRest(broker)
                        && (rail.isAtRest() ? daysPass(kernel, waitsForDays()) : daysPass(kernel, rail.waitsForItsWindow()))) {
                    sincePassed = 0;
                }
            }
            kernel.sleep(STILL_ON_ITS_WAY);
        } while (!isAtRest(broker, outsiders, rail) && kernel.now() < giveUp);
    }

    /** A bank's books say what did not happen only when everything that it has is done. */
    private static Map<String, List<JsonNode>> books(List<SimulatedPsp> psps, BankModel bank) {
        var books = new HashMap<String, List<JsonNode>>();
        psps.forEach(psp -> books.put(psp.name, psp.movements()));
        if (bank.isIdle()) {
            books.put(BankModel.NAME, bank.movements());
        }
        return books;
    }

    private Optional<Duration> waitsForDays() {
        return postgres.waitsFor(Waits.HOURS) ? Optional.of(HOURS) : postgres.waitsFor(Waits.DAYS) ? Optional.of(DAYS)
                : postgres.waitsFor(Waits.A_MONTH) ? Optional.of(A_MONTH) : Optional.empty();
    }

    private static boolean daysPass(Kernel kernel, Optional<Duration> wait) {
        wait.ifPresent(kernel::daysPass);
        return wait.isPresent();
    }

    private boolean isAtRest(Broker broker, UniverseOutsiders outsiders, BankRail rail) {
        return WORK.stream().allMatch(topic -> broker.group(topic + ".workers").hasFinished(topic))
                && broker.intakeTopics().stream().allMatch(topic -> broker.group("payments.intake.workers").hasFinished(topic))
                && postgres.waitsFor(Waits.NOTHING) && outsiders.areAtRest(broker) && rail.isAtRest();
    }

    private Sources sources(Broker broker, List<SimulatedPsp> psps, ModelDisputes disputes, BankModel bank, Cluster cluster) {
        return new Sources() {
            @Override
            public Connection database() throws SQLException {
                return postgres.outside();
            }

            @Override
            public TopicNames topics() {
                return new ModelTopics(broker);
            }

            @Override
            public void eachMovement(BiConsumer<String, JsonNode> action) {
                psps.forEach(psp -> psp.movements().forEach(movement -> action.accept(psp.name, movement)));
                bank.movements().forEach(movement -> action.accept(BankModel.NAME, movement));
            }

            @Override
            public void eachRequest(Consumer<JsonNode> action) {
                psps.forEach(psp -> psp.declines().forEach(action));
                bank.taken().forEach(action);
            }

            @Override
            public void eachDispute(Consumer<JsonNode> action) {
                disputes.inLedgers().forEach(action);
            }

            @Override
            public String metrics(URI service) {
                return cluster.metrics();
            }
        };
    }

    private record ModelTopics(Broker broker) implements TopicNames {

        @Override
        public void each(String topic, Consumer<ConsumerRecord<byte[], byte[]>> action) {
            broker.records(topic).forEach(action);
        }

        @Override
        public boolean isOfAStranger(ConsumerRecord<byte[], byte[]> record) {
            return CardTraffic.isStrange(record);
        }

        @Override
        public boolean isWhole(String topic) {
            return broker.topic(topic).stream().allMatch(Log::isWhole);
        }

        @Override
        public Optional<Duration> retention(String topic) {
            return Optional.empty();
        }

        @Override
        public Map<Integer, Long> committed(String group, String topic) {
            var offsets = new HashMap<Integer, Long>();
            broker.group(group).committed().forEach((partition, offset) -> offsets.put(partition.partition(), offset.offset()));
            return offsets;
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }

    @Override
    public void close() {
        postgres.close();
    }
}
