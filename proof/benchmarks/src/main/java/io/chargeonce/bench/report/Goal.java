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
        charge(goals, 0, 3, "spring-tuned", "spring-async", 3, 2.5);
        charge(goals, 20, 50, "spring", "spring-async", 2.2, 3);
        charge(goals, 100, 180, "spring", "spring-async", 2.2, 3);
        endToEnd(goals);
        goals.add(atMost("latency/p50", "latency", "ms p50 from the request to the outcome's answer, one payment at a time", 10,
                result -> result.path("p50_ms").asDouble()));
        goals.add(atMost("latency/p99", "latency", "ms p99 from the request to the outcome's answer, one payment at a time", 25,
                result -> result.path("p99_ms").asDouble()));
        goals.add(atMost("cost/wal", "cost", "bytes of WAL a payment", 5_000, result -> result.path("wal_bytes").asDouble()));
        for (String setting : List.of("64-0", "256-0", "64-30")) {
            String name = "ingest-" + setting;
            goals.add(atLeast(name + "/one-commit", name, "× a server with a commit a request", 3, result -> ratio(result, "one-commit")));
            micros(goals, name, "an acceptance", 150, 55);
        }
        goals.add(atMost("ingest-64-0/p99", "ingest-64-0", "ms p99 at 64 connections", 12, result -> result.path("p99_ms").asDouble()));
        goals.add(atLeast("relay/rate", "relay", "rows/s", 80_000, result -> result.path("rows_per_s").asDouble()));
        goals.add(atLeast("relay/limit", "relay", "× the slower of raw read and raw produce", 0.5,
                result -> result.path("ratio").asDouble()));
        goals.add(
                atMost("relay/p99", "relay", "ms p99 from commit to consumer at 1,000/s", 10, result -> result.path("p99_ms").asDouble()));
        goals.add(atMost("tiers/p99-100", "tiers", "ms late, p99, at 100 due/s", 10,
                result -> result.path("rates").path(0).path("p99_ms").asDouble()));
        goals.add(atMost("tiers/p99-1000", "tiers", "ms late, p99, at 1,000 due/s", 10,
                result -> result.path("rates").path(1).path("p99_ms").asDouble()));
        goals.add(atMost("tiers/spring", "tiers", "× the p99 of Spring's retry topic, at 1,000 due/s", 0.1,
                result -> result.path("rates").path(1).path("p99_ms").asDouble()
                        / result.path("against").path("spring").path("rates").path(1).path("p99_ms").asDouble(Double.NaN)));
        goals.add(atMost("tiers/early", "tiers", "records early", 0, result -> result.path("early").asDouble()));
        goals.add(atMost("tiers/cpu", "tiers", "% of a core while 100,000 wait", 2,
                result -> result.path("waiting_cpu_percent_of_a_core").asDouble()));
        goals.add(atLeast("backlog/peer", "backlog", "× the best peer", 1.5, result -> result.path("against").properties().stream()
                .mapToDouble(peer -> peer.getValue().path("ratio").asDouble()).min().orElse(Double.NaN)));
        for (String fault : List.of("postgres_restart", "postgres_crash", "backends_killed", "broker_restart")) {
            goals.add(atMost("recovery/" + fault, "recovery", "ms, " + fault.replace('_', ' '), 1_000, result -> recovered(result, fault)));
        }
        goals.add(atMost("recovery/consumer_killed", "recovery", "ms, consumer killed (session timeout 10 s)", 11_000,
                result -> recovered(result, "consumer_killed")));
        goals.add(
                atMost("dlq/first-page", "dlq", "ms from Enter to the first page", 300, result -> result.path("first_page_ms").asDouble()));
        goals.add(atMost("dlq/first-page-query", "dlq", "ms of that in Postgres", 300,
                result -> result.path("first_page_query_ms").asDouble()));
        goals.add(atMost("dlq/summary", "dlq", "ms from Enter to the summary", 1_500, result -> result.path("summary_ms").asDouble()));
        goals.add(atLeast("dlq/merge", "dlq", "letters merged a second, unthrottled", 8_000,
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

    private static void charge(List<Goal> goals, int latency, double springBar, String spring, String async, double asyncBar,
                               double parallelBar) {
        String name = "charge-" + latency + "ms";
        goals.add(atLeast(name + "/" + spring, name, "× " + spring, springBar, result -> ratio(result, spring)));
        goals.add(atLeast(name + "/" + async, name, "× " + async, asyncBar, result -> ratio(result, async)));
        goals.add(atLeast(name + "/parallel", name, "× the best Parallel Consumer per record", parallelBar,
                result -> Math.min(ratio(result, "parallel-consumer-64"), ratio(result, "parallel-consumer-256"))));
        goals.add(atLeast(name + "/batched", name, "× Parallel Consumer in batches", 0.72,
                result -> ratio(result, "parallel-consumer-batched")));
        goals.add(atLeast(name + "/composite", name, "× composite", 0.72, result -> ratio(result, "composite")));
        micros(goals, name, "a payment", 110, 65);
    }

    /** Processor time of all together, and of Postgres alone. */
    private static void micros(List<Goal> goals, String name, String of, double bar, double postgresBar) {
        goals.add(atMost(name + "/cpu", name, "µs of CPU " + of, bar, result -> result.path("cpu_us_per_payment").asDouble(Double.NaN)));
        goals.add(atMost(name + "/postgres", name, "µs of it in Postgres", postgresBar,
                result -> result.path("postgres_us_per_payment").asDouble(Double.NaN)));
    }

    private static void endToEnd(List<Goal> goals) {
        String name = "end-to-end";
        String peer = " behind a server with a commit a request";
        goals.add(atLeast("end-to-end/spring", name, "× spring" + peer, 8, result -> ratio(result, "spring")));
        goals.add(atLeast("end-to-end/spring-async", name, "× spring-async" + peer, 1.5, result -> ratio(result, "spring-async")));
        goals.add(atLeast("end-to-end/spring-async-cpu", name,
                "× as many payments as spring-async for the same CPU, without that of load and PSP", 1.5,
                result -> result.path("against").path("spring-async").path("cpu_ratio").asDouble(Double.NaN)));
        goals.add(atMost("end-to-end/p50", name, "ms p50 at half load, the PSP's time included", 25,
                result -> result.path("p50_ms").asDouble()));
        goals.add(atMost("end-to-end/p99", name, "ms p99 beyond the PSP's time at half load", 60,
                result -> result.path("p99_ms").asDouble() - result.path("psp_latency_ms").asDouble()));
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
