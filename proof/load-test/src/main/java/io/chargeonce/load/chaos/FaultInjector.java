// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.load.chaos.outsiders.MerchantProducer;
import io.chargeonce.load.chaos.woven.CrashPoint;
import io.chargeonce.sandbox.PostgresServer;
import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Draws faults and does them, one period after the other. The seed decides which; the machine's timing decides what they hit. For one
 * thread.
 */
final class FaultInjector {

    /** Between two faults of a period, so that the second meets what the first has done. */
    private static final Duration TO_BE_FELT = Duration.ofMillis(400);
    private static final Duration LOOK_EVERY = Duration.ofMillis(100);
    private static final Duration TO_LEAVE = Duration.ofSeconds(10);
    private static final Duration TO_DIE = Duration.ofSeconds(8);
    /** Until a payment has come to wait where a fault is to find it. */
    private static final Duration TO_WAIT = Duration.ofSeconds(4);
    private static final Duration LOOK_OFTEN = Duration.ofMillis(20);

    private static final int MOST_MINUTES_OFF = 13 * 60;

    private final CampaignStage stage;
    private final Random random;
    private final List<FaultKind> kinds;
    private final Coverage coverage;
    private final Deaths deaths;
    private final NetworkFaults network;
    private final PspFaults psps;
    private final Redelivery redelivery;
    private final KafkaFaults kafka;
    private final Misconfigurations configuration;
    private final ProcessFreezer stillness;
    private final LateTruth lateTruth;
    private final CampaignDisputes disputes;
    private final CampaignHolds holding;
    private final List<String> story = new ArrayList<>();
    /** In which states payments were while the faults of the period went on. */
    private final Map<FaultKind, Set<String>> met = new EnumMap<>(FaultKind.class);

    FaultInjector(CampaignStage stage, Random random, List<FaultKind> kinds, Coverage coverage, Deaths deaths,
                  MerchantProducer merchant) {
        this.stage = stage;
        this.random = random;
        this.kinds = kinds;
        this.coverage = coverage;
        this.deaths = deaths;
        this.network = new NetworkFaults(stage, random);
        this.psps = new PspFaults(stage, random);
        this.redelivery = new Redelivery(stage, random, this::look);
        this.kafka = new KafkaFaults(stage, random, merchant);
        this.configuration = new Misconfigurations(stage, random);
        this.stillness = new ProcessFreezer(stage, random);
        this.lateTruth = new LateTruth(stage, random);
        this.disputes = new CampaignDisputes(stage, random);
        this.holding = new CampaignHolds(stage, random);
    }

    /** So many records came again because of what was done here. */
    long copies() {
        return redelivery.copies();
    }

    /** Attempts that began in spite of a pause. */
    List<String> holdsBroken() {
        return holding.broken();
    }

    /** What was done here, each with the time of day that the services' logs have. */
    List<String> story() {
        return story;
    }

    /** One in three of these is quiet. */
    void period() {
        if (random.nextInt(3) == 0) {
            watch(length(List.of()));
            stage.heal();
        } else {
            period(kinds.get(random.nextInt(kinds.size())));
        }
    }

    /** One period of this kind of fault, half the time together with another: often a PSP that is unwell. They end with it. */
    void period(FaultKind kind) {
        var drawn = new LinkedHashSet<>(List.of(kind));
        if (random.nextBoolean()) {
            FaultKind other =
                    random.nextBoolean() && kinds.contains(FaultKind.PSP) ? FaultKind.PSP : kinds.get(random.nextInt(kinds.size()));
            drawn.addFirst(other);
        }
        inflict(drawn);
    }

    /** One period of this kind of fault alone, while a payment waits like this, which a sick PSP sees to. */
    void period(FaultKind kind, Wait wait) {
        String fault = psps.make(wait);
        coverage.did(FaultKind.PSP, fault);
        tell(fault);
        long giveUp = System.nanoTime() + TO_WAIT.toNanos();
        while (!stage.database.underWay().contains(wait.tag()) && System.nanoTime() < giveUp) {
            Pauses.of(LOOK_OFTEN);
        }
        inflict(Set.of(kind));
    }

    private void inflict(Set<FaultKind> drawn) {
        deaths.arm();
        for (FaultKind next : drawn) {
            if (!met.isEmpty()) {
                watch(TO_BE_FELT);
            }
            met.put(next, new TreeSet<>());
            look();
            String fault = inflict(next);
            coverage.did(next, fault);
            tell(fault);
        }
        watch(length(drawn));
        met.forEach(coverage::met);
        holding.judge(met.keySet());
        met.clear();
        stage.heal();
        tell("healed");
    }

    private void tell(String what) {
        story.add(LocalTime.now().truncatedTo(ChronoUnit.MILLIS) + " " + what);
    }

    private Duration length(Collection<FaultKind> drawn) {
        // A frozen member is to be missed: longer than its group waits for it, sometimes longer than its leases.
        if (drawn.contains(FaultKind.PAUSE)) {
            return Duration.ofMillis(5_000 + random.nextInt(1_500));
        }
        // A process obeys a hold within two seconds.
        if (drawn.contains(FaultKind.HOLD)) {
            return Duration.ofMillis(3_500 + random.nextInt(1_500));
        }
        return Duration.ofMillis(drawn.contains(FaultKind.FREEZE) ? 2_500 + random.nextInt(2_500) : 800 + random.nextInt(1_500));
    }

    private void watch(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        do {
            Pauses.of(LOOK_EVERY);
            look();
        } while (System.nanoTime() < end);
    }

    /** Returns whether anybody has died where it should. */
    private boolean look() {
        List<CrashPoint> hit = deaths.look();
        hit.forEach(point -> tell("died " + point.tag()));
        if (!met.isEmpty()) {
            Set<String> states = stage.database.underWay();
            met.values().forEach(seen -> seen.addAll(states));
        }
        return !hit.isEmpty();
    }

    /** Returns when those who were to die have done so, or seem not to come to their places; then everything is well. */
    void end() {
        long giveUp = System.nanoTime() + TO_DIE.toNanos();
        while (!deaths.areOver() && System.nanoTime() < giveUp) {
            deaths.arm();
            Pauses.of(LOOK_EVERY);
            if (look()) {
                stage.heal();
            }
        }
        deaths.end();
        stage.heal();
    }

    /** Returns the fault's name. */
    private String inflict(FaultKind kind) {
        return switch (kind) {
            case KILL -> kill();
            case FREEZE -> freeze();
            case BROKER -> broker();
            case POSTGRES -> postgres();
            case NETWORK -> network.inflict();
            case PSP -> psps.inflict();
            case REBALANCE -> rebalance();
            case REDELIVERY -> redelivery.inflict();
            case KAFKA_LINK -> kafka.hurtLink();
            case KAFKA_REFUSES -> kafka.refuse();
            case TOPICS -> random.nextInt(4) == 0 ? kafka.remakeIntake() : kafka.loseTopic();
            case CONFIGURATION -> configuration.inflict();
            case PAUSE -> stillness.inflict();
            case CLOCK -> clock();
            case LATE_TRUTH -> lateTruth.inflict();
            case DISPUTES -> disputes.inflict();
            case HOLD -> holding.inflict();
            case RECEIVERS -> stage.outsiders.orElseThrow().hurtReceivers(random);
            case MAIL -> stage.outsiders.orElseThrow().hurtMail(random);
            case BANK -> stage.bank.orElseThrow().hurt(random);
        };
    }

    private Child anyService() {
        return stage.services.get(random.nextInt(stage.services.size()));
    }

    private String kill() {
        Child victim = anyService();
        if (random.nextInt(4) == 0) {
            victim.terminate(TO_LEAVE);
            return "stop " + victim.name();
        }
        victim.kill();
        return "kill " + victim.name();
    }

    private String freeze() {
        Child victim = anyService();
        victim.freeze();
        return "freeze " + victim.name();
    }

    private String broker() {
        return switch (random.nextInt(4)) {
            case 0 -> {
                stage.broker.kill();
                yield "kill broker";
            }
            case 1 -> {
                stage.broker.terminate(TO_LEAVE);
                yield "stop broker";
            }
            default -> {
                stage.broker.freeze();
                yield "freeze broker";
            }
        };
    }

    private String postgres() {
        return switch (random.nextInt(3)) {
            case 0 -> {
                stage.postgres.restart(PostgresServer.Stop.IMMEDIATE);
                yield "postgres crash";
            }
            case 1 -> {
                stage.postgres.restart(PostgresServer.Stop.FAST);
                yield "postgres restart";
            }
            default -> {
                for (int i = 0; i < 5; i++) {
                    stage.database.endConnections();
                    Pauses.of(Duration.ofMillis(200));
                }
                yield "postgres backends killed";
            }
        };
    }

    /** One process's clock, or every one's by another amount; half the time it steps on while they run. */
    private String clock() {
        List<Child> clocks = stage.withAnyClock();
        List<Child> wrong = random.nextBoolean() ? List.of(clocks.get(random.nextInt(clocks.size()))) : clocks;
        for (int steps = random.nextBoolean() ? 3 : 1; steps > 0; steps--) {
            wrong.forEach(service -> service.shiftClock(Duration.ofMinutes(random.nextInt(-MOST_MINUTES_OFF, MOST_MINUTES_OFF))));
            Pauses.of(TO_BE_FELT);
        }
        return wrong.size() == 1 ? "clock off in " + wrong.getFirst().name() : "clocks off everywhere";
    }

    /** A member leaves and comes back, politely or not, several times. */
    private String rebalance() {
        List<Child> members = stage.consumers();
        Child member = members.get(random.nextInt(members.size()));
        boolean politely = random.nextBoolean();
        if (politely) {
            member.terminate(TO_LEAVE);
        } else {
            member.kill();
        }
        Pauses.of(Duration.ofMillis(300));
        member.startIfDead();
        return politely ? "member leaves and joins" : "member vanishes and joins";
    }
}
