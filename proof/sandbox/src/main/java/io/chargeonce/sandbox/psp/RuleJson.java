// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Fault rules as JSON: {@code {"fault":"slow_before","delay_ms":500,"operation":"confirm","metadata":{"k":"v"},"times":3}}.
 * Without an operation the rule is for all, as with "any". Without times it applies once; with "always" until it is removed.
 */
final class RuleJson {
    private static final Set<String> KNOWN =
            Set.of("fault", "operation", "metadata", "times", "delay_ms", "retry_after_s", "amount", "status");

    /** What each does, by the name that a rule uses. */
    private static final Map<String, String> FAULTS = new LinkedHashMap<>();

    static {
        FAULTS.put("500_before", "nothing is executed, and the answer is 500");
        FAULTS.put("500_after", "executed, but the answer is 500");
        FAULTS.put("transient_before", "nothing is executed, and the answer says that the same key may come again");
        FAULTS.put("transient_after", "executed, and the answer says that the same key may come again");
        FAULTS.put("answer_lost", "executed, and the connection closes without an answer");
        FAULTS.put("truncated", "executed, and half of the answer comes");
        FAULTS.put("reset", "nothing is executed, and the connection is reset");
        FAULTS.put("429", "nothing is executed: too many requests; retry_after_s is 1 if left out");
        FAULTS.put("refused", "nothing is executed: a 4xx; status is 404 if left out");
        FAULTS.put("slow_before", "executed after a pause; delay_ms is 1000 if left out");
        FAULTS.put("slow_after", "executed at once, answered after a pause of delay_ms");
        FAULTS.put("wrong_amount", "executed as it should be, but the answer says another amount");
    }

    private RuleJson() {}

    /** Throws {@link IllegalArgumentException} with one line that says what is wrong. */
    static FaultRule parse(JsonNode json, List<Endpoint> endpoints) {
        json.propertyNames().forEach(name -> {
            if (!KNOWN.contains(name)) {
                throw new IllegalArgumentException("unknown property " + name + "; a rule has " + KNOWN.stream().sorted().toList());
            }
        });
        Map<String, String> metadata = new LinkedHashMap<>();
        json.path("metadata").properties().forEach(entry -> metadata.put(entry.getKey(), entry.getValue().asString()));
        return new FaultRule(fault(json),
                operation(json.path("operation").asString("any"), endpoints), metadata, times(json.path("times")));
    }

    /** The faults that this PSP can have, a line for each. */
    static String page(FaultRules rules) {
        return FAULTS.entrySet().stream()
                .filter(fault -> rules.isPossible(fault(SandboxJson.tree(SandboxJson.line(Map.of("fault", fault.getKey()))))))
                .map(fault -> "  %-17s %s".formatted(fault.getKey(), fault.getValue())).collect(Collectors.joining("\n"));
    }

    private static Fault fault(JsonNode json) {
        String name = json.path("fault").asString("");
        return switch (name) {
            case "500_before" -> new Fault.FailBefore();
            case "500_after" -> new Fault.FailAfter();
            case "transient_before" -> new Fault.TransientBefore();
            case "transient_after" -> new Fault.TransientAfter();
            case "answer_lost" -> new Fault.AnswerLost();
            case "truncated" -> new Fault.Truncated();
            case "reset" -> new Fault.Reset();
            case "429" -> new Fault.RateLimited(json.path("retry_after_s").asInt(1));
            case "refused" -> new Fault.Refused(json.path("status").asInt(404));
            case "slow_before" -> new Fault.SlowBefore(delay(json));
            case "slow_after" -> new Fault.SlowAfter(delay(json));
            case "wrong_amount" -> new Fault.WrongAmount(json.path("amount").asLong(1));
            default -> throw new IllegalArgumentException("unknown fault '%s'; one of %s".formatted(name,
                    String.join(", ", FAULTS.keySet())));
        };
    }

    private static Duration delay(JsonNode json) {
        return Duration.ofMillis(json.path("delay_ms").asLong(1000));
    }

    private static Optional<Endpoint> operation(String name, List<Endpoint> endpoints) {
        if (name.equals("any")) {
            return Optional.empty();
        }
        return Optional.of(endpoints.stream().filter(operation -> operation.text().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown operation '" + name + "'; any, or one of "
                        + endpoints.stream().map(Endpoint::text).toList())));
    }

    private static OptionalInt times(JsonNode json) {
        if (json.isMissingNode()) {
            return OptionalInt.of(1);
        }
        return json.isString() && json.asString().equals("always") ? OptionalInt.empty() : OptionalInt.of(json.asInt(0));
    }

    /** A rule in force as {@code GET /_sandbox/rules} shows it. */
    record Shown(long id, String fault, String operation, Map<String, String> metadata, String timesLeft) {
        static Shown of(FaultRules.Active active) {
            FaultRule rule = active.rule();
            return new Shown(active.id(), rule.fault().text(), rule.operation().map(Endpoint::text).orElse("any"),
                    rule.metadata(), rule.times().isEmpty() ? "always" : active.left().toString());
        }
    }
}
