// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.Filters;
import io.chargeonce.console.answer.MoneyJson;
import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.http.Answer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Dead letters in groups. Each group names the filter that shows exactly it, as far as a filter can. */
final class DeadLetterGroups {

    private static final String NONE = "none";

    /** @param more what the filter says beyond the caller's; null if no filter can say it */
    private record Group(String key, List<Summary.Group> parts, Map<String, String> more) {}

    private DeadLetterGroups() {}

    static Answer answer(Call call) {
        Map<String, String> given = DeadLetterRoutes.given(call);
        String by = call.query("by").orElse("cause");
        List<Group> groups = switch (by) {
            case "cause" -> by(call, given, "cause", group -> Optional.of(group.cause()));
            case "psp" -> by(call, given, "psp", Summary.Group::psp);
            case "merchant" -> by(call, given, "merchant", Summary.Group::merchant);
            case "currency" -> byCurrency(call, given);
            case "age" -> byAge(call, given);
            default -> throw ConsoleProblems.wrong("by must be cause, psp, merchant, currency or age.").refusal();
        };
        return ConsoleApi.json(200, Map.of("items", groups.stream().map(group -> json(group, given)).toList()));
    }

    private static Summary summary(Call call, Map<String, String> given) {
        DeadLetterFilter filter = Filters.letters(call.queue(), given, Optional.empty());
        return Summary.of(call.queue(), filter, DeadLetterRoutes.from(call));
    }

    private static List<Group> by(Call call, Map<String, String> given, String option, Function<Summary.Group, Optional<String>> key) {
        Map<String, List<Summary.Group>> parts = summary(call, given).groups().stream()
                .collect(Collectors.groupingBy(group -> key.apply(group).orElse(NONE), LinkedHashMap::new, Collectors.toList()));
        var groups = new ArrayList<Group>();
        parts.forEach((name, its) -> groups.add(new Group(name, its,
                key.apply(its.getFirst()).map(value -> Map.of(option, value)).orElse(null))));
        groups.sort(Comparator.comparing(DeadLetterGroups::sum, Sum.MOST_MONEY_FIRST).thenComparing(Group::key));
        return groups;
    }

    private static List<Group> byCurrency(Call call, Map<String, String> given) {
        var groups = new ArrayList<Group>();
        Summary all = summary(call, given);
        for (String currency : new TreeSet<>(all.total().money().keySet())) {
            groups.add(
                    new Group(currency, summary(call, with(given, Map.of("currency", currency))).groups(), Map.of("currency", currency)));
        }
        List<Summary.Group> poison = all.groups().stream().filter(group -> group.sum().money().isEmpty()).toList();
        if (!poison.isEmpty()) {
            groups.add(new Group(NONE, poison, null));
        }
        return groups;
    }

    /** The ages are disjoint and complete. */
    private static List<Group> byAge(Call call, Map<String, String> given) {
        if (given.containsKey("older-than") || given.containsKey("newer-than")) {
            throw ConsoleProblems.wrong("by=age goes without older-than and newer-than.").refusal();
        }
        var ages = new LinkedHashMap<String, Map<String, String>>();
        ages.put("under 1h", Map.of("newer-than", "1h"));
        ages.put("1h to 1d", Map.of("older-than", "1h", "newer-than", "1d"));
        ages.put("1d to 7d", Map.of("older-than", "1d", "newer-than", "7d"));
        ages.put("over 7d", Map.of("older-than", "7d"));
        var groups = new ArrayList<Group>();
        ages.forEach((name, more) -> {
            List<Summary.Group> parts = summary(call, with(given, more)).groups();
            if (!parts.isEmpty()) {
                groups.add(new Group(name, parts, more));
            }
        });
        return groups;
    }

    private static Map<String, String> with(Map<String, String> given, Map<String, String> more) {
        var both = new LinkedHashMap<>(given);
        both.putAll(more);
        return both;
    }

    private static Sum sum(Group group) {
        return group.parts.stream().map(Summary.Group::sum).reduce(Sum.NOTHING, Sum::plus);
    }

    private static Map<String, Object> json(Group group, Map<String, String> given) {
        Sum sum = sum(group);
        var standings = new SumsByKind<MoneyStatus>();
        group.parts.forEach(part -> standings.addAll(part.standings()));
        var json = new LinkedHashMap<String, Object>();
        json.put("key", group.key);
        json.put("count", sum.count());
        json.put("money", MoneyJson.of(sum));
        json.put("oldest_at", group.parts.stream().map(Summary.Group::since).min(Instant::compareTo).map(Instant::toString).orElse(null));
        json.put("filter", group.more == null ? null : query(with(given, group.more)));
        json.put("standings", Json.standings(standings));
        return json;
    }

    private static String query(Map<String, String> filter) {
        return filter.entrySet().stream().map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }
}
