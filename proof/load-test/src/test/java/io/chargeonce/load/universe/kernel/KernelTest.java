// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import io.chargeonce.load.universe.SimulationHooks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelTest {

    private final List<String> seen = new ArrayList<>();

    private Kernel play(long seed, Runnable body) {
        var kernel = new Kernel(seed);
        kernel.run(body);
        return kernel;
    }

    private static Host host(String name) {
        return new Host(name, Duration.ZERO);
    }

    @Test
    void an_hour_passes_at_once_when_no_strand_can_go_on() {
        play(1, () -> {
            Instant start = Kernel.it().truth();
            Kernel.it().sleep(Duration.ofHours(1));
            assertThat(Duration.between(start, Kernel.it().truth())).isBetween(Duration.ofHours(1), Duration.ofHours(1).plusSeconds(1));
        });
    }

    @Test
    void a_killed_process_does_nothing_any_more_and_its_last_will_is_done() {
        play(1, () -> {
            Host host = host("mortal");
            host.lastWill.add(() -> seen.add("last will"));
            Kernel.it().spawn(host, "main", () -> {
                Kernel.it().sleep(Duration.ofSeconds(1));
                seen.add("never");
            });
            Kernel.it().point("once");
            Kernel.it().kill(host);
            Kernel.it().sleep(Duration.ofSeconds(5));
        });
        assertThat(seen).containsExactly("last will");
    }

    @Test
    void a_frozen_process_goes_on_where_it_was_when_its_time_has_come() {
        play(1, () -> {
            Host host = host("sleeper");
            Kernel.it().spawn(host, "main", () -> {
                Kernel.it().sleep(Duration.ofSeconds(1));
                seen.add("awake");
            });
            Kernel.it().sleep(Duration.ofMillis(500));
            host.freeze(Kernel.it().now(), Kernel.it().after(Duration.ofSeconds(10)));
            Kernel.it().sleep(Duration.ofSeconds(9));
            assertThat(seen).isEmpty();
            Kernel.it().sleep(Duration.ofSeconds(2));
        });
        assertThat(seen).containsExactly("awake");
    }

    @Test
    void that_a_process_waited_for_postgres_is_known_to_itself_alone() {
        play(1, () -> {
            Host patient = host("patient");
            Kernel.it().spawn(patient, "main", SimulationHooks::noteWait);
            Kernel.it().sleep(Duration.ofSeconds(1));
            Kernel.it().spawn(patient, "again", () -> seen.add("patient " + SimulationHooks.waitedAgo().isPresent()));
            Kernel.it().spawn(host("other"), "main", () -> seen.add("other " + SimulationHooks.waitedAgo().isPresent()));
            Kernel.it().sleep(Duration.ofSeconds(1));
        });
        assertThat(seen).containsExactlyInAnyOrder("patient true", "other false");
    }

    @Test
    void the_seed_decides_who_is_first() {
        assertThat(race(1).hash()).isEqualTo(race(1).hash());
        assertThat(List.of(race(2).hash(), race(3).hash())).doesNotHaveDuplicates().doesNotContain(race(1).hash());
    }

    private Kernel race(long seed) {
        return play(seed, () -> {
            for (int i = 0; i < 5; i++) {
                Kernel.it().spawn(host("runner"), "leg", () -> {
                    for (int step = 0; step < 5; step++) {
                        Kernel.it().point("a step");
                    }
                });
            }
            Kernel.it().sleep(Duration.ofSeconds(1));
        });
    }

    @Test
    void a_bug_in_a_processs_thread_ends_that_thread_and_is_told() {
        Kernel kernel = play(1, () -> {
            Kernel.it().spawn(host("broken"), "main", () -> {
                throw new IllegalArgumentException("as planned");
            });
            Kernel.it().sleep(Duration.ofSeconds(1));
            seen.add("went on");
        });
        assertThat(seen).containsExactly("went on");
        assertThat(kernel.bug()).get().extracting(Throwable::getMessage).isEqualTo("as planned");
    }

    @Test
    void a_bug_outside_of_all_processes_ends_the_universe() {
        assertThatThrownBy(() -> play(1, () -> {
            Kernel.it().spawn(Kernel.it().world(), "broken", () -> {
                throw new IllegalArgumentException("as planned");
            });
            Kernel.it().sleep(Duration.ofSeconds(1));
        })).hasMessage("as planned");
    }

    @Test
    void a_strand_that_waits_for_what_never_comes_is_an_error() {
        assertThatThrownBy(() -> play(1, () -> Kernel.it().await(() -> false, SimulatedThread.NEVER)))
                .hasMessageContaining("waits for ever");
    }
}
