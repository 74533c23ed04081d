// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScreenTest {

    @ParameterizedTest
    @CsvSource({"80, 80", "200, 200", "20, 60"})
    void a_pager_behind_a_pipe_has_the_width_of_its_window(String columns, int width) {
        assertThat(Screen.throughPipe(false, Optional.of(columns))).isEqualTo(width);
    }

    @ParameterizedTest
    @CsvSource({"true, 80", "false,", "false, wide", "false, 0", "false, -1", "false, 99999"})
    void a_file_has_no_width_and_neither_has_a_pipe_without_a_window(boolean file, String columns) {
        assertThat(Screen.throughPipe(file, Optional.ofNullable(columns))).isEqualTo(Screen.ENDLESS);
    }
}
