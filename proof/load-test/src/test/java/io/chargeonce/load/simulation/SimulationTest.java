// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.finding.Violation;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.game.Played;
import io.chargeonce.load.game.Reached;
import io.chargeonce.load.plant.Marks;
import io.chargeonce.load.plant.Plant;
import io.chargeonce.sandbox.TestStack;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A small budget of universes; {@code chargeonce load simulate} has any number. */
class SimulationTest {

    private static final Set<Fault> ALL = EnumSet.allOf(Fault.class);
    private static final int SEEDS = 8;
    private static final int MOST_TO_CATCH_A_BUG = 25;
    private static final int MOST_TO_REACH_ALL = 150;

    private static Simulation sound;

    @BeforeAll
    static void open() {
        sound = new Simulation(TestStack.newDatabase(), Optional.empty(), true, ALL);
    }

    @AfterAll
    static void close() {
        sound.close();
    }

    @Test
    void every_universe_balances() {
        LongStream.rangeClosed(1, SEEDS).mapToObj(sound::play).forEach(played -> assertThat(played.verdict().balanced())
                .as("seed %d: %s %s", played.seed(), played.verdict().report(), played.events()).isTrue());
    }

    @Test
    void the_same_seed_takes_the_same_steps_and_another_takes_others() {
        Played once = sound.play(4711);
        Played again = sound.play(4711);
        assertThat(again.hash()).isEqualTo(once.hash());
        assertThat(again.steps()).isEqualTo(once.steps());
        assertThat(again.events()).isEqualTo(once.events());
        assertThat(again.done()).isEqualTo(once.done()).isNotEmpty();
        assertThat(sound.play(4712).hash()).isNotEqualTo(once.hash());
    }

    @Test
    void a_seed_takes_the_same_steps_after_any_other_seeds() {
        try (var simulation = new Simulation(TestStack.newDatabase(), Optional.empty(), true, ALL)) {
            List<String> alone = simulation.play(11).trace();
            for (long before : new long[] {4711, 2}) {
                simulation.play(before);
                assertThat(whereTheyPart(simulation.play(11).trace(), alone)).as("after seed %d", before).isEmpty();
            }
        }
    }

    private static Optional<String> whereTheyPart(List<String> one, List<String> other) {
        int at = Arrays.mismatch(one.toArray(), other.toArray());
        return at < 0 ? Optional.empty() : Optional.of("at %d: %s, and not %s".formatted(at, from(one, at), from(other, at)));
    }

    private static List<String> from(List<String> trace, int at) {
        return trace.subList(at, Math.min(trace.size(), at + 3));
    }

    @Test
    void a_fault_that_is_left_out_never_strikes() {
        try (var calm = new Simulation(TestStack.newDatabase(), Optional.empty(), true, EnumSet.noneOf(Fault.class))) {
            Played played = calm.play(4711);
            assertThat(played.verdict().balanced()).as(played.verdict().report()).isTrue();
            assertThat(played.done()).isEmpty();
        }
    }

    @Test
    @Tag("proof")
    void the_place_of_each_bug_runs_in_some_universe() {
        var marks = new Marks();
        Reached.forget();
        try (var marked = Simulation.marked(TestStack.newDatabase(), marks, ALL)) {
            for (long seed = 1; seed <= MOST_TO_REACH_ALL && !Reached.places().containsAll(marks.places()); seed++) {
                marked.play(seed);
            }
        }
        assertThat(Reached.places()).containsAll(marks.places());
    }

    @ParameterizedTest
    @EnumSource(names = {"OUTCOME_PAST_THE_OUTBOX", "FIFTY_MS_EARLY"})
    void a_planted_bug_is_caught_and_its_seed_balances_without_it(Plant plant) {
        try (var planted = new Simulation(TestStack.newDatabase(), Optional.of(plant), true, ALL)) {
            Played caught = LongStream.rangeClosed(1, MOST_TO_CATCH_A_BUG).mapToObj(planted::play)
                    .filter(played -> !played.verdict().balanced()).findFirst().orElseThrow();
            assertThat(caught.verdict().violations()).extracting(Violation::invariant).containsAnyElementsOf(plant.expected());
            assertThat(sound.play(caught.seed()).verdict().balanced()).isTrue();
        }
    }
}
