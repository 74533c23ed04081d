// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import io.chargeonce.load.game.Fault;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Where a planted bug shows.
 *
 * @param faults     in campaigns of these kinds of faults, with commas between; empty if none of theirs bring it to light
 * @param simulation whether universes do
 * @param universes the faults of the universes that are to show it; others would only make it rarer
 * @param sweeping   whether the sweeper works meanwhile: for some bugs it would repair the damage before a check sees it
 */
public record Shows(Optional<String> faults, boolean simulation, Set<Fault> universes, boolean sweeping) {

    private static final Set<Fault> ALL = Set.of(Fault.values());

    static Shows everywhere(String faults) {
        return new Shows(Optional.of(faults), true, ALL, true);
    }

    static Shows inCampaigns(String faults) {
        return new Shows(Optional.of(faults), false, Set.of(), true);
    }

    static Shows inSimulation() {
        return new Shows(Optional.empty(), true, ALL, true);
    }

    static Shows inUniversesOf(Fault first, Fault... others) {
        return inSimulation().in(first, others);
    }

    /** Of universes these alone; others would only make it rarer, or show something else first. */
    Shows in(Fault first, Fault... others) {
        return new Shows(faults, simulation, EnumSet.of(first, others), sweeping);
    }

    Shows withoutSweeper() {
        return new Shows(faults, simulation, universes, false);
    }

    public boolean campaigns() {
        return faults.isPresent();
    }

    /** For people. */
    public String levels() {
        return campaigns() && simulation ? "campaigns, simulation" : campaigns() ? "campaigns" : "simulation";
    }
}
