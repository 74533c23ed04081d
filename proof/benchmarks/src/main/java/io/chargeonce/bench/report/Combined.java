// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.report;

import io.chargeonce.bench.measure.RoundSpread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The rounds of several runs of a bench as one result. A run need not have had every contestant: what is compared is always
 * two that took turns in the same run. Pure.
 */
final class Combined {

    private static final List<String> MIDDLE = List.of("p50_ms", "p99_ms", "cpu_us_per_payment", "postgres_us_per_payment",
            "outside_us_per_payment", "cpu_ratio");

    private final List<JsonNode> runs;

    private Combined(List<JsonNode> runs) {
        this.runs = runs;
    }

    /**
     * Runs that counted the processor time of load and PSP as the contestant's are no rounds of one that did not.
     *
     * @param runs oldest first; at least one
     */
    static JsonNode of(List<JsonNode> runs) {
        boolean apart = runs.getLast().has("outside_us_per_payment");
        return new Combined(runs.stream().filter(run -> run.has("outside_us_per_payment") == apart).toList()).result();
    }

    private ObjectNode result() {
        ObjectNode result = (ObjectNode) runs.getLast().deepCopy();
        figures(result, runs);
        ObjectNode against = new JsonMapper().createObjectNode();
        for (var entry : others().entrySet()) {
            ObjectNode other = (ObjectNode) entry.getValue().getLast().path("against").path(entry.getKey()).deepCopy();
            figures(other, entry.getValue().stream().map(run -> run.path("against").path(entry.getKey())).toList());
            RoundSpread ratio = RoundSpread.of(ratios(entry.getKey(), entry.getValue()));
            other.put("ratio", round2(ratio.median())).put("ratio_min", round2(ratio.min())).put("ratio_max", round2(ratio.max()));
            against.set(entry.getKey(), other);
        }
        result.set("against", against);
        return result;
    }

    /** Who else took part, and in which runs. */
    private Map<String, List<JsonNode>> others() {
        var others = new LinkedHashMap<String, List<JsonNode>>();
        runs.forEach(run -> run.path("against").propertyNames()
                .forEach(name -> others.computeIfAbsent(name, each -> new ArrayList<>()).add(run)));
        return others;
    }

    private static List<Double> ratios(String other, List<JsonNode> together) {
        var ratios = new ArrayList<Double>();
        for (JsonNode run : together) {
            JsonNode ours = run.path("rounds");
            JsonNode theirs = run.path("against").path(other).path("rounds");
            for (int i = 0; i < theirs.size(); i++) {
                ratios.add(ours.path(i).asDouble() / theirs.path(i).asDouble());
            }
        }
        return ratios;
    }

    private static void figures(ObjectNode into, List<JsonNode> from) {
        ArrayNode rounds = into.putArray("rounds");
        from.forEach(each -> each.path("rounds").forEach(round -> rounds.add(round.asLong())));
        RoundSpread rate = RoundSpread.of(rounds.valueStream().map(JsonNode::asDouble).toList());
        into.put("payments_per_s", Math.round(rate.median())).put("payments_per_s_min", Math.round(rate.min()))
                .put("payments_per_s_max", Math.round(rate.max()));
        for (String name : MIDDLE) {
            if (into.has(name)) {
                List<Double> known = from.stream().filter(each -> each.has(name)).map(each -> each.path(name).asDouble()).toList();
                into.put(name, round2(RoundSpread.of(known).median()));
            }
        }
        if (into.has("balanced")) {
            into.put("balanced", from.stream().allMatch(each -> each.path("balanced").asBoolean()));
        }
        Optional<JsonNode> fault = from.stream().map(each -> each.path("fault")).filter(JsonNode::isString).findFirst();
        fault.ifPresent(first -> into.set("fault", first));
    }

    private static double round2(double value) {
        return Math.round(value * 100) / 100.0;
    }
}
