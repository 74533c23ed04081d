// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.chargeonce.load.plant.Plant;
import io.chargeonce.load.record.Results;
import io.chargeonce.load.record.Run;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProofTest {

    private static final String COMMIT = "abc1234";
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir
    Path root;
    private final StringWriter told = new StringWriter();
    private final List<String> done = new ArrayList<>();

    @BeforeEach
    void makeCheckout() throws IOException {
        Files.createDirectories(root.resolve("proof/results"));
        Files.createDirectories(root.resolve("docs"));
        Files.writeString(root.resolve("docs/page.md"), "<!-- runs: unit -->\n");
    }

    private Proof proof(String commit, Duration time, Part... parts) throws IOException {
        return new Proof(new PrintWriter(told), root, commit, time, List.of(parts), root.resolve("a.jar").toString());
    }

    private static Part part(double share, Duration needs, Run... units) {
        return new Part(share, needs, results -> Stream.of(units).filter(unit -> results.find(unit.kind(), unit.name()).isEmpty())
                .findFirst().map(unit -> () -> unit));
    }

    private Part counted(String... names) {
        return new Part(1, Duration.ZERO, results -> Stream.of(names).filter(name -> results.find("unit", name).isEmpty()).findFirst()
                .map(name -> () -> {
                    done.add(name);
                    return unit(name);
                }));
    }

    private static Run unit(String name) {
        return new Run("unit", name, Map.of("unit", name));
    }

    private static Part broken() {
        return part(1, Duration.ZERO, unit("broken").broken("./chargeonce load simulate --seed 417 --seeds 1"));
    }

    @Test
    void after_a_kill_what_is_on_record_is_not_run_again() throws Exception {
        Part killed = new Part(1, Duration.ZERO, results -> Optional.of(() -> {
            throw new IllegalStateException("killed");
        }));
        assertThat(catchThrowable(() -> proof(COMMIT, HOUR, counted("one", "two"), killed).run()))
                .hasMessage("killed");
        assertThat(proof(COMMIT, HOUR, counted("one", "two", "three")).run()).isTrue();
        assertThat(done).containsExactly("one", "two", "three");
        assertThat(Results.of(root, COMMIT).all()).extracting(Run::name).containsExactlyInAnyOrder("one", "two", "three");
    }

    @Test
    void another_commit_begins_anew_and_the_pages_show_the_newest() throws Exception {
        assertThat(proof(COMMIT, HOUR, counted("one")).run()).isTrue();
        assertThat(proof("def5678", HOUR, counted("one")).run()).isTrue();
        assertThat(done).containsExactly("one", "one");
        assertThat(Files.readString(root.resolve("docs/page.md"))).contains("| one | def5678 |").doesNotContain(COMMIT);
    }

    @Test
    void what_is_not_as_it_must_be_ends_it_with_the_command_that_repeats_it() throws Exception {
        assertThat(proof(COMMIT, HOUR, broken(), counted("after")).run()).isFalse();
        assertThat(told.toString()).contains("Proves commit " + COMMIT, "Again: ./chargeonce load simulate --seed 417 --seeds 1\n",
                "goes on from here, if that is as it must be when it is run once more.");
        assertThat(done).isEmpty();
    }

    @Test
    void broken_twice_nothing_more_is_run() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(proof(COMMIT, HOUR, broken(), counted("after")).run()).isFalse();
        }
        assertThat(told.toString()).contains("good tries 0 of 2", "Nothing more is run on this commit: mend it");
        assertThat(proof(COMMIT, HOUR, counted("after")).run()).isFalse();
        assertThat(done).isEmpty();
    }

    @Test
    void what_broke_once_is_run_again_first_and_both_tries_stay_on_record() throws Exception {
        assertThat(proof(COMMIT, HOUR, part(1, Duration.ZERO, unit("before")), broken()).run()).isFalse();
        Part second = new Part(1, Duration.ZERO, results -> results.find("unit", "broken").isPresent() ? Optional.empty()
                : Optional.of(() -> {
                    done.add("second try");
                    return unit("broken");
                }));
        assertThat(proof(COMMIT, HOUR, part(1, Duration.ZERO, unit("before")), counted("one", "two"), second).run()).isTrue();
        assertThat(done).containsExactly("one", "second try", "two");
        assertThat(Results.of(root, COMMIT).all()).filteredOn(run -> run.name().startsWith("broken"))
                .satisfiesExactly(good -> assertThat(good.again()).isEmpty(),
                        first -> assertThat(first.cell("good tries")).contains("1 of 2"));
        assertThat(told.toString()).endsWith("The same command goes on from here.\n");
    }

    /** A row that grows has one second try, for all of its units. */
    @Test
    void after_a_second_try_that_was_good_the_next_break_is_the_last() throws Exception {
        assertThat(proof(COMMIT, HOUR, broken()).run()).isFalse();
        assertThat(proof(COMMIT, HOUR, counted("broken")).run()).isTrue();
        Part grows = new Part(1, Duration.ZERO, results -> Optional.of(() -> unit("broken").broken("again")));
        assertThat(proof(COMMIT, HOUR, grows).run()).isFalse();
        assertThat(told.toString()).endsWith("Nothing more is run on this commit: mend it, and prove the commit with the mending.\n");
    }

    @Test
    void what_another_build_did_is_not_recorded() throws Exception {
        List<Callable<Run>> ends = List.of(() -> unit("other"), () -> {
            throw new IllegalStateException("a class is missing");
        });
        for (Callable<Run> end : ends) {
            Files.deleteIfExists(root.resolve("a.jar"));
            Part rebuilt = new Part(1, Duration.ZERO, results -> Optional.of(() -> {
                Files.writeString(root.resolve("a.jar"), "of another commit");
                return end.call();
            }));
            assertThat(proof(COMMIT, HOUR, counted("one"), rebuilt).run()).isFalse();
            assertThat(Results.of(root, COMMIT).all()).extracting(Run::name).containsExactly("one");
        }
        assertThat(told.toString()).contains("THE BUILD WAS REPLACED");
    }

    @Test
    void campaigns_are_repeated_on_one_stage_and_what_was_not_tried_does_not_hold() {
        assertThat(Parts.campaignsAgain(12)).isEqualTo("./chargeonce load chaos --seed 1 --first 13 --campaigns 6");
        assertThat(Parts.outside("load attack", List.of("one"), List.of(), List.of(), "again").again()).isEmpty();
        assertThat(Parts.outside("load attack", List.of("one"), List.of(), List.of("two"), "again").again()).isPresent();
    }

    @Test
    void a_signal_ends_it_with_what_is_on_record_and_what_it_cut_off_is_not() throws Exception {
        List<Callable<Run>> ends = List.of(() -> unit("cut off").broken("again"), () -> {
            throw new IllegalStateException("cut off");
        });
        for (Callable<Run> end : ends) {
            var proofs = new ArrayList<Proof>();
            Part cutOff = new Part(1, Duration.ZERO, results -> Optional.of(() -> {
                proofs.getLast().stop();
                return end.call();
            }));
            proofs.add(proof(COMMIT, HOUR, counted("one"), cutOff));
            assertThat(proofs.getLast().run()).isFalse();
            assertThat(Results.of(root, COMMIT).all()).extracting(Run::name).containsExactly("one");
        }
        assertThat(told.toString()).contains("The same command goes on from here.").doesNotContain("cut off");
    }

    @Test
    void the_time_is_kept_for_the_parts_that_need_it() throws Exception {
        Part endless = new Part(0.5, Duration.ZERO, results -> Optional.of((Callable<Run>) () -> unit("endless")));
        assertThat(proof(COMMIT, HOUR, endless, part(1, HOUR, unit("last"))).run()).isTrue();
        assertThat(Results.of(root, COMMIT).all()).extracting(Run::name).containsExactly("last");
        assertThat(proof("def5678", Duration.ZERO, part(1, HOUR, unit("last"))).run()).isTrue();
        assertThat(Results.of(root, "def5678").all()).isEmpty();
    }

    @Test
    void the_counts_at_the_end_are_those_of_the_file() throws Exception {
        Run caught = Run.ofBug("one", "is wrong", "simulation", "one-capture", "3", true, "again");
        Run missed = Run.ofBug("two", "is wrong", "simulation", "", "more than 3", true, "again");
        Run unbalanced = Run.ofBug("three", "is wrong", "simulation", "one-capture", "3", false, "again");
        assertThat(proof(COMMIT, HOUR, part(1, Duration.ZERO, caught)).run()).isTrue();
        assertThat(told.toString()).contains("1 of %d planted bugs were caught".formatted(Plant.values().length));
        assertThat(proof("def5678", HOUR, part(1, Duration.ZERO, caught, missed)).run()).isFalse();
        assertThat(proof("fed8765", HOUR, part(1, Duration.ZERO, caught, unbalanced)).run()).isFalse();
        assertThat(told.toString()).contains("bug two, tried in simulation, caught by not caught, after more than 3",
                "bug three, tried", "\nAgain: again\nThe same command goes on");
    }

    @Tag("proof")
    @Test
    void what_campaigns_run_on_holds_all_that_is_tried_from_outside_and_nothing_is_left_out() throws Exception {
        Results results = Results.of(root, COMMIT);
        for (Part part : new Parts(new PrintWriter(told)).all().subList(3, 5)) {
            Run run = part.next().apply(results).orElseThrow().call();
            assertThat(run.again()).as(run.line() + told).isEmpty();
            assertThat(run.cell("not tried")).as(run.line()).contains("none");
            assertThat(run.cell("held")).isEqualTo(run.cell("tried")).isNotEqualTo(Optional.of("0"));
            results.keep(run);
            assertThat(part.next().apply(results)).isEmpty();
        }
    }

    /** So the whole of a proof ends, but for what has no end. */
    @Test
    void each_planted_bug_is_tried_once() throws IOException {
        Part plants = new Parts(new PrintWriter(told)).all().getFirst();
        Results results = Results.of(root, COMMIT);
        for (Plant plant : Plant.values()) {
            assertThat(plants.next().apply(results)).as("before " + plant).isPresent();
            String level = plant.shows().simulation() ? "simulation" : "campaigns";
            results.keep(Run.ofBug(plant.tag(), plant.sentence(), level, "x", "1", true, "a"));
        }
        assertThat(plants.next().apply(results)).isEmpty();
    }
}
