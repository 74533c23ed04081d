// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void a_token_that_the_server_does_not_take_is_told_and_no_rule_is_called_broken(int status) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        try {
            var err = new StringWriter();
            var out = new StringWriter();
            int exit = new CommandLine(new ConformanceCommand()).setErr(new PrintWriter(err)).setOut(new PrintWriter(out))
                    .execute("--url", "http://127.0.0.1:" + server.getAddress().getPort(), "--token", "wrong");
            assertThat(exit).isEqualTo(2);
            assertThat(err.toString()).startsWith("the server answers " + status + " to this token, so nothing was tried");
            assertThat(out.toString()).isEmpty();
        } finally {
            server.stop(0);
        }
    }
}
