// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Servers with the usual mistakes: each is found out, by the rule that is about it. */
class BrokenServersTest {

    /** What a server may do wrong. */
    private enum Mistake {
        NONE, IGNORES_KEYS, ONE_NAMESPACE_FOR_ALL, ONE_NAMESPACE_PER_ENDPOINT, COMPARES_BYTES, NEVER_COMPARES, STORES_ERRORS, NO_KEY_NEEDED
    }

    private record Answer(int status, String body, String request) {}

    private static Set<String> brokenBy(Mistake mistake) throws IOException {
        var stored = new ConcurrentHashMap<String, Answer>();
        var ids = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                Answer answer = answer(mistake, stored, ids, exchange.getRequestURI().getPath(),
                        exchange.getRequestHeaders().getFirst("Authorization"),
                        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Idempotency-Key")), body);
                byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(answer.status(), bytes.length);
                exchange.getResponseBody().write(bytes);
                exchange.close();
            });
            server.start();
            var target = new TriedServer(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/orders"), "a", Optional.of("b"),
                    Optional.of("/refunds"), TriedServer.PAYMENT, 422);
            var broken = new TreeSet<String>();
            Conformance.of(target).lines().stream().filter(ConformanceReport.Line::isUnsafe).forEach(line -> broken.add(line.name()));
            server.stop(0);
            return broken;
        }
    }

    private static Answer answer(Mistake mistake, Map<String, Answer> stored, AtomicInteger ids, String path, String tenant,
                                 Optional<String> header, String body) {
        if (!Set.of("Bearer a", "Bearer b").contains(tenant)) {
            return new Answer(401, "no", "");
        }
        Optional<String> key = header.map(value -> value.startsWith("\"") ? value.substring(1, value.length() - 1) : value);
        if (key.filter(value -> !value.isEmpty() && value.length() < 256).isEmpty()) {
            return mistake == Mistake.NO_KEY_NEEDED ? new Answer(201, "made " + ids.incrementAndGet(), "") : new Answer(400, "key", "");
        }
        String name = (mistake == Mistake.ONE_NAMESPACE_PER_ENDPOINT ? path : "") + (mistake == Mistake.ONE_NAMESPACE_FOR_ALL ? "" : tenant)
                + key.get();
        Answer fresh =
                body.endsWith("}") ? new Answer(201, "made " + ids.incrementAndGet(), request(mistake, body)) : new Answer(400, "json", "");
        if (mistake == Mistake.IGNORES_KEYS || fresh.status() == 400 && mistake != Mistake.STORES_ERRORS) {
            return fresh;
        }
        Answer first = stored.computeIfAbsent(name, none -> fresh);
        boolean differs = mistake != Mistake.NEVER_COMPARES && !first.request().equals(fresh.request()) && first.status() == 201;
        return differs ? new Answer(422, "differs", "") : first;
    }

    /** Its characters in order: enough to see past blanks and the order of fields, and to see a changed amount. */
    private static String request(Mistake mistake, String body) {
        return mistake == Mistake.COMPARES_BYTES ? body : body.replaceAll("[\\s,]", "").chars().sorted()
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    }

    @Test
    void a_server_without_mistakes_breaks_nothing() throws IOException {
        assertThat(brokenBy(Mistake.NONE)).isEmpty();
    }

    @Test
    void every_mistake_is_found_by_its_rule() throws IOException {
        assertThat(brokenBy(Mistake.IGNORES_KEYS)).contains("replay-identical", "concurrent", "mismatch", "quoted", "respelled");
        assertThat(brokenBy(Mistake.ONE_NAMESPACE_FOR_ALL)).containsExactly("other-tenant");
        assertThat(brokenBy(Mistake.ONE_NAMESPACE_PER_ENDPOINT)).containsExactly("other-endpoint");
        assertThat(brokenBy(Mistake.COMPARES_BYTES)).containsExactly("respelled");
        assertThat(brokenBy(Mistake.NEVER_COMPARES)).containsExactlyInAnyOrder("mismatch", "other-endpoint");
        assertThat(brokenBy(Mistake.STORES_ERRORS)).containsExactly("error-not-stored");
        assertThat(brokenBy(Mistake.NO_KEY_NEEDED)).containsExactlyInAnyOrder("key-missing", "key-malformed");
    }

    @Test
    void wrong_usage_and_no_server_are_told_apart() {
        var err = new StringWriter();
        var command = new CommandLine(new ConformanceCommand()).setErr(new PrintWriter(err)).setOut(new PrintWriter(new StringWriter()));

        assertThat(command.execute("--url", "nonsense", "--token", "t")).isEqualTo(2);
        assertThat(command.execute("--url", "http://127.0.0.1:1", "--token", "t", "--mismatch-status", "418")).isEqualTo(2);
        assertThat(command.execute("--url", "http://127.0.0.1:1", "--token", "t")).isEqualTo(3);
        assertThat(err.toString()).contains("can't be reached").doesNotContain("Exception");
    }
}
