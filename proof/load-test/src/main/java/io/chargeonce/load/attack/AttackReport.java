// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.attack.Attack.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * The result of each attack, a line each.
 *
 * @param results in the order of the list
 */
public record AttackReport(Map<Attack, Result> results) {

    public List<String> fell() {
        return names(Result.Fell.class);
    }

    public List<String> held() {
        return names(Result.Held.class);
    }

    public List<String> notTried() {
        return names(Result.NotTried.class);
    }

    private List<String> names(Class<? extends Result> end) {
        return results.entrySet().stream().filter(each -> end.isInstance(each.getValue())).map(each -> each.getKey().name()).toList();
    }

    private static String word(Result result) {
        return switch (result) {
            case Result.Held held -> "held";
            case Result.Fell fell -> "FELL";
            case Result.NotTried not -> "not tried";
        };
    }

    private static String answer(Result result) {
        return switch (result) {
            case Result.Held held -> held.answer();
            case Result.Fell fell -> fell.answer();
            case Result.NotTried not -> "needs " + not.needs();
        };
    }

    /** For people. */
    public String table() {
        String lines = results.entrySet().stream().map(each -> "  %-22s %-9s %s: %s".formatted(each.getKey().name(), word(each.getValue()),
                each.getKey().tries(), answer(each.getValue()))).collect(Collectors.joining("\n"));
        long tried = results.values().stream().filter(result -> !(result instanceof Result.NotTried)).count();
        return "%s%n%n%d attacks tried, %d not tried. %s".formatted(lines, tried, results.size() - tried,
                fell().isEmpty() ? "All held." : "FELL: " + String.join(", ", fell()));
    }

    /** For programs, in one line. */
    String json() {
        var attacks = new ArrayList<Map<String, String>>();
        results.forEach((attack, result) -> {
            var one = new LinkedHashMap<String, String>();
            one.put("name", attack.name());
            one.put("tried", attack.tries());
            one.put("answer", answer(result));
            one.put("result", word(result).replace(' ', '_').toLowerCase(java.util.Locale.ROOT));
            attacks.add(one);
        });
        return new JsonMapper().writeValueAsString(Map.of("attacks", attacks));
    }
}
