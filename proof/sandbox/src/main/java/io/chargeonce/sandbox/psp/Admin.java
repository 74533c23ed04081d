// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import io.chargeonce.sandbox.dispute.DisputeStep;
import io.chargeonce.sandbox.dispute.Disputes;
import io.chargeonce.sandbox.dispute.LedgerDispute;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Everything under {@code /_sandbox}: reads the ledger and scripts faults. {@code GET /_sandbox} lists it. No credential is asked:
 * whoever reaches the port may do all of it.
 */
final class Admin {
    private static final String ROOT = "/_sandbox";
    private static final String RULES = "/_sandbox/rules";

    private static final String PAGE = """
            The simulator's own paths. No credential is asked.

            GET    /_sandbox/movements   money that moved, one JSON object a line: ?after=0&limit=1000
            GET    /_sandbox/requests    each request, in the same way
            GET    /_sandbox/disputes    each dispute as it stands, in the same way; POST begins one, or moves it on
            GET    /_sandbox/counts      sums
            GET    /_sandbox/rules       the faults that are set; POST adds one, DELETE removes all
            DELETE /_sandbox/rules/ID    removes one
            POST   /_sandbox/outage      each request is answered 503 for so long; DELETE ends it
            POST   /_sandbox/reset       forgets everything: payments, keys, ledger, faults

            Three answers get lost, and for a minute nothing works:

              curl http://%1$s/_sandbox/rules -d '{"fault": "answer_lost", "times": 3}'
              curl http://%1$s/_sandbox/outage -d '{"for_ms": 60000}'

            A customer disputes a payment at the bank, and later loses (steps: inquiry, opened, taken, returned, won, lost):

              curl http://%1$s/_sandbox/disputes -d '{"payment": "ID IN THE LEDGER", "step": "taken"}'
              curl http://%1$s/_sandbox/disputes -d '{"payment": "ID IN THE LEDGER", "step": "lost"}'

            A fault has these fields:

              fault       one of the list below
              operation   any (if left out), %2$s
              metadata    only requests with these values, such as {"reference": "order-1"}
              times       how many requests meet it: 1 if left out, or "always"

            Faults:

            %3$s
            """;

    private final PspLedger<?, ?> ledger;
    private final FaultRules rules;
    private final Outage outage;
    private final Disputes disputes;
    private final InstantSource clock;

    Admin(PspLedger<?, ?> ledger, FaultRules rules, Outage outage, Disputes disputes, InstantSource clock) {
        this.ledger = ledger;
        this.rules = rules;
        this.outage = outage;
        this.disputes = disputes;
        this.clock = clock;
    }

    /** Whether the request is for this. */
    static boolean serves(HttpRequest request) {
        return request.path().startsWith(ROOT + "/") || request.path().equals(ROOT);
    }

    HttpAnswer answer(HttpRequest request) {
        try {
            return route(request);
        } catch (IllegalArgumentException | JacksonException e) {
            return json(400, Map.of("error", String.valueOf(e.getMessage()).lines().findFirst().orElse("bad request")));
        }
    }

    private HttpAnswer route(HttpRequest request) {
        return switch (request.method() + " " + request.path()) {
            case "GET " + ROOT, "GET " + ROOT + "/" -> page(request);
            case "GET /_sandbox/movements" -> lines(ledger.movements(number(request, "after", 0), number(request, "limit", 1000)));
            case "GET /_sandbox/requests" -> lines(ledger.requests(number(request, "after", 0), number(request, "limit", 1000)));
            case "GET /_sandbox/disputes" ->
                lines(PspLedger.page(disputes.all(), number(request, "after", 0), number(request, "limit", 1000)));
            case "POST /_sandbox/disputes" -> json(201, dispute(request));
            case "GET /_sandbox/counts" -> json(200, ledger.counts());
            case "GET " + RULES -> json(200, rules.all().stream().map(RuleJson.Shown::of).toList());
            case "POST " + RULES -> json(201, Map.of("id", rules.add(RuleJson.parse(SandboxJson.tree(request.body()), rules.endpoints()))));
            case "DELETE " + RULES -> done(rules::clear);
            case "POST /_sandbox/outage" -> done(() -> outage.last(clock.instant(), outage(request)));
            case "DELETE /_sandbox/outage" -> done(outage::end);
            case "POST /_sandbox/reset" -> done(() -> {
                ledger.clear();
                rules.clear();
                outage.end();
            });
            default -> removeRule(request);
        };
    }

    private HttpAnswer page(HttpRequest request) {
        String page = PAGE.formatted(request.header("host").orElse("127.0.0.1"),
                rules.endpoints().stream().map(Endpoint::text).collect(Collectors.joining(", ")),
                RuleJson.page(rules));
        return new HttpAnswer.Full(200, Map.of("Content-Type", "text/plain; charset=utf-8"), page.getBytes(StandardCharsets.UTF_8));
    }

    private HttpAnswer removeRule(HttpRequest request) {
        if (request.method().equals("DELETE") && request.path().matches(RULES + "/\\d{1,18}")
                && rules.remove(Long.parseLong(request.path().substring(RULES.length() + 1)))) {
            return done(() -> {});
        }
        return json(404, Map.of("error", "there is no " + request.method() + " " + request.path()));
    }

    private LedgerDispute dispute(HttpRequest request) {
        JsonNode wanted = SandboxJson.tree(request.body());
        return disputes.become(wanted.path("payment").asString(""), DisputeStep.fromText(wanted.path("step").asString("")));
    }

    private static Duration outage(HttpRequest request) {
        long milliseconds = SandboxJson.tree(request.body()).path("for_ms").asLong(0);
        if (milliseconds < 1) {
            throw new IllegalArgumentException("for_ms must say for how many milliseconds the outage lasts");
        }
        return Duration.ofMillis(milliseconds);
    }

    private static int number(HttpRequest request, String name, int otherwise) {
        for (String parameter : request.query().split("&")) {
            if (parameter.startsWith(name + "=")) {
                String text = parameter.substring(name.length() + 1);
                if (!text.matches("\\d{1,9}")) {
                    throw new IllegalArgumentException(name + " must be a number of at most nine digits, not " + text);
                }
                return Integer.parseInt(text);
            }
        }
        return otherwise;
    }

    private static HttpAnswer done(Runnable action) {
        action.run();
        return json(200, Map.of("done", true));
    }

    private static HttpAnswer json(int status, Object value) {
        return new HttpAnswer.Full(status, Map.of("Content-Type", "application/json"), SandboxJson.line(value));
    }

    private static HttpAnswer lines(List<?> values) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        values.forEach(value -> lines.writeBytes(SandboxJson.line(value)));
        return new HttpAnswer.Full(200, Map.of("Content-Type", "application/x-ndjson"), lines.toByteArray());
    }
}
