// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proof;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.load.chaos.Chaos;
import io.chargeonce.load.chaos.FaultKind;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.record.Run;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Tests the checker: campaigns with one planted bug each, until it is caught; then the same campaigns without the bug must balance. For
 * one thread.
 */
public final class CampaignTrials {

    /** What decides a campaign besides the bug. */
    private record Ground(List<FaultKind> kinds, Map<String, String> settings) {}

    /** Where these bugs are tried. */
    public static final String LEVEL = "campaigns";

    private final PrintWriter out;
    private final long seed;
    private final int campaigns;
    /** How many campaigns balanced without a bug. */
    private final Map<Ground, Integer> sound = new HashMap<>();

    public CampaignTrials(PrintWriter out, long seed, int campaigns) {
        this.out = out;
        this.seed = seed;
        this.campaigns = campaigns;
    }

    /** @param plant one that shows in campaigns */
    public Run run(Plant plant) {
        out.println(plant.tag() + ": " + plant.sentence());
        Chaos.Result result = new Chaos(out, Optional.empty()).run(seed, campaigns, kinds(plant), Optional.of(plant), plant.settings());
        var broken = new TreeSet<String>();
        result.lastVerdict().violations().forEach(violation -> broken.add(violation.invariant().id()));
        boolean reached = plant.isReached(result.reached());
        boolean caught = reached && plant.expected().stream().map(Invariant::id).anyMatch(broken::contains);
        boolean balances = balancesWithout(plant, result.campaigns());
        out.println(!reached ? "  NEVER REACHED: none of %s ran".formatted(plant.places())
                : caught ? "  caught by " + String.join(", ", broken) : "  NOT CAUGHT; it broke " + broken);
        out.println(balances ? "  the same without it balances" : "  THE SAME WITHOUT IT DOES NOT BALANCE");
        out.flush();
        return Run.ofBug(plant.tag(), plant.sentence(), LEVEL, caught ? String.join(", ", broken) : "",
                (caught ? "" : "more than ") + result.campaigns(), balances,
                "./chargeonce load plants --only %s --seed %d --campaigns %d".formatted(plant.tag(), seed, campaigns));
    }

    private boolean balancesWithout(Plant plant, int needed) {
        var ground = new Ground(kinds(plant), plant.settings());
        if (sound.getOrDefault(ground, 0) < needed) {
            Chaos.Result control = new Chaos(out, Optional.empty()).run(seed, needed, kinds(plant), Optional.empty(), plant.settings());
            sound.put(ground, control.sound() ? needed : control.campaigns() - 1);
            if (!control.sound()) {
                out.println(control.report());
            }
        }
        return sound.get(ground) >= needed;
    }

    private static List<FaultKind> kinds(Plant plant) {
        return Arrays.stream(plant.shows().faults().orElseThrow().split(",")).map(FaultKind::fromTag).toList();
    }
}
