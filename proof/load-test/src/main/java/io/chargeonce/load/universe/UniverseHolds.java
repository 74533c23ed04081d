// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.ledger.Hold;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * People who pause, force and resume PSPs, merchants and tiers at random. While something is paused, no attempt may begin there. Only the
 * strand that has the turn may call it.
 */
final class UniverseHolds {

    private static final Duration SHORTEST = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(12);
    private static final Duration LOOK_EVERY = Duration.ofMillis(700);

    private final Kernel kernel;
    private final List<SimulatedPsp> psps;
    private final PostgresView postgres;
    private final UniverseWitness witness;
    /** A clock that steps tells nothing about which of two things came first. */
    private final boolean judges;
    private boolean looks;
    private boolean over;

    UniverseHolds(Kernel kernel, FaultScheduler scheduler, List<SimulatedPsp> psps, PostgresView postgres, UniverseWitness witness) {
        this.kernel = kernel;
        this.psps = psps;
        this.postgres = postgres;
        this.witness = witness;
        this.judges = !scheduler.knows(Fault.POSTGRES_CLOCK);
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.HOLD, this::change);
    }

    private void change() {
        if (judges && !looks) {
            looks = true;
            kernel.spawn(kernel.world(), "watch of holds", this::watch);
        }
        try {
            if (kernel.chance(0.25)) {
                resumeOne();
            } else {
                put();
            }
        } catch (DatabaseUnavailable | DatabaseRefused noAnswer) {
            kernel.note("a hold was not answered");
        }
    }

    private void put() {
        Hold.Kind kind = Hold.Kind.values()[kernel.random().nextInt(Hold.Kind.values().length)];
        String name = switch (kind) {
            case PSP -> psps.get(kernel.random().nextInt(psps.size())).name;
            case MERCHANT -> Shop.MERCHANTS.get(kernel.random().nextInt(Shop.MERCHANTS.size()));
            case TIER -> Integer.toString(1 + kernel.random().nextInt(Cluster.TIERS.size()));
        };
        boolean forces = kind == Hold.Kind.PSP && kernel.chance(0.3);
        boolean ends = forces || kernel.chance(0.5);
        Duration time = kernel.between(SHORTEST, LONGEST);
        kernel.tell((forces ? "forced " : "paused ") + kind.tag(),
                "a person holds %s %s%s".formatted(kind.tag(), name, ends ? " for " + time.toMillis() + " ms" : ""));
        var until = ends ? Optional.of(holds().inForce().now().plus(time)) : Optional.<java.time.Instant>empty();
        if (forces) {
            holds().force(name, until.orElseThrow(), by());
        } else {
            holds().pause(kind, name, until, by());
        }
    }

    private void resumeOne() {
        List<Hold> held = holds().list();
        if (!held.isEmpty()) {
            Hold one = held.get(kernel.random().nextInt(held.size()));
            kernel.tell("resumed " + one.kind().tag(), "a person resumes %s %s".formatted(one.kind().tag(), one.name()));
            holds().resume(one.kind(), one.name(), by());
        }
    }

    /** Nothing may wait for a person when the universe comes to rest. */
    void resumeAll() {
        over = true;
        holds().list().forEach(hold -> holds().resume(hold.kind(), hold.name(), by()));
    }

    private static final String SENT_ALL_THE_SAME = """
            SELECT string_agg(concat(hold.kind, ' ', name, ': attempt ', psp_key, ' at ', sent_at, ', held since ', since), '; ')
              FROM hold JOIN payment_attempt AS attempt ON sent_at > since + interval '2 seconds'
              JOIN operation_now AS its USING (operation_id)
             WHERE action = 'pause' AND (until IS NULL OR until > clock_timestamp())
               AND CASE hold.kind WHEN 'psp' THEN attempt.psp = name WHEN 'merchant' THEN merchant_id = name
                                  ELSE tier::text = name AND its.state = 'processing' AND its.sequence = attempt.sequence END
            """;

    private void watch() {
        while (!over) {
            kernel.sleep(LOOK_EVERY);
            postgres.text(SENT_ALL_THE_SAME).ifPresent(sent -> witness.saw(Invariant.HOLDS_HOLD, sent));
        }
    }

    private AuditContext by() {
        return new AuditContext("holder", Optional.of("it is simulated"), "run_h" + kernel.steps());
    }

    private static Holds holds() {
        return new Holds(new DeadLetterQueue(SimulationHooks.database(), new Topics("payments")));
    }
}
