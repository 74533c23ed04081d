// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.console.session.Sessions;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets in, for how long, and what a page of another site can do. */
class SignInTest {

    private static ConsoleWorld world;

    @BeforeAll
    static void start() {
        world = ConsoleWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    private static ConsoleService another(Sessions.Lifetime lifetime) {
        return world.start(lifetime, ConsoleService.Patience.USUAL, world.witness);
    }

    @ParameterizedTest
    @CsvSource({"reader:secret of reader, reader, read", "operator:secret of operator, operator, read operate approve",
        "approver:secret:of approver, operator, read operate approve", "unmasker:secret of unmasker, reader, read unmask"})
    void a_person_has_the_rights_of_their_own_login(String token, String role, String rights) {
        Browser.Answer in = world.browser().trySignIn(token);

        assertThat(in.status()).isEqualTo(200);
        assertThat(in.textAt("/person")).isEqualTo(token.split(":")[0]);
        assertThat(in.textAt("/role")).isEqualTo(role);
        assertThat(in.at("/rights").valueStream().map(right -> right.asString())).containsExactly(rights.split(" "));
        assertThat(in.header("set-cookie")).contains("HttpOnly", "SameSite=Strict", "Path=/").doesNotContain("Secure");
    }

    @ParameterizedTest
    @CsvSource({"reader:wrong, 401, wrong-token", "nobody:x, 401, wrong-token", "readersecret, 400, no-token",
        "stranger:secret of stranger, 403, no-rights", "postgres:x, 403, password-unchecked", "ann:x, 403, password-unchecked"})
    void others_are_not_let_in(String token, int status, String why) {
        try (var console = another(Sessions.Lifetime.USUAL)) {
            Browser.Answer answer = new Browser(console.port()).trySignIn(token);

            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.textAt("/type")).isEqualTo("urn:chargeonce:problem:" + why);
            assertThat(answer.text()).doesNotContain("secret of");
            assertThat(answer.headers()).doesNotContainKey("set-cookie");
        }
    }

    @Test
    void guesses_are_slowed_down_and_then_not_passed_on() {
        try (var console = another(Sessions.Lifetime.USUAL)) {
            var browser = new Browser(console.port());
            await().atMost(Duration.ofSeconds(60)).until(() -> browser.trySignIn("reader:guess").status() == 429);

            Browser.Answer right = browser.trySignIn(ConsoleWorld.READER);

            assertThat(right.status()).isEqualTo(429);
            assertThat(Integer.parseInt(right.header("retry-after"))).isBetween(1, 60);
            assertThat(browser.trySignIn(ConsoleWorld.OPERATOR).status()).as("another person behind the same proxy").isEqualTo(200);
        }
    }

    @Test
    void behind_a_named_proxy_guesses_are_counted_by_the_address_that_it_tells_and_elsewhere_no_header_counts() {
        var guesser = Map.of("X-Forwarded-For", "198.51.100.1");
        var other = Map.of("X-Forwarded-For", "198.51.100.1, 203.0.113.9");
        try (var behind = world.startBehindAProxy(); var open = another(Sessions.Lifetime.USUAL)) {
            for (ConsoleService console : List.of(behind, open)) {
                var browser = new Browser(console.port());
                await().atMost(Duration.ofSeconds(60)).until(() -> browser.trySignIn("reader:guess", guesser).status() == 429);
            }
            assertThat(new Browser(behind.port()).trySignIn(ConsoleWorld.READER, other).status()).as("the person themselves")
                    .isEqualTo(200);
            assertThat(new Browser(open.port()).trySignIn(ConsoleWorld.READER, other).status()).as("a header of anyone").isEqualTo(429);
        }
    }

    @Test
    void without_a_session_nothing_is_told_and_after_the_sign_out_nothing_more() {
        Browser browser = world.browser();
        assertThat(browser.get("/api/overview").status()).isEqualTo(401);
        assertThat(browser.get("/api/session").status()).isEqualTo(401);
        browser.signIn(ConsoleWorld.READER);
        assertThat(browser.get("/api/session").textAt("/person")).isEqualTo("reader");
        assertThat(browser.get("/api/overview").status()).isEqualTo(200);

        Browser.Answer out = browser.delete("/api/session");

        assertThat(out.status()).isEqualTo(204);
        assertThat(out.header("set-cookie")).contains("Max-Age=0");
        assertThat(browser.get("/api/overview").textAt("/type")).isEqualTo("urn:chargeonce:problem:signed-out");
    }

    @Test
    void a_session_ends_when_nothing_is_asked_and_at_the_latest_after_its_time() {
        for (var lifetime : new Sessions.Lifetime[] {new Sessions.Lifetime(Duration.ofMillis(300), Duration.ofHours(1)),
            new Sessions.Lifetime(Duration.ofHours(1), Duration.ofMillis(300))}) {
            try (var console = another(lifetime)) {
                Browser browser = new Browser(console.port()).signIn(ConsoleWorld.READER);
                await().pollDelay(Duration.ofMillis(400)).until(() -> browser.get("/api/session").status() == 401);
            }
        }
    }

    @Test
    void there_are_no_more_than_fifty_sessions() {
        try (var console = another(Sessions.Lifetime.USUAL)) {
            for (int i = 0; i < 10; i++) {
                for (String person : List.of(ConsoleWorld.READER, ConsoleWorld.OPERATOR, ConsoleWorld.APPROVER, ConsoleWorld.UNMASKER,
                        ConsoleWorld.GUEST)) {
                    new Browser(console.port()).signIn(person);
                }
            }
            assertThat(new Browser(console.port()).trySignIn(ConsoleWorld.LATECOMER).textAt("/type")).endsWith("too-many-sessions");
        }
    }

    @Test
    void who_signs_in_very_often_ends_their_own_oldest_session_and_keeps_no_other_out() {
        try (var console = another(Sessions.Lifetime.USUAL)) {
            var browsers = new ArrayList<Browser>();
            for (int i = 0; i < 11; i++) {
                browsers.add(new Browser(console.port()).signIn(ConsoleWorld.READER));
            }
            assertThat(browsers.getFirst().get("/api/session").status()).isEqualTo(401);
            assertThat(browsers.get(1).get("/api/session").status()).isEqualTo(200);
            assertThat(browsers.getLast().get("/api/session").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/overview", "/api/dead-letters/export?unmasked=x", "/api/session"})
    void a_page_on_another_port_of_this_machine_makes_the_console_read_nothing(String path) {
        Browser browser = world.signIn(ConsoleWorld.READER);
        Browser.Answer answer = browser.send("GET", path, Optional.empty(), Map.of("Sec-Fetch-Site", "same-site"));
        assertThat(answer.textAt("/type")).endsWith(":other-origin");
    }

    @Test
    void a_request_without_the_sessions_token_or_from_another_site_changes_nothing() {
        Browser browser = world.signIn(ConsoleWorld.OPERATOR);
        for (Map<String, String> forged : List.of(Map.of("X-CSRF-Token", "other"), Map.of("Origin", "http://evil.example"),
                Map.of("Sec-Fetch-Site", "cross-site"), Map.of("Origin", "null"))) {
            Browser.Answer answer = browser.send("DELETE", "/api/session", Optional.empty(), forged);
            assertThat(answer.status()).as("%s", forged).isEqualTo(403);
        }
        assertThat(browser.get("/api/session").status()).isEqualTo(200);
        String own = "http://127.0.0.1:" + world.port();
        assertThat(browser.send("DELETE", "/api/session", Optional.empty(), Map.of("Origin", own)).status()).isEqualTo(204);
    }

    @Test
    void a_sign_in_that_another_site_sends_is_refused() {
        assertThat(world.browser().send("POST", "/api/session", Optional.of(Map.of("token", ConsoleWorld.READER)),
                Map.of("Origin", "http://evil.example")).status()).isEqualTo(403);
    }

    private static String raw(String request) throws IOException {
        try (var socket = new Socket("127.0.0.1", world.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void a_name_that_another_owns_does_not_lead_here() throws IOException {
        assertThat(raw("GET / HTTP/1.1\r\nHost: evil.example:8081\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 421 ");
        assertThat(raw("GET / HTTP/1.1\r\nHost: localhost:9999\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 200 ");
        assertThat(raw("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")).contains(" 200 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/../../ConsoleService.class", "/%2e%2e/%2e%2e/ConsoleService.class", "/..%2fpage/index.html", "/.git/config",
        "/nothing.js", "//etc/passwd.txt", "/index.html%00.js", "/a\\..\\index.html"})
    void no_path_leads_out_of_the_pages_folder(String path) throws IOException {
        assertThat(raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).matches("(?s)HTTP/1\\.1 40[04] .*");
    }

    @Test
    void every_place_on_the_page_is_the_page_and_is_not_sent_twice() {
        Browser browser = world.browser();
        Browser.Answer index = browser.get("/");
        assertThat(index.header("content-type")).startsWith("text/html");
        assertThat(browser.get("/dead-letters?cause=psp_unwell").text()).isEqualTo(index.text());
        assertThat(index.header("content-security-policy")).isEqualTo("default-src 'none'; script-src 'self'; style-src 'self'; "
                + "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
        assertThat(index.header("x-content-type-options")).isEqualTo("nosniff");

        Browser.Answer again = browser.send("GET", "/", Optional.empty(), Map.of("If-None-Match", index.header("etag")));

        assertThat(again.status()).isEqualTo(304);
        assertThat(again.text()).isEmpty();
    }

    @Test
    void what_is_told_is_stored_nowhere_and_is_only_for_the_page() {
        Browser.Answer overview = world.signIn(ConsoleWorld.READER).get("/api/overview");
        assertThat(overview.header("cache-control")).isEqualTo("no-store");
        assertThat(overview.header("referrer-policy")).isEqualTo("no-referrer");
        assertThat(overview.header("x-frame-options")).isEqualTo("DENY");
    }

    @Test
    void a_request_that_is_too_large_not_json_or_unknown_gets_a_problem() {
        Browser browser = world.signIn(ConsoleWorld.OPERATOR);
        assertThat(browser.post("/api/holds", Map.of("reason", "x".repeat(70_000))).status()).isEqualTo(413);
        assertThat(browser.send("POST", "/api/holds", Optional.of("x"), Map.of("Content-Type", "text/plain")).status()).isEqualTo(415);
        assertThat(browser.get("/api/nothing").status()).isEqualTo(404);
        assertThat(browser.get("/api").status()).isEqualTo(404);
        assertThat(browser.send("PUT", "/api/session", Optional.empty(), Map.of()).status()).isEqualTo(405);
        assertThat(browser.post("/api/holds", Map.of()).textAt("/next")).isNotEmpty();
    }

    @Test
    void a_client_that_is_slow_with_its_request_is_sent_away() throws IOException {
        Duration soon = Duration.ofMillis(300);
        try (var console = world.start(Sessions.Lifetime.USUAL, new ConsoleService.Patience(soon, soon, soon, Duration.ofHours(1)),
                world.witness)) {
            for (String beginning : new String[] {"GET /api/session HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
                "POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"}) {
                try (var socket = new Socket("127.0.0.1", console.port())) {
                    socket.setSoTimeout(30_000);
                    socket.getOutputStream().write(beginning.getBytes(StandardCharsets.US_ASCII));
                    assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)).doesNotContain("200");
                }
            }
        }
    }
}
