// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.wire.PaymentJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What a browser does with the console: it keeps the cookie, and sends the token against forgery. */
final class Browser {

    /** @param header by its name, or an empty text */
    record Answer(int status, JsonNode json, String text, Map<String, java.util.List<String>> headers) {

        String header(String name) {
            return headers.getOrDefault(name, java.util.List.of("")).getFirst();
        }

        JsonNode at(String pointer) {
            JsonNode found = json.at(pointer);
            assertThat(found.isMissingNode()).as("no %s in %s", pointer, text).isFalse();
            return found;
        }

        String textAt(String pointer) {
            return at(pointer).asString();
        }
    }

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final String base;
    private Optional<String> cookie = Optional.empty();
    private String csrf = "";

    Browser(int port) {
        this.base = "http://127.0.0.1:" + port;
    }

    Browser signIn(String token) {
        Answer in = trySignIn(token);
        assertThat(in.status()).as(in.text()).isEqualTo(200);
        return this;
    }

    Answer trySignIn(String token) {
        return trySignIn(token, Map.of());
    }

    Answer trySignIn(String token, Map<String, String> headers) {
        Answer answer = send("POST", "/api/session", Optional.of(Map.of("token", token)), headers);
        if (answer.status() == 200) {
            cookie = Optional.of(answer.header("set-cookie").split(";")[0]);
            csrf = answer.json().path("csrf").asString();
        }
        return answer;
    }

    Answer get(String path) {
        return send("GET", path, Optional.empty(), Map.of());
    }

    Answer post(String path, Object body) {
        return send("POST", path, Optional.of(body), Map.of());
    }

    /** As it is. */
    Answer postText(String path, String json) {
        return send("POST", path, Optional.of(new Verbatim(json)), Map.of());
    }

    private record Verbatim(String json) {}

    private static byte[] bytes(Object body) {
        return body instanceof Verbatim verbatim ? verbatim.json.getBytes(StandardCharsets.UTF_8) : PaymentJson.write(body);
    }

    Answer delete(String path) {
        return send("DELETE", path, Optional.empty(), Map.of());
    }

    Answer send(String method, String path, Optional<Object> body, Map<String, String> headers) {
        try {
            var request = request(path).method(method, body.map(Browser::bytes).map(HttpRequest.BodyPublishers::ofByteArray)
                    .orElseGet(HttpRequest.BodyPublishers::noBody));
            body.ifPresent(given -> request.header("Content-Type", "application/json"));
            headers.forEach(request::setHeader);
            var answer = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            String text = new String(answer.body(), StandardCharsets.UTF_8);
            boolean json = answer.headers().firstValue("content-type").filter(type -> type.contains("json") && !type.contains("ndjson"))
                    .isPresent();
            return new Answer(answer.statusCode(), PaymentJson.MAPPER.readTree(json && !text.isEmpty() ? text : "{}"), text,
                    answer.headers().map());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    HttpRequest.Builder request(String path) {
        var request = HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(60));
        cookie.ifPresent(kept -> request.header("Cookie", kept));
        return csrf.isEmpty() ? request : request.header("X-CSRF-Token", csrf);
    }

    static HttpClient http() {
        return HTTP;
    }
}
