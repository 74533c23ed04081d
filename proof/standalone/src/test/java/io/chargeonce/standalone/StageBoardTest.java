// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StageBoardTest {

    @Test
    void many_stages_stand_in_lines_that_a_terminal_of_80_columns_does_not_wrap() {
        assertThat(StageBoard.lines(List.of("accepted 100000", "charging 100000", "tier-1 100000", "tier-2 100000", "tier-3 100000",
                "parked 100000", "unknown 100000")))
                .containsExactly("   accepted 100000 · charging 100000 · tier-1 100000 · tier-2 100000",
                        "   tier-3 100000 · parked 100000 · unknown 100000");
    }

    @Test
    void few_stages_stand_in_one_line() {
        assertThat(StageBoard.lines(List.of("declined 1", "succeeded 2"))).containsExactly("   declined 1 · succeeded 2");
        assertThat(StageBoard.lines(List.of())).containsExactly("   ");
    }
}
