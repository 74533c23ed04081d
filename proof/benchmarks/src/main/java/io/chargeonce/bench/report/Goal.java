// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import tools.jackson.databind.JsonNode;

/**
 * One figure to reach.
 *
 * @param id      under which the reason for a miss is written down
 * @param results whose latest file it is read from
 * @param atLeast whether more is better
 */
record Goal(String id, String results, String what, double bar, boolean atLeast, ToDoubleFunction<JsonNode> figure) {

    boolean isMetBy(double value) {
        return atLeast ? value >= bar : value <= bar;
    }

    static List<Goal> all() {
        var goals = new ArrayList<Goal>();
        charge(goals, 0, 3.5, "spring-tuned", "spring-async", 3.5);
        charge(goals, 20, 40, "spring", "spring-async", 4);
        charge(goals, 100, 150, "spring", "spring-async", 4);
        for (String peer : List.of("spring", "spring-async")) {
            goals.add(atLeast("end-to-end/" + peer, "end-to-end", "× " + peer + " behind a server with a commit a request", 3,
                    result -> ratio(result, peer)));
        }
        goals.add(atMost("end-to-end/p50", "end-to-end", "ms p50 beyond the PSP's time at half load", 15,
                result -> result.path("p50_ms").asDouble() - result.path("psp_latency_ms").asDouble()));
        goals.add(atMost("end-to-end/p99", "end-to-end", "ms p99 beyond the PSP's time at half load", 60,
                result -> result.path("p99_ms").asDouble() - result.path("psp_latency_ms").asDouble()));
        goals.add(atMost("latency/p50", "latency",
                "ms p50 from the request to the outcome's answer beyond the PSP's time, one payment at a time", 12,
                result -> result.path("p50_ms").asDouble() - result.path("psp_ms").asDouble()));
        for (String setting : List.of("64-0", "256-0", "64-30")) {
            String name = "ingest-" + setting;
            goals.add(atLeast(name + "/one-commit", name, "× a server with a commit a request", 5, result -> ratio(result, "one-commit")));
            goals.add(atLeast(name + "/raw", name, "× the same rows without a server", 0.6, result -> ratio(result, "raw-unnest")));
        }
        goals.add(atMost("ingest-64-0/p99", "ingest-64-0", "ms p99 at 64 connections", 60, result -> result.path("p99_ms").asDouble()));
        goals.add(atLeast("relay/rate", "relay", "rows/s", 14_500, result -> result.path("rows_per_s").asDouble()));
        goals.add(atLeast("relay/limit", "relay", "× the slower of raw read and raw produce", 0.6,
                result -> result.path("ratio").asDouble()));
        goals.add(
                atMost("relay/p99", "relay", "ms p99 from commit to consumer at 1,000/s", 10, result -> result.path("p99_ms").asDouble()));
        goals.add(atMost("tiers/p99-1000", "tiers", "ms late, p99, at 1,000 due/s", 20,
                result -> result.path("rates").path(1).path("p99_ms").asDouble()));
        goals.add(atMost("tiers/spring", "tiers", "× the p99 of Spring's retry topic, at 1,000 due/s", 0.1,
                result -> result.path("rates").path(1).path("p99_ms").asDouble()
                        / result.path("against").path("spring").path("rates").path(1).path("p99_ms").asDouble(Double.NaN)));
        goals.add(atMost("tiers/early", "tiers", "records early", 0, result -> result.path("early").asDouble()));
        goals.add(atMost("tiers/cpu", "tiers", "% of a core while 100,000 wait", 5,
                result -> result.path("waiting_cpu_percent_of_a_core").asDouble()));
        goals.add(atLeast("backlog/peer", "backlog", "× the best peer", 2, result -> result.path("against").properties().stream()
                .mapToDouble(peer -> peer.getValue().path("ratio").asDouble()).min().orElse(Double.NaN)));
        for (String fault : List.of("postgres_restart", "postgres_crash", "backends_killed", "broker_restart")) {
            goals.add(atMost("recovery/" + fault, "recovery", "ms, " + fault.replace('_', ' '), 5_000, result -> recovered(result, fault)));
        }
        goals.add(atMost("recovery/consumer_killed", "recovery", "ms, consumer killed (session timeout 10 s)", 11_000,
                result -> recovered(result, "consumer_killed")));
        goals.add(
                atMost("dlq/first-page", "dlq", "ms from Enter to the first page", 300, result -> result.path("first_page_ms").asDouble()));
        goals.add(atMost("dlq/first-page-query", "dlq", "ms of that in Postgres", 300,
                result -> result.path("first_page_query_ms").asDouble()));
        goals.add(atMost("dlq/summary", "dlq", "ms from Enter to the summary", 2_000, result -> result.path("summary_ms").asDouble()));
        goals.add(atLeast("dlq/merge", "dlq", "letters merged a second, unthrottled", 5_000,
                result -> result.path("merge_per_s").asDouble()));
        goals.add(atMost("poison/ratio", "poison", "× the p99 without failures", 1.2, result -> result.path("ratio").asDouble()));
        for (String noise : List.of("flood", "poison", "slow_psp")) {
            for (String until : List.of("acceptance", "outcome")) {
                goals.add(atMost("fairness/%s-%s".formatted(noise, until), "fairness-10-10",
                        "× the quiet p99 to the %s, one merchant's %s beside it"
                                .formatted(until, noise.replace('_', ' ')),
                        2, result -> result.path(noise).path(until + "_times").asDouble()));
            }
        }
        goals.add(atLeast("deliveries/rate", "deliveries", "webhooks/s to healthy receivers while one in ten hangs", 1_950,
                result -> result.path("deliveries_per_s").asDouble()));
        goals.add(atMost("deliveries/ratio", "deliveries", "× the p99 without hanging receivers", 1.2,
                result -> result.path("ratio").asDouble()));
        return goals;
    }

    private static void charge(List<Goal> goals, int latency, double springBar, String spring, String async, double asyncBar) {
        String name = "charge-" + latency + "ms";
        goals.add(atLeast(name + "/" + spring, name, "× " + spring, springBar, result -> ratio(result, spring)));
        goals.add(atLeast(name + "/" + async, name, "× " + async, asyncBar, result -> ratio(result, async)));
        goals.add(atLeast(name + "/parallel", name, "× the best Parallel Consumer per record", 3,
                result -> Math.min(ratio(result, "parallel-consumer-64"), ratio(result, "parallel-consumer-256"))));
        goals.add(atLeast(name + "/batched", name, "× Parallel Consumer in batches", 0.9,
                result -> ratio(result, "parallel-consumer-batched")));
        goals.add(atLeast(name + "/composite", name, "× composite", 0.75, result -> ratio(result, "composite")));
    }

    /** What never recovers misses every bar. */
    private static double recovered(JsonNode result, String fault) {
        return result.path("cells").path(fault).path("recovered_after_ms").asDouble(Double.POSITIVE_INFINITY);
    }

    private static double ratio(JsonNode result, String contestant) {
        return result.path("against").path(contestant).path("ratio").asDouble(Double.NaN);
    }

    private static Goal atLeast(String id, String results, String what, double bar, ToDoubleFunction<JsonNode> figure) {
        return new Goal(id, results, what, bar, true, figure);
    }

    private static Goal atMost(String id, String results, String what, double bar, ToDoubleFunction<JsonNode> figure) {
        return new Goal(id, results, what, bar, false, figure);
    }
}
