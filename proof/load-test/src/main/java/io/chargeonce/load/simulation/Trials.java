// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import io.chargeonce.load.game.Fault;
import io.chargeonce.load.game.Played;
import io.chargeonce.load.game.Reached;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.record.Run;
import io.chargeonce.sandbox.PostgresServer;
import java.io.PrintWriter;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Tests the simulation: plants each bug in turn, until a universe shows it; then the same seed without the bug must balance. For one
 * thread.
 */
public final class Trials {

    /** @param reached whether the bug ran at all */
    private record Trial(Plant plant, Set<String> told, long seed, long universes, boolean reached, boolean caught,
            boolean balancedWithout) {}

    /** Where these bugs are tried. */
    public static final String LEVEL = "simulation";

    /** The table names any other seed. */
    private static final long USUAL = 1;

    private final PrintWriter out;
    private final long first;
    private final int most;
    private final int parallel;
    private final Set<Fault> allowed;

    /**
     * @param most     how many universes each bug has to show itself
     * @param allowed  what may go wrong at all, less what would only make a bug rarer
     * @param parallel so many at a time
     */
    public Trials(PrintWriter out, long first, int most, Set<Fault> allowed, int parallel) {
        this.allowed = allowed;
        this.out = out;
        this.first = first;
        this.most = most;
        this.parallel = parallel;
    }

    /** @param plant one that shows in universes */
    public Run run(PostgresServer postgres, Plant plant) {
        boolean sweeping = plant.shows().sweeping();
        Set<Fault> faults = EnumSet.copyOf(allowed);
        faults.retainAll(plant.shows().universes());
        try (var planted = new Series(postgres, Optional.of(plant), sweeping, faults, parallel);
             var sound = new Simulation(postgres.newDatabase(), Optional.empty(), sweeping, faults)) {
            Reached.forget();
            Trial trial = trial(plant, untilCaught(plant, planted), sound);
            out.println(line(trial));
            out.flush();
            return row(trial);
        }
    }

    /** What the bug breaks beside the expected, in a universe that does not show the expected, ends no trial. */
    private Played untilCaught(Plant plant, Series planted) {
        Played last = planted.play(first, most, played -> {});
        while (!last.verdict().balanced() && !catches(plant, last) && last.seed() < first + most - 1) {
            last = planted.play(last.seed() + 1, (int) (first + most - 1 - last.seed()), played -> {});
        }
        return last;
    }

    private static boolean catches(Plant plant, Played played) {
        return played.verdict().violations().stream().anyMatch(violation -> plant.expected().contains(violation.invariant()));
    }

    private Trial trial(Plant plant, Played planted, Simulation sound) {
        var told = new TreeSet<String>();
        planted.verdict().violations().forEach(violation -> told.add(violation.invariant().id()));
        return new Trial(plant, told, planted.seed(), planted.seed() - first + 1, plant.isReached(Reached.places()),
                catches(plant, planted),
                sound.play(planted.seed()).verdict().balanced());
    }

    private static String line(Trial trial) {
        return "%-28s %s, after %d universes; seed %d without it: %s".formatted(trial.plant.tag(), end(trial), trial.universes, trial.seed,
                trial.balancedWithout ? "balanced" : "NOT BALANCED");
    }

    private static String end(Trial trial) {
        return !trial.reached ? "NEVER REACHED: none of %s ran".formatted(trial.plant.places())
                : trial.caught ? "caught by " + told(trial) : "NOT CAUGHT (told: " + told(trial) + ")";
    }

    private static String told(Trial trial) {
        return String.join(", ", trial.told);
    }

    private Run row(Trial trial) {
        return Run.ofBug(trial.plant.tag(), trial.plant.sentence(), LEVEL, trial.reached && trial.caught ? told(trial) : "",
                (trial.caught ? "" : "more than ") + trial.universes + (first == USUAL ? "" : " from seed " + first),
                trial.balancedWithout, "./chargeonce load simulate --every-plant --only %s --seed %d --seeds %d"
                        .formatted(trial.plant.tag(), first, most));
    }
}
