package io.chargeonce.load.chaos;

import io.chargeonce.sandbox.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Draws faults and does them, one period after the other. The seed decides which; the machine decides when they bite. For one thread. */
final class Nemesis {

    private static final int ARMED_AT_ONCE = 3;

    private final Stage stage;
    private final Random random;
    private final List<FaultKind> kinds;
    private final Coverage coverage;
    private final NetworkFaults network;
    private final PspFaults psps;
    private final Redelivery redelivery;

    Nemesis(Stage stage, Random random, List<FaultKind> kinds, Coverage coverage) {
        this.stage = stage;
        this.random = random;
        this.kinds = kinds;
        this.coverage = coverage;
        this.network = new NetworkFaults(stage, random);
        this.psps = new PspFaults(stage, random);
        this.redelivery = new Redelivery(stage, random);
    }

    /** So many records came again because of what was done here. */
    long copies() {
        return redelivery.copies();
    }

    /** One period: a quarter of them are quiet; the others see one fault or two, which end with them. */
    void period() {
        boolean quiet = random.nextInt(4) == 0;
        int faults = quiet ? 0 : 1 + random.nextInt(2);
        Duration length = Duration.ofMillis(800 + random.nextInt(1_500));
        for (int i = 0; i < faults; i++) {
            FaultKind kind = kinds.get(random.nextInt(kinds.size()));
            coverage.met(kind, stage.underWay());
            coverage.did(kind, inflict(kind));
        }
        if (!quiet && kinds.contains(FaultKind.KILL)) {
            armRarest();
        }
        Pauses.of(length);
        coverage.crashes(stage.services);
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
        };
    }

    private Child anyService() {
        return stage.services.get(random.nextInt(stage.services.size()));
    }

    private String kill() {
        Child victim = anyService();
        victim.kill();
        return "kill " + victim.name();
    }

    /** Some services will die at the places at which the fewest were made to die so far. */
    private void armRarest() {
        var unarmed = new ArrayList<>(stage.services);
        for (int i = 0; i < ARMED_AT_ONCE; i++) {
            CrashPoint point = coverage.rarest();
            List<Child> candidates = unarmed.stream().filter(service -> point.isIn(service.name())).toList();
            if (!candidates.isEmpty()) {
                Child victim = candidates.get(random.nextInt(candidates.size()));
                unarmed.remove(victim);
                victim.arm(point);
                coverage.armed(victim, point);
            }
        }
    }

    private String freeze() {
        Child victim = anyService();
        victim.freeze();
        // Longer than its group waits for it, sometimes longer than its leases.
        Pauses.of(Duration.ofMillis(2_500 + random.nextInt(2_500)));
        return "freeze " + victim.name();
    }

    private String broker() {
        if (random.nextInt(3) > 0) {
            stage.broker.freeze();
            return "freeze broker";
        }
        stage.broker.kill();
        return "kill broker";
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
                    stage.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
                    Pauses.of(Duration.ofMillis(200));
                }
                yield "postgres backends killed";
            }
        };
    }

    /** A member leaves and comes back, politely or not, several times. */
    private String rebalance() {
        List<Child> members = stage.consumers();
        Child member = members.get(random.nextInt(members.size()));
        boolean politely = random.nextBoolean();
        if (politely) {
            member.terminate(Duration.ofSeconds(10));
        } else {
            member.kill();
        }
        Pauses.of(Duration.ofMillis(300));
        member.startIfDead();
        return politely ? "member leaves and joins" : "member vanishes and joins";
    }
}
