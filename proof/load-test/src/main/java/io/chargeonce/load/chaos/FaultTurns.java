// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Rounds in which each item has one turn, in an order that the seed decides. Immutable. */
public record FaultTurns<T>(List<T> all, long seed) {

    /** Whose turn it is in a campaign, counted from 1, when each campaign takes so many. */
    List<T> of(int campaign, int each) {
        var turns = new ArrayList<T>();
        for (int i = 0; i < each; i++) {
            int turn = (campaign - 1) * each + i;
            turns.add(round(turn / all.size()).get(turn % all.size()));
        }
        return turns;
    }

    private List<T> round(int number) {
        var round = new ArrayList<>(all);
        Collections.shuffle(round, new Random(seed * 31 + number));
        return round;
    }
}
