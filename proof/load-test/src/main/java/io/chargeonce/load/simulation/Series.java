// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.game.Played;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.sandbox.PostgresServer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Plays several universes at a time, each in a database of its own, so that no universe depends on another. For one thread.
 */
public final class Series implements AutoCloseable {

    /** How many threads carry all virtual ones; read by the JVM when it makes the first of these. */
    private static final String CARRIERS = "jdk.virtualThreadScheduler.parallelism";

    private final List<Simulation> simulations;

    /**
     * @param plant    a bug to plant into the services first
     * @param sweeping whether the sweeper works; if not, Kafka loses nothing either
     * @param faults   what may go wrong at all
     * @param parallel so many at a time, at least 1
     */
    public Series(PostgresServer postgres, Optional<Plant> plant, boolean sweeping, Set<Fault> faults, int parallel) {
        this.simulations =
                IntStream.range(0, parallel).mapToObj(i -> new Simulation(postgres.newDatabase(), plant, sweeping, faults)).toList();
    }

    /** As the JVM would itself: for a process that does more than play universes. Called before anything makes a virtual thread. */
    public static void carryByAllProcessors() {
        System.setProperty(CARRIERS, String.valueOf(Runtime.getRuntime().availableProcessors()));
    }

    /**
     * A server on which nothing but universes is played.
     *
     * @param parallel so many at a time. One thread of a universe runs at a time, and half of its time waits for Postgres. Another carrier
     * would be woken at every step for nothing.
     */
    public static PostgresServer server(int parallel) {
        System.setProperty(CARRIERS, System.getProperty(CARRIERS, String.valueOf(Math.ceilDiv(parallel, 2))));
        PostgresServer server = PostgresServer.startTemporary();
        Simulation.forgetDisks(server);
        return server;
    }

    /**
     * From the first seed on, until one is not balanced or all are played.
     *
     * @param each told of every universe as it ends, one at a time, in any order
     * @return of those that are not balanced the one with the lowest seed; without any, the one with the last
     */
    public Played play(long first, int seeds, Consumer<Played> each) {
        var run = new Run(first, seeds, each);
        try (var threads = Executors.newFixedThreadPool(simulations.size())) {
            List<? extends Future<?>> players = simulations.stream().map(one -> threads.submit(() -> run.playOn(one))).toList();
            for (Future<?> player : players) {
                player.get();
            }
        } catch (ExecutionException broken) {
            throw new IllegalStateException("A universe could not be played: " + broken.getCause(), broken.getCause());
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while universes were played", interruption);
        }
        return run.chosen.orElseThrow();
    }

    /** What those who play share. */
    private static final class Run {

        private final long first;
        private final int seeds;
        private final Consumer<Played> each;
        private final AtomicInteger next = new AtomicInteger();
        private Optional<Played> chosen = Optional.empty();

        Run(long first, int seeds, Consumer<Played> each) {
            this.first = first;
            this.seeds = seeds;
            this.each = each;
        }

        void playOn(Simulation simulation) {
            boolean whole = false;
            try {
                for (int i = next.getAndIncrement(); i < seeds; i = next.getAndIncrement()) {
                    ended(simulation.play(first + i));
                }
                whole = true;
            } finally {
                if (!whole) {
                    stop();
                }
            }
        }

        /** Seeds are handed out in order, so every one that is lower than a broken one is played. */
        private synchronized void ended(Played played) {
            boolean balanced = played.verdict().balanced();
            if (!balanced) {
                stop();
            }
            boolean soundSoFar = chosen.isEmpty() || chosen.get().verdict().balanced();
            boolean higher = chosen.isEmpty() || played.seed() > chosen.get().seed();
            if (balanced ? soundSoFar && higher : soundSoFar || !higher) {
                chosen = Optional.of(played);
            }
            each.accept(played);
        }

        private void stop() {
            next.set(seeds);
        }
    }

    @Override
    public void close() {
        simulations.forEach(Simulation::close);
    }
}
