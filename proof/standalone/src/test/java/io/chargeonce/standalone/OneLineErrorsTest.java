// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {"hlep | there is no command 'hlep'. Did you mean 'help'?",
        "dmeo | there is no command 'dmeo'. Did you mean 'demo'?", "up --dta x | there is no option '--dta'. Did you mean '--data'?",
        "up --dta=x | there is no option '--dta'. Did you mean '--data'?",
        "demo --payment 30 | there is no option '--payment'. Did you mean '--payments'?",
        "dlq sumary | there is no command 'sumary'. Did you mean 'summary'?", "load rum | there is no command 'rum'. Did you mean 'run'?",
        "dlq list --cuase x | there is no option '--cuase'. Did you mean '--cause'?",
        "elephant | there is no command 'elephant'", "up now | 'now' is one word too many"})
    void a_typo_is_told_with_the_name_that_was_probably_meant(String command, String problem) throws IOException {
        assertThat(call(2, command).lines()).hasSize(2).first().asString().endsWith(": " + problem);
    }

    @Test
    void without_a_command_the_first_one_to_try_is_named() {
        var err = new StringWriter();
        assertThat(Main.commandLine().setErr(new PrintWriter(err)).execute()).isEqualTo(2);
        assertThat(err.toString()).contains("name a command; './chargeonce demo' shows");
    }

    @ParameterizedTest
    @CsvSource({"up --ingest-port 99999, '--ingest-port is 99999, but a port is a number from 0 to 65535'",
        "up --kafka-port 7070 --stripe-port 7070, --stripe-port and --kafka-port are both 7070",
        "up --data FILE/x, is not a directory", "demo --payments 3, '--payments is 3, but must be from 20 to 100000'"})
    void what_cannot_work_is_told_before_anything_starts(String command, String problem) throws IOException {
        assertThat(call(2, command)).contains(problem).contains("Nothing was changed");
    }

    @Test
    void a_port_in_use_is_told_with_the_option_that_names_another() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             var too = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(call(2, "up --adyen-port %d --postgres-port %d".formatted(taken.getLocalPort(), too.getLocalPort())))
                    .contains("port %d is in use: choose another with --adyen-port".formatted(taken.getLocalPort()))
                    .contains("port %d is in use: choose another with --postgres-port".formatted(too.getLocalPort()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"load run --url 127.0.0.1:8080", "load run --url localhost:8080", "load run --chart FOLDER/nowhere/c.svg",
        "load run --merchant acme", "load replay nowhere --topic t", "load poison FOLDER/nowhere/p.ndjson",
        "migrate --operator ann --passwords FOLDER/nowhere"})
    void wrong_usage_is_told_before_anything_is_done(String command) throws IOException {
        assertThat(call(2, command)).isNotBlank();
    }
}
