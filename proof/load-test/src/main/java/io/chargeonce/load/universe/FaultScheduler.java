// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kafka.Broker;
import io.chargeonce.load.universe.kafka.ModelConsumer;
import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedPostgres;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Draws what goes wrong, from the seed alone: which faults a universe knows at all, when they strike and how long. */
final class FaultScheduler {

    /** How much likelier a process dies there than elsewhere: what it had skipped would be lost. */
    private static final int AFTER_AN_OFFSET_COMMIT = 10;
    /** And while one of its threads hangs, with other records finished behind it. */
    private static final int AFTER_A_THREAD_HUNG = 100;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(75);
    /** How often a moment passes without a blow. */
    private static final double PEACE = 0.2;
    /** Who allows so few wants to see them: then a universe knows all that are allowed. */
    private static final int FEW = 6;

    private final Kernel kernel;
    private final Cluster cluster;
    private final Broker broker;
    private final SimulatedPostgres postgres;
    private final List<SimulatedPsp> psps;
    private final ModelWebhooks webhooks;
    private final Set<Fault> known = EnumSet.noneOf(Fault.class);
    private final Map<Fault, Runnable> blows = new EnumMap<>(Fault.class);
    private final double crash;
    private Instant healedAt = Instant.MAX;

    /** @param allowed what may go wrong at all */
    FaultScheduler(Kernel kernel, Cluster cluster, Broker broker, SimulatedPostgres postgres, List<SimulatedPsp> psps,
                   ModelWebhooks webhooks,
                   Set<Fault> allowed) {
        this.kernel = kernel;
        this.cluster = cluster;
        this.broker = broker;
        this.postgres = postgres;
        this.psps = psps;
        this.webhooks = webhooks;
        for (Fault fault : Fault.values()) {
            // Drawn for each, so that a fault that is left out changes what is drawn of the others as little as can be.
            boolean drawn = kernel.chance(fault.share);
            if (allowed.contains(fault) && (drawn || allowed.size() <= FEW)) {
                known.add(fault);
            }
        }
        this.crash = kernel.random().nextDouble(0.006);
        blows.putAll(new ProcessBlows(kernel, cluster).all());
        blows.putAll(new KafkaFaultActions(kernel, broker).all());
        blows.putAll(new ClockBlows(kernel, cluster, broker, postgres).all());
        blows.putAll(new PspFaultActions(kernel, cluster, psps).all());
        blows.put(Fault.OUTAGE, this::outage);
    }

    /** More that may strike. */
    void also(Map<Fault, Runnable> others) {
        blows.putAll(others);
    }

    boolean knows(Fault fault) {
        return known.contains(fault);
    }

    void begin() {
        kernel.tell("this universe knows " + known);
        kernel.crashes((host, point) -> {
            boolean dies = knows(Fault.KILL) && host != kernel.world() && kernel.chance(crash * times(point));
            if (dies) {
                kernel.tell("killed " + point, host.name + " killed " + point);
            }
            return dies;
        });
        postgres.faults(new SimulatedPostgres.Faults(of(Fault.CONNECTION, 0.06), of(Fault.CONNECTION, 0.06), of(Fault.CONNECTION, 0.5),
                of(Fault.HANG, 0.03), of(Fault.HANG, 0.3), of(Fault.IDLE_TRANSACTION, 0.02)));
        broker.faults(new Broker.Faults(of(Fault.ACKNOWLEDGEMENT, 0.05), of(Fault.ACKNOWLEDGEMENT, 0.1), of(Fault.ACKNOWLEDGEMENT, 0.03)));
        psps.forEach(psp -> psp.faults(new SimulatedPsp.Faults(of(Fault.PSP_CALL, 0.1), of(Fault.PSP_CALL, 0.05), of(Fault.PSP_CALL, 0.1),
                of(Fault.PSP_CALL, 0.1), of(Fault.PSP_CALL, 0.1), of(Fault.PSP_CALL, 0.1), of(Fault.PSP_CALL, 0.1),
                of(Fault.PSP_CALL, 0.05),
                of(Fault.PSP_CALL, 0.03))));
        webhooks.unkind(knows(Fault.WEBHOOK));
        if (knows(Fault.CARD_DATA)) {
            psps.forEach(SimulatedPsp::quote);
        }
        if (knows(Fault.HARSH_OPERATOR)) {
            cluster.beHarsh();
        }
        if (knows(Fault.SOFT_DECLINE)) {
            postgres.presentDeclinesAgain();
        }
        new ClockBlows(kernel, cluster, broker, postgres).setOff(known);
    }

    private static int times(String point) {
        return switch (point) {
            case ModelConsumer.COMMITTED -> AFTER_AN_OFFSET_COMMIT;
            case SimulatedPostgres.HUNG -> AFTER_A_THREAD_HUNG;
            default -> 1;
        };
    }

    private double of(Fault fault, double most) {
        double drawn = kernel.chance(0.4) ? 0 : kernel.random().nextDouble(most);
        return knows(fault) ? drawn : 0;
    }

    /** One blow, or a moment's peace. */
    void strike() {
        kernel.sleep(kernel.between(Duration.ofMillis(100), Duration.ofSeconds(1)));
        List<Fault> striking = new ArrayList<>(known);
        striking.removeIf(fault -> !blows.containsKey(fault));
        if (!kernel.chance(PEACE) && !striking.isEmpty()) {
            blows.get(striking.get(kernel.random().nextInt(striking.size()))).run();
        }
    }

    private interface Switch {
        void down(boolean isDown);
    }

    private void outage() {
        switch (kernel.random().nextInt(3)) {
            case 0 -> outage("Kafka", broker::down);
            case 1 -> outage("Postgres", postgres::down);
            default -> {
                SimulatedPsp psp = psps.get(kernel.random().nextInt(psps.size()));
                outage("PSP " + psp.name, psp::down);
            }
        }
    }

    private void outage(String what, Switch part) {
        Duration time = kernel.between(Duration.ofMillis(100), Duration.ofSeconds(4));
        kernel.tell(what + " away", what + " away for " + time.toMillis() + " ms");
        part.down(true);
        kernel.spawn(kernel.world(), "heal", () -> {
            kernel.sleep(time);
            part.down(false);
        });
    }

    /** Who stands still for long does so to its end, and wakes up in a world that is not well yet. */
    void awaitThaw() {
        if (knows(Fault.LONG_PAUSE) || knows(Fault.IDLE_TRANSACTION)) {
            kernel.await(() -> cluster.alive().stream().noneMatch(host -> host.isFrozen(kernel.now())), kernel.after(LONGEST_PAUSE));
        }
    }

    /** Since when nothing goes wrong. */
    Instant healedAt() {
        return healedAt;
    }

    void heal() {
        kernel.healed();
        kernel.crashes((host, point) -> false);
        postgres.faults(SimulatedPostgres.Faults.NONE);
        broker.faults(new Broker.Faults(0, 0, 0));
        postgres.down(false);
        broker.down(false);
        broker.troubles.clear();
        webhooks.unkind(false);
        psps.forEach(psp -> {
            psp.faults(SimulatedPsp.Faults.NONE);
            psp.mood(SimulatedPsp.Mood.WELL);
            psp.down(false);
            psp.answerAll();
        });
        cluster.alive().forEach(host -> host.frozenUntil = 0);
        cluster.configure("", false);
        if (knows(Fault.ABSENT_PSP)) {
            cluster.alive().stream().filter(host -> !host.name.startsWith("operator")).forEach(kernel::kill);
        }
        kernel.spawn(kernel.world(), "mended", () -> {
            kernel.sleep(Duration.ofSeconds(2));
            postgres.clearRefusals();
        });
        healedNow();
    }

    /** What went on alone after the rest has come to its end too. */
    void healedNow() {
        healedAt = kernel.truth().plusNanos(SimulatedPostgres.clockMicros() * 1_000);
    }

    /** What happens to processes. */
    private static final class ProcessBlows {

        private final Kernel kernel;
        private final Cluster cluster;

        ProcessBlows(Kernel kernel, Cluster cluster) {
            this.kernel = kernel;
            this.cluster = cluster;
        }

        Map<Fault, Runnable> all() {
            return Map.of(Fault.KILL, this::kill,
                    Fault.FREEZE, () -> freeze(Duration.ofMillis(50), Duration.ofSeconds(8)),
                    Fault.LONG_PAUSE, () -> freeze(Duration.ofSeconds(31), Duration.ofSeconds(70)));
        }

        private void freeze(Duration shortest, Duration longest) {
            List<Host> alive = cluster.alive();
            if (!alive.isEmpty()) {
                Host host = alive.get(kernel.random().nextInt(alive.size()));
                Duration time = kernel.between(shortest, longest);
                kernel.tell(time.toSeconds() > 30 ? "frozen for long" : "frozen", host.name + " frozen for " + time.toMillis() + " ms");
                host.freeze(kernel.now(), kernel.after(time));
            }
        }

        private void kill() {
            List<Host> alive = cluster.alive();
            if (!alive.isEmpty()) {
                Host host = alive.get(kernel.random().nextInt(alive.size()));
                kernel.tell("killed", host.name + " killed");
                kernel.kill(host);
            }
        }
    }

    /**
     * Clocks that are wrong. Postgres's clock steps forward only: retries fall due by it, and a step back by hours would rightly delay them
     * by hours.
     */
    private static final class ClockBlows {

        private static final Duration FAR = Duration.ofHours(3);

        private final Kernel kernel;
        private final Cluster cluster;
        private final Broker broker;
        private final SimulatedPostgres postgres;

        ClockBlows(Kernel kernel, Cluster cluster, Broker broker, SimulatedPostgres postgres) {
            this.kernel = kernel;
            this.cluster = cluster;
            this.broker = broker;
            this.postgres = postgres;
        }

        Map<Fault, Runnable> all() {
            return Map.of(Fault.CLOCK_STEP, this::stepProcess, Fault.POSTGRES_CLOCK, this::stepPostgres, Fault.BROKER_CLOCK,
                    this::setBroker);
        }

        /** As it is from the beginning. */
        void setOff(Set<Fault> known) {
            if (known.contains(Fault.POSTGRES_CLOCK)) {
                Duration off = kernel.between(FAR.negated(), FAR);
                kernel.tell("Postgres's clock is off", "Postgres's clock is off by " + off);
                postgres.step(off);
            }
            if (known.contains(Fault.BROKER_CLOCK)) {
                setBroker();
            }
        }

        private void stepProcess() {
            List<Host> alive = cluster.alive();
            if (!alive.isEmpty()) {
                Host host = alive.get(kernel.random().nextInt(alive.size()));
                Duration step = kernel.between(FAR.negated(), FAR);
                kernel.tell("a process's clock stepped", host.name + "'s clock stepped by " + step);
                host.skewMicros += step.toNanos() / 1_000;
            }
        }

        private void stepPostgres() {
            Duration step = kernel.between(Duration.ofSeconds(1), kernel.chance(0.5) ? Duration.ofMinutes(2) : FAR);
            kernel.tell("Postgres's clock stepped", "Postgres's clock stepped by " + step);
            postgres.step(step);
        }

        private void setBroker() {
            Duration off = kernel.between(FAR.negated(), FAR);
            kernel.tell("the broker's clock is off", "the broker's clock is off by " + off);
            broker.troubles.clock(off.toNanos() / 1_000);
        }
    }
}
