package io.chargeonce.load.plant;

import java.util.Optional;

/**
 * Where a planted bug shows.
 *
 * @param faults     in campaigns of these kinds of faults, with commas between; empty if none of theirs bring it to light
 * @param simulation whether universes do
 * @param sweeping   whether the sweeper works meanwhile: for some bugs it would mend what they do before anybody can see it
 */
public record Shows(Optional<String> faults, boolean simulation, boolean sweeping) {

    static Shows everywhere(String faults) {
        return new Shows(Optional.of(faults), true, true);
    }

    static Shows inCampaigns(String faults) {
        return new Shows(Optional.of(faults), false, true);
    }

    static Shows inSimulation() {
        return new Shows(Optional.empty(), true, true);
    }

    Shows withoutSweeper() {
        return new Shows(faults, simulation, false);
    }

    public boolean campaigns() {
        return faults.isPresent();
    }

    /** For people. */
    public String levels() {
        return campaigns() && simulation ? "campaigns, simulation" : campaigns() ? "campaigns" : "simulation";
    }
}
