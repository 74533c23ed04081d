package io.chargeonce.load.simulation;

import io.chargeonce.checker.Invariant;
import io.chargeonce.checker.Verdict;
import io.chargeonce.load.plant.BugTable;
import io.chargeonce.sandbox.PostgresServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Whether simulations have teeth: each flaw in turn, until a universe tells; then the same seed without it. For one thread. */
public final class Trials {

    private record Trial(Flaw flaw, Set<String> told, long seed, int universes, boolean caught, boolean balancedWithout) {}

    private final PrintWriter out;
    private final long first;
    private final int most;
    private final List<Trial> trials = new ArrayList<>();

    /** @param most how many universes each flaw has to show itself */
    public Trials(PrintWriter out, long first, int most) {
        this.out = out;
        this.first = first;
        this.most = most;
    }

    public void run(PostgresServer postgres, List<Flaw> flaws) {
        try (var sound = new Simulation(postgres.newDatabase(), Optional.empty())) {
            for (Flaw flaw : flaws) {
                try (var flawed = new Simulation(postgres.newDatabase(), Optional.of(flaw))) {
                    trials.add(trial(flaw, flawed, sound));
                }
                out.println(line(trials.getLast()));
                out.flush();
            }
        }
    }

    private Trial trial(Flaw flaw, Simulation flawed, Simulation sound) {
        for (int i = 1; true; i++) {
            Verdict verdict = flawed.play(first + i - 1).verdict();
            if (!verdict.balanced() || i == most) {
                var told = new TreeSet<String>();
                verdict.violations().forEach(violation -> told.add(violation.invariant().id()));
                boolean asExpected = flaw.expected().isEmpty() || flaw.expected().stream().map(Invariant::id).anyMatch(told::contains);
                return new Trial(flaw, told, first + i - 1, i, !verdict.balanced() && asExpected,
                        sound.play(first + i - 1).verdict().balanced());
            }
        }
    }

    private static String line(Trial trial) {
        return "%-28s %s, after %d universes; seed %d without it: %s".formatted(trial.flaw.tag(),
                trial.caught ? "caught by " + told(trial) : "NOT CAUGHT", trial.universes, trial.seed,
                trial.balancedWithout ? "balanced" : "NOT BALANCED");
    }

    private static String told(Trial trial) {
        return trial.told.isEmpty() ? "not coming to rest" : String.join(", ", trial.told);
    }

    public boolean allCaught() {
        return trials.stream().allMatch(trial -> trial.caught && trial.balancedWithout);
    }

    /** A row for each bug that was tried; the others' stay. */
    public void writeInto(Path file) throws IOException {
        BugTable table = BugTable.in(file);
        for (Trial trial : trials) {
            table.put(new BugTable.Row(trial.flaw.tag(), trial.flaw.sentence(), "simulation", trial.caught ? told(trial) : "",
                    (trial.caught ? "" : "more than ") + trial.universes, trial.balancedWithout));
        }
    }
}
