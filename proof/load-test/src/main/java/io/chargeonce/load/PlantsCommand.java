// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.option.Range;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.proof.CampaignTrials;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "plants", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = "Plants each bug in turn and looks whether the checker catches it; then the same campaigns without the bug must "
                + "balance.",
        footer = {"", "Example: one of them again.", "  chargeonce load plants --only deleted-unacknowledged"})
final class PlantsCommand implements Callable<Integer> {

    @Spec
    CommandSpec spec;

    @Option(names = "--list",
            description = "Only list the bugs, and whether each shows in campaigns or in universes (load simulate).")
    boolean list;

    @Option(names = "--only", split = ",", paramLabel = "BUG", converter = PlantTag.InCampaigns.class, description = "Only these.")
    List<Plant> only = List.of();

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(names = "--campaigns", defaultValue = "8", paramLabel = "K",
            description = "How many campaigns are run for each bug. Default: ${DEFAULT-VALUE}.")
    int campaigns;

    /** 0 if every bug was caught and nothing is found without it, else 1. */
    @Override
    public Integer call() {
        new Range(1, 1_000).require(spec, "--campaigns", campaigns);
        var out = spec.commandLine().getOut();
        if (list) {
            Arrays.stream(Plant.values())
                    .forEach(plant -> out.printf("%-27s %-22s %s%n", plant.tag(), plant.shows().levels(), plant.sentence()));
            return 0;
        }
        List<Plant> plants = only.isEmpty() ? Arrays.stream(Plant.values()).filter(plant -> plant.shows().campaigns()).toList() : only;
        var trials = new CampaignTrials(out, seed, campaigns);
        boolean all = true;
        for (Plant plant : plants) {
            all &= trials.run(plant).again().isEmpty();
        }
        return all ? 0 : 1;
    }
}
