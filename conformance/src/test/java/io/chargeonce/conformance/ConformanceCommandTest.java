// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ConformanceCommandTest {

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:8080", "localhost:8080", "//127.0.0.1", "ftp://127.0.0.1", "http://", "pay"})
    void what_is_no_address_is_said_in_words(String text) {
        var err = new StringWriter();
        int exit = new CommandLine(new ConformanceCommand()).setErr(new PrintWriter(err)).execute("--url", text, "--token", "t");
        assertThat(exit).isEqualTo(2);
        assertThat(err.toString()).startsWith("'" + text + "' is no http or https URL: write http://").doesNotContain("Exception");
    }
}
