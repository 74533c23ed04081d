// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kafka.Broker;
import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Clocks that are wrong. Postgres's clock steps forward only: retries fall due by it, and a step back by hours would rightly delay them
 * by hours.
 */
final class ClockBlows {

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
        return Map.of(Fault.CLOCK_STEP, this::stepProcess, Fault.POSTGRES_CLOCK, this::stepPostgres, Fault.BROKER_CLOCK, this::setBroker);
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
