// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.session.Session;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.wire.PaymentJson;
import io.helidon.webserver.http.ServerRequest;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * One request of a signed-in person.
 *
 * @param body at most the largest body; empty for a GET
 */
record Call(ServerRequest request, Session session, InetAddress client, byte[] body) {

    DeadLetterQueue queue() {
        return session.queue();
    }

    String path(String name) {
        return request.path().pathParameters().get(name);
    }

    /** Empty also for an empty value. */
    Optional<String> query(String name) {
        return request.query().contains(name) ? Optional.of(request.query().get(name)).filter(text -> !text.isEmpty()) : Optional.empty();
    }

    /** Each parameter once, without those that the route itself reads. */
    Map<String, String> queryWithout(List<String> names) {
        var all = new LinkedHashMap<String, String>();
        request.query().toMap().forEach((name, values) -> {
            // A name without "=" has no value at all.
            if (!names.contains(name) && !values.isEmpty() && !values.getLast().isEmpty()) {
                if (values.size() > 1) {
                    throw ConsoleProblems.wrong("%s is given more than once.".formatted(name.replaceAll("[^a-z-]", "?"))).refusal();
                }
                all.put(name, values.getLast());
            }
        });
        return all;
    }

    int limit(int usual, int most) {
        String given = query("limit").orElse("" + usual);
        if (!given.matches("[1-9]\\d{0,3}") || Integer.parseInt(given) > most) {
            throw ConsoleProblems.wrong("limit must be a whole number from 1 to %d.".formatted(most)).refusal();
        }
        return Integer.parseInt(given);
    }

    /** An object. */
    JsonNode json() {
        try {
            JsonNode json = PaymentJson.MAPPER.readTree(body.length == 0 ? new byte[] {'{', '}'} : body);
            if (json.isObject()) {
                return json;
            }
        } catch (JacksonException malformed) {
            throw ConsoleProblems.wrong("The body is not JSON, or a name occurs twice.").refusal();
        }
        throw ConsoleProblems.wrong("The body is not a JSON object.").refusal();
    }

    /** A text field of the body. */
    Optional<String> text(String name) {
        JsonNode value = json().path(name);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isString()) {
            throw ConsoleProblems.wrong("%s is not a text.".formatted(name)).refusal();
        }
        return Optional.of(value.asString()).filter(text -> !text.isBlank());
    }

    /** A whole number of the body. */
    Optional<Integer> number(String name) {
        JsonNode value = json().path(name);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isInt() || value.asInt() < 0) {
            throw ConsoleProblems.wrong("%s is not a whole number from 0 to 2147483647.".formatted(name)).refusal();
        }
        return Optional.of(value.asInt());
    }

    boolean flag(String name) {
        JsonNode value = json().path(name);
        if (!value.isMissingNode() && !value.isNull() && !value.isBoolean()) {
            throw ConsoleProblems.wrong("%s is neither true nor false.".formatted(name)).refusal();
        }
        return value.isBoolean() && value.asBoolean();
    }

    AuditContext by(Optional<String> reason) {
        return session.by(reason, client.getHostAddress());
    }

    AuditContext by(Optional<String> reason, String run) {
        return session.by(reason, client.getHostAddress(), run);
    }
}
