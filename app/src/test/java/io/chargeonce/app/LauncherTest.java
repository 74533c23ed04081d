// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LauncherTest {

    @ParameterizedTest
    @CsvSource({"/opt/c, /opt/c, ./chargeonce", "/opt/c, /opt/c/bin, bin/chargeonce", "/root, /opt/c/bin, /opt/c/bin/chargeonce"})
    void a_hint_is_what_a_person_in_that_directory_types(Path here, Path folder, String typed) {
        assertThat(Launcher.command(here, folder)).isEqualTo(typed);
    }
}
