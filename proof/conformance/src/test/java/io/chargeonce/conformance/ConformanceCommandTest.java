// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ConformanceCommandTest {

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:8080", "localhost:8080", "//127.0.0.1", "ftp://127.0.0.1", "http://", "pay"})
    void what_is_no_address_is_said_in_words(String text) {
        var err = new StringWriter();
        int exit = new CommandLine(new ConformanceCommand()).setErr(new PrintWriter(err)).execute("--url", text, "--token", "t");
        assertThat(exit).isEqualTo(2);
        assertThat(err.toString()).startsWith("'" + text + "' is not an http or https URL: write, for example, http://")
                .doesNotContain("Exception");
    }

    private record Ran(int exit, String out, String err) {}

    private static Ran run(String... arguments) {
        var err = new StringWriter();
        var out = new StringWriter();
        int exit = new CommandLine(new ConformanceCommand()).setErr(new PrintWriter(err)).setOut(new PrintWriter(out)).execute(arguments);
        return new Ran(exit, out.toString(), err.toString());
    }

    /** Against a server that answers everything in one way. */
    private static Ran against(HttpHandler answer, String path, String... more) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            answer.handle(exchange);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort() + path;
            return run(Stream.concat(Stream.of("--url", url, "--token", "t"), Stream.of(more)).toArray(String[]::new));
        } finally {
            server.stop(0);
        }
    }

    private static HttpHandler says(int status, String type, String body) {
        return exchange -> {
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.getResponseHeaders().set("Retry-After", "0");
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        };
    }

    private static void assertOneLine(Ran ran, int exit, String... says) {
        assertThat(ran.exit()).as(ran.err()).isEqualTo(exit);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err().lines()).hasSize(1);
        assertThat(ran.err()).startsWith("conformance: ").contains(says).contains("nothing was tried").doesNotContain("Exception");
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void a_token_that_the_server_does_not_take_is_told_and_no_rule_is_called_broken(int status) throws IOException {
        assertOneLine(against(says(status, "text/plain", ""), ""), 2, "the server answers " + status + " to this token");
    }

    @Test
    void a_second_token_that_the_server_does_not_take_is_told_just_so() throws IOException {
        HttpHandler onlyOne = exchange -> says("Bearer t".equals(exchange.getRequestHeaders().getFirst("Authorization")) ? 400 : 401,
                "application/json", "{}").handle(exchange);
        assertOneLine(against(onlyOne, "/orders", "--other-token", "u"), 2, "the server answers 401 to --other-token");
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 404, 405, 501})
    void an_address_that_takes_no_post_is_told(int status) throws IOException {
        assertOneLine(against(says(status, "text/html", "<html>"), "/orders"), 2, "/orders answers " + status + " to POST",
                "--url");
    }

    @ParameterizedTest
    @CsvSource({"200,text/html,<html>welcome</html>", "400,application/json,{}", "404,application/json,{}",
        "400,application/problem+json,{\"type\":\"about:blank\"}"})
    void an_address_without_a_path_that_is_no_chargeonce_is_told(int status, String type, String body) throws IOException {
        assertOneLine(against(says(status, type, body), ""), 2, "is not a Chargeonce server", "--url", "--body");
    }

    @Test
    void a_server_that_is_unwell_is_told() throws IOException {
        assertOneLine(against(says(503, "text/plain", "later"), "/orders"), 3, "answers 503", "again");
    }

    @Test
    void what_does_not_speak_http_is_told() throws IOException {
        try (var socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                while (true) {
                    try (var client = socket.accept()) {
                        client.getOutputStream().write("220 mail\r\n".getBytes(StandardCharsets.US_ASCII));
                    } catch (IOException closed) {
                        return;
                    }
                }
            });
            assertOneLine(run("--url", "http://127.0.0.1:" + socket.getLocalPort(), "--token", "t"), 3, "gives no HTTP answer");
        }
    }

    @Test
    void a_limit_that_does_not_let_the_rules_pass_is_told() throws IOException {
        assertOneLine(against(says(429, "application/json", "{}"), "/orders"), 2, "answers 429", "higher limit");
    }
}
