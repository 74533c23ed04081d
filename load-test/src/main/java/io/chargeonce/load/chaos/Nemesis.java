package io.chargeonce.load.chaos;

import io.chargeonce.load.proxy.Conditions;
import io.chargeonce.sandbox.PostgresServer;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.Operation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/** Draws faults and does them, one period after the other. The seed decides which; the machine decides when they bite. For one thread. */
final class Nemesis {

    /** Postgres's completion tag: what says that a COMMIT has happened. */
    private static final byte[] COMMITTED = "COMMIT\0".getBytes(StandardCharsets.US_ASCII);

    private final Stage stage;
    private final RandomGenerator random;
    private final List<FaultKind> kinds;
    private final Coverage coverage;

    Nemesis(Stage stage, RandomGenerator random, List<FaultKind> kinds, Coverage coverage) {
        this.stage = stage;
        this.random = random;
        this.kinds = kinds;
        this.coverage = coverage;
    }

    /** One period: a quarter of them are quiet; the others see one fault or two, which end with them. */
    void period() {
        boolean quiet = random.nextInt(4) == 0;
        int faults = quiet ? 0 : 1 + random.nextInt(2);
        Duration length = Duration.ofMillis(800 + random.nextInt(1_500));
        for (int i = 0; i < faults; i++) {
            coverage.did(inflict(kinds.get(random.nextInt(kinds.size()))));
        }
        if (!quiet && kinds.contains(FaultKind.KILL)) {
            coverage.did(armRarest());
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
            case NETWORK -> network();
            case PSP -> psp();
            case REBALANCE -> rebalance();
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

    /** A service will die at the place at which the fewest were made to die so far. */
    private String armRarest() {
        CrashPoint point = coverage.rarest();
        List<Child> candidates = stage.services.stream().filter(service -> point.isIn(service.name())).toList();
        Child victim = candidates.get(random.nextInt(candidates.size()));
        victim.arm(point);
        coverage.armed(victim, point);
        return "arm " + point.tag();
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

    private String network() {
        boolean toPostgres = random.nextBoolean();
        var proxy = toPostgres ? stage.toPostgres : stage.toStripe;
        String where = toPostgres ? " to postgres" : " to psp";
        switch (random.nextInt(toPostgres ? 7 : 6)) {
            case 0 -> {
                proxy.set(Conditions.unreachable());
                return "down" + where;
            }
            case 1 -> {
                proxy.set(Conditions.fair().latency(Duration.ofMillis(20 + random.nextInt(200))));
                return "latency" + where;
            }
            case 2 -> {
                proxy.set(Conditions.silent());
                return "stalled" + where;
            }
            case 3 -> {
                proxy.resetAll();
                return "reset" + where;
            }
            case 4 -> {
                proxy.set(Conditions.fair().slice(7).bytesPerSecond(40_000));
                return "slow drip" + where;
            }
            case 5 -> {
                proxy.set(Conditions.fair().limit(2_000 + random.nextInt(20_000)));
                return "cut after some bytes" + where;
            }
            default -> {
                for (int i = 0; i < 4; i++) {
                    proxy.loseNextAnswerWith(COMMITTED);
                    Pauses.of(Duration.ofMillis(150));
                }
                return "answer to COMMIT lost";
            }
        }
    }

    private String psp() {
        List<Fault> storms = List.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.AnswerLost(), new Fault.Truncated(),
                new Fault.Reset(), new Fault.RateLimited(1), new Fault.SlowBefore(Duration.ofMillis(700)),
                new Fault.SlowAfter(Duration.ofMillis(700)), new Fault.WrongAmount(1));
        int pick = random.nextInt(storms.size() + 2);
        if (pick == storms.size()) {
            stage.stripe.outage(Duration.ofSeconds(5));
            return "psp answers 503";
        }
        if (pick > storms.size()) {
            stage.stripe.refuseConnections();
            return "psp refuses connections";
        }
        Fault fault = storms.get(pick);
        var rule = FaultRule.once(fault).times(5 + random.nextInt(30));
        stage.storm(random.nextBoolean() ? rule.on(Operation.CONFIRM) : rule);
        return "psp " + fault.text();
    }

    /** A member leaves and comes back, politely or not, several times. */
    private String rebalance() {
        Child member = stage.services.get(1 + random.nextInt(stage.services.size() - 1));
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
