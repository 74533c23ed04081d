// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.load.chaos.woven.CrashPoint;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TurnsTest {

    private static final List<CrashPoint> ALL = List.of(CrashPoint.values());

    @Test
    void everything_has_its_turn_once_in_each_round() {
        var turns = new FaultTurns<>(ALL, 1);
        List<CrashPoint> seen =
                IntStream.rangeClosed(1, ALL.size()).mapToObj(campaign -> turns.of(campaign, 3)).flatMap(List::stream).toList();
        for (int round = 0; round < 3; round++) {
            assertThat(seen.subList(round * ALL.size(), (round + 1) * ALL.size())).containsExactlyInAnyOrderElementsOf(ALL);
        }
    }

    @Test
    void a_campaigns_turns_follow_from_the_seed_and_its_number_alone() {
        assertThat(new FaultTurns<>(ALL, 7).of(31, 3)).isEqualTo(new FaultTurns<>(ALL, 7).of(31, 3));
        assertThat(new FaultTurns<>(ALL, 7).of(1, 12)).isNotEqualTo(new FaultTurns<>(ALL, 8).of(1, 12))
                .isNotEqualTo(new FaultTurns<>(ALL, 7).of(2, 12));
    }
}
