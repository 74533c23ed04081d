// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.option.Range;
import io.chargeonce.load.chaos.PlantTrials;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.record.Runs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "plants", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Plants each bug in turn and looks whether the checker catches it; then the same campaigns without the bug must "
                + "balance.",
        footer = {"", "Example: write what docs/planted-bugs.md is made of.", "  chargeonce load plants --runs docs/runs.jsonl"})
final class PlantsCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--list",
            description = "Only say which bugs there are, and whether campaigns or universes (load simulate) bring each to light.")
    boolean list;

    @Option(names = "--only", split = ",", paramLabel = "BUG", converter = PlantTag.InCampaigns.class, description = "Only these.")
    List<Plant> only = List.of();

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(names = "--campaigns", defaultValue = "8", paramLabel = "K",
            description = "How many campaigns are run for each bug. Default: ${DEFAULT-VALUE}.")
    int campaigns;

    @Option(names = "--runs", paramLabel = "FILE",
            description = "Put the results on record in this file and in the tables of the pages beside it; other runs stay.")
    Optional<Path> runs = Optional.empty();

    /** 0 if every bug was caught and nothing is found without it, else 1. */
    @Override
    public Integer call() throws IOException {
        new Range(1, 1_000).require(spec, "--campaigns", campaigns);
        runs.ifPresent(file -> Writable.require(spec, "--runs", file));
        var out = spec.commandLine().getOut();
        if (list) {
            Arrays.stream(Plant.values())
                    .forEach(plant -> out.printf("%-27s %-22s %s%n", plant.tag(), plant.shows().levels(), plant.sentence()));
            return 0;
        }
        List<Plant> plants = only.isEmpty() ? Arrays.stream(Plant.values()).filter(plant -> plant.shows().campaigns()).toList() : only;
        var trials = new PlantTrials(out, seed, campaigns);
        boolean all = true;
        for (Plant plant : plants) {
            PlantTrials.Trial trial = trials.run(plant);
            all &= trial.passed();
            if (runs.isPresent()) {
                Runs.in(runs.get()).keep(trial.row());
            }
        }
        return all ? 0 : 1;
    }
}
