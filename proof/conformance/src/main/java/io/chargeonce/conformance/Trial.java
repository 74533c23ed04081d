// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** One rule's trial on the server, with its own key and request. Any thread may send. */
final class Trial {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Duration LONGEST = Duration.ofSeconds(30);
    /** A limit of requests breaks no rule: a request that is refused for it is sent again later. */
    private static final int LIMITED = 429;
    private static final int MOST_SENDS = 30;

    final TriedServer target;
    final String key = "conformance-" + UUID.randomUUID();
    final String body;
    final HttpClient http;

    Trial(TriedServer target, HttpClient http) {
        this.target = target;
        this.http = http;
        this.body = newBody();
    }

    /** An acceptable request that was never sent before. */
    String newBody() {
        return target.body().replace("{unique}", UUID.randomUUID().toString());
    }

    /** The same request in another spelling: blanks and the order of the fields. */
    String respelled() {
        var fields = (ObjectNode) MAPPER.readTree(body);
        var names = new java.util.ArrayList<>(fields.propertyNames());
        java.util.Collections.reverse(names);
        var reversed = MAPPER.createObjectNode();
        names.forEach(name -> reversed.set(name, fields.get(name)));
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(reversed);
    }

    /** Another request: its first whole number is one more, or its first text is longer. */
    String changed() {
        var fields = (ObjectNode) MAPPER.readTree(body);
        for (String name : fields.propertyNames()) {
            if (fields.get(name).isIntegralNumber()) {
                return fields.put(name, fields.get(name).longValue() + 1).toString();
            }
        }
        return newBody();
    }

    Seen send() {
        return send(Optional.of(key), body);
    }

    Seen send(Optional<String> header, String content) {
        return send(header, content, target.token());
    }

    Seen send(Optional<String> header, String content, String token) {
        return send(target.endpoint(), header, content, token);
    }

    /** Under this trial's key to another endpoint. */
    Seen sendTo(URI endpoint, String content) {
        return send(endpoint, Optional.of(key), content, target.token());
    }

    private Seen send(URI endpoint, Optional<String> header, String content, String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint).timeout(LONGEST)
                .header("Content-Type", "application/json").header("Authorization", "Bearer " + token)
                .POST(BodyPublishers.ofString(content));
        header.ifPresent(value -> request.header("Idempotency-Key", value));
        try {
            for (int sends = 1; sends <= MOST_SENDS; sends++) {
                HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
                if (answer.statusCode() != LIMITED) {
                    return new Seen(answer.statusCode(), answer.headers(), answer.body());
                }
                Thread.sleep(retryAfter(answer));
            }
            throw NotTriable.wrongTarget(
                    "%s still answers %d after %d waits, so nothing was tried to the end: give a token with a higher limit"
                            .formatted(endpoint, LIMITED, MOST_SENDS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** At most ten seconds; a second if the server does not say. */
    private static Duration retryAfter(HttpResponse<?> answer) {
        return answer.headers().firstValue("Retry-After").filter(text -> text.matches("\\d{1,5}"))
                .map(text -> Duration.ofSeconds(Math.min(10, Long.parseLong(text)))).orElse(Duration.ofSeconds(1));
    }

    /** @throws IllegalArgumentException if the target's body is no JSON object */
    static void requireObject(String body) {
        try {
            if (MAPPER.readTree(body) instanceof ObjectNode) {
                return;
            }
        } catch (JacksonException e) {
            throw new IllegalArgumentException("the body must be a JSON object", e);
        }
        throw new IllegalArgumentException("the body must be a JSON object");
    }
}
