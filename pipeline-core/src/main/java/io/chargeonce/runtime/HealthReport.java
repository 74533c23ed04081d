// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The result of every check, by name. A check that throws counts as a problem. Immutable. */
record HealthReport(SortedMap<String, Optional<String>> problems) {
    private static final JsonMapper JSON = new JsonMapper();

    static HealthReport of(Map<String, HealthCheck> checks) {
        SortedMap<String, Optional<String>> problems = new TreeMap<>();
        checks.forEach((name, check) -> problems.put(name, run(check)));
        return new HealthReport(problems);
    }

    boolean isUp() {
        return problems.values().stream().allMatch(Optional::isEmpty);
    }

    /** {@code {"status":"up","checks":{"database":{"status":"down","problem":"…"}}}} */
    String toJson() {
        ObjectNode root = JSON.createObjectNode();
        root.put("status", status(isUp()));
        ObjectNode checks = root.putObject("checks");
        problems.forEach((name, problem) -> {
            ObjectNode check = checks.putObject(name).put("status", status(problem.isEmpty()));
            problem.ifPresent(text -> check.put("problem", text));
        });
        return root + "\n";
    }

    /** {@code {"status":"up"}} */
    String withoutChecks() {
        return JSON.createObjectNode().put("status", status(isUp())) + "\n";
    }

    private static String status(boolean up) {
        return up ? "up" : "down";
    }

    private static Optional<String> run(HealthCheck check) {
        try {
            return check.problem();
        } catch (Exception e) {
            return Optional.of(e.toString());
        }
    }
}
