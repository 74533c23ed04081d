// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Port 1 has no listener. */
class OneLineErrorsTest {

    @TempDir
    Path directory;

    private String call(int status, String command) throws IOException {
        Path recorded = Files.writeString(directory.resolve("recorded.ndjson"), "{\"value\":\"YQ==\"}\n");
        String[] arguments = command.replace("FILE", recorded.toString()).replace("FOLDER", directory.toString()).split(" ");
        var err = new StringWriter();
        int exit = Main.commandLine(arguments).setErr(new PrintWriter(err)).setOut(new PrintWriter(new StringWriter())).execute(arguments);
        assertThat(exit).as(err.toString()).isEqualTo(status);
        assertThat(err.toString()).doesNotContain("Exception");
        return err.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"load run --url http://127.0.0.1:1 --history FOLDER/h --chart FOLDER/c",
        "load check --database jdbc:postgresql://127.0.0.1:1/x --kafka 127.0.0.1:1",
        "load replay FILE --topic payments.requests --kafka 127.0.0.1:1", "conformance --url http://127.0.0.1:1 --token t"})
    void what_cannot_be_reached_is_named_on_one_line_and_the_exit_code_is_3(String command) throws IOException {
        assertThat(call(3, command).lines()).hasSize(1).allSatisfy(line -> assertThat(line)
                .contains("127.0.0.1:1").startsWith("chargeonce "
                        + command.substring(0, command.indexOf(' ', command.indexOf(' ') + 1)).replaceFirst(" -.*", "") + ": "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"load run --url 127.0.0.1:8080", "load run --url localhost:8080", "load run --chart FOLDER/nowhere/c.svg",
        "load run --merchant acme", "load replay nowhere --topic t", "load poison FOLDER/nowhere/p.ndjson"})
    void wrong_usage_is_told_before_anything_is_done(String command) throws IOException {
        assertThat(call(2, command)).isNotBlank();
    }
}
