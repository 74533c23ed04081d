// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.report;

import io.chargeonce.bench.measure.Results;
import io.chargeonce.bench.measure.RoundSpread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * {@code docs/performance.md}: goals with what was reached, every contestant's figures, and a chart for each. Pure but for the results.
 * For one thread.
 */
public final class PerformancePage {

    private static final List<String> CHARGE = List.of("charge-0ms", "charge-20ms", "charge-100ms");
    private static final List<String> INGEST = List.of("ingest-64-0", "ingest-256-0", "ingest-64-30");

    private final Results results;
    private final Properties reasons;
    private final StringBuilder text = new StringBuilder();
    private final Map<String, String> charts = new LinkedHashMap<>();

    /** @param reasons why a goal is missed, by the goal's id */
    public PerformancePage(Results results, Properties reasons) {
        this.results = results;
        this.reasons = reasons;
    }

    public String render() {
        line("# Performance");
        line("");
        line("Made by `./chargeonce bench report` from the latest files in `proof/benchmarks/results`; edit neither.");
        line("");
        machine();
        method();
        goals();
        CHARGE.forEach(name -> latest(name).ifPresent(result -> contestants(name,
                "Charging, PSP latency %d ms".formatted(result.path("psp_latency_ms").asInt()), result)));
        latest("end-to-end").ifPresent(result -> contestants("end-to-end",
                "End to end over HTTP, PSP latency %d ms".formatted(result.path("psp_latency_ms").asInt()), result));
        latest("latency").ifPresent(this::latency);
        latest("cost").ifPresent(this::cost);
        INGEST.forEach(name -> latest(name).ifPresent(result -> contestants(name, "Ingest, %d connections, %d %% repeated keys".formatted(
                result.path("connections").asInt(), result.path("repeated_percent").asInt()), result)));
        latest("relay").ifPresent(this::relay);
        latest("tiers").ifPresent(this::tiers);
        latest("poison").ifPresent(this::poison);
        latest("fairness-10-10").ifPresent(this::fairness);
        latest("deliveries").ifPresent(this::deliveries);
        latest("backlog").ifPresent(this::backlog);
        latest("dlq").ifPresent(this::deadLetters);
        latest("recovery").ifPresent(this::recovery);
        return text.toString();
    }

    /** By file name; filled by {@link #render}. */
    public Map<String, String> charts() {
        return charts;
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private Optional<JsonNode> latest(String name) {
        List<JsonNode> all = results.of(name);
        if (all.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(all.getLast().has("rounds") && all.getLast().has("against") ? Combined.of(all) : all.getLast());
    }

    private void machine() {
        Optional<JsonNode> any = CHARGE.stream().map(this::latest).flatMap(Optional::stream).findFirst();
        any.map(result -> result.path("machine")).ifPresent(machine -> line(
                ("Machine: %s, %s cores shared by broker, Postgres, contestant, stub and load; %s memory; %s; Java %s. Postgres with "
                        + "`fsync=on` and `synchronous_commit=on`, 12 partitions, requests of about 330 bytes. The load average before "
                        + "each bench stands beside its title: above 1 something else was running too.")
                        .formatted(machine.path("cpu").asString(), machine.path("cores").asString(),
                                machine.path("memory").asString(),
                                machine.path("kernel").asString(), machine.path("java").asString())));
        line("");
    }

    private void method() {
        line("Contestants take turns in random order, after a warm-up; each turn has a database and topics of its own, and a backlog to "
                + "drain. Rates are outcomes read from the outcomes topic a second, between 15 % and 95 % of the backlog: median "
                + "(least–most) of the rounds; a ratio is the median of the ratios round by round. Delays are open loop at half of each "
                + "contestant's own rate, from the intended send to the outcome's arrival. CPU is the process accounting of everything "
                + "together but what is said to be outside: end to end, load and PSP are a process of their own, whose microseconds "
                + "stand for themselves. After each turn the books are checked: a contestant that loses or doubles a payment has failed.");
        line("");
        line("Parallel Consumer is Confluent's, 0.5.3.3. Its maintainers say that Confluent's version is no longer maintained "
                + "([issue 907](https://github.com/confluentinc/parallel-consumer/issues/907)). Its successor is the fork "
                + "[astubbs/parallel-consumer](https://github.com/astubbs/parallel-consumer), on Maven Central as "
                + "`bz.stub.parallelconsumer` from 0.6.0.0 on. The fork was not measured here.");
        line("");
    }

    private void goals() {
        line("## Goals");
        line("");
        line("| bench | figure | goal | reached | |");
        line("| --- | --- | --- | --- | --- |");
        var misses = new ArrayList<String>();
        for (Goal goal : Goal.all()) {
            Optional<Double> value = latest(goal.results()).map(goal.figure()::applyAsDouble).filter(number -> !number.isNaN());
            String state = value.map(number -> goal.isMetBy(number) ? "met" : "**missed**").orElse("not measured");
            line("| %s | %s | %s %s | %s | %s |".formatted(goal.results(), goal.what(), goal.atLeast() ? "≥" : "≤",
                    RoundSpread.brief(goal.bar()), value.map(RoundSpread::brief).orElse("–"), state));
            if (state.equals("**missed**")) {
                misses.add("- `%s`: %s".formatted(goal.id(), reasons.getProperty(goal.id(), "reason not known yet")));
            }
        }
        line("");
        misses.forEach(this::line);
        line("");
    }

    private void contestants(String name, String title, JsonNode result) {
        line("## %s (load before: %s)".formatted(title, result.path("machine").path("load_before").asString()));
        line("");
        line("| contestant | payments/s | chargeonce is | p50 ms | p99 ms | CPU µs | of it Postgres | outside | books |");
        line("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        row(result.path("contestant").asString(), result);
        result.path("against").properties().forEach(other -> row(other.getKey(), other.getValue()));
        line("");
        var chart = new Chart(title + ": payments per second").bar(result.path("contestant").asString(), rate(result));
        result.path("against").properties().forEach(other -> chart.bar(other.getKey(), rate(other.getValue())));
        show(name, chart);
    }

    private void show(String name, Chart chart) {
        charts.put(name + ".svg", chart.svg());
        line("![%s](charts/%s.svg)".formatted(name, name));
        line("");
    }

    private static double rate(JsonNode figures) {
        return figures.path("payments_per_s").asDouble();
    }

    private void row(String name, JsonNode figures) {
        String ratio = figures.has("ratio") ? "%s× (%s–%s)".formatted(RoundSpread.brief(figures.path("ratio").asDouble()),
                RoundSpread.brief(figures.path("ratio_min").asDouble()), RoundSpread.brief(figures.path("ratio_max").asDouble())) : "";
        String books = figures.has("balanced")
                ? figures.path("balanced").asBoolean() ? "balanced" : "**" + figures.path("fault").asString("broken") + "**" : "";
        line("| %s | %s | %s | %s | %s | %s | %s | %s | %s |".formatted(name,
                new RoundSpread(rate(figures), figures.path("payments_per_s_min").asDouble(),
                        figures.path("payments_per_s_max").asDouble()),
                ratio, RoundSpread.brief(figures.path("p50_ms").asDouble()),
                RoundSpread.brief(figures.path("p99_ms").asDouble()), figures.path("cpu_us_per_payment").asInt(),
                micros(figures, "postgres_us_per_payment"), micros(figures, "outside_us_per_payment"), books));
    }

    private static String micros(JsonNode figures, String name) {
        return figures.has(name) ? "" + figures.path(name).asInt() : "";
    }

    private void relay(JsonNode result) {
        line("## Relay (load before: %s)".formatted(result.path("machine").path("load_before").asString()));
        line("");
        show("relay", new Chart("Relay: rows per second").bar("relay", result.path("rows_per_s").asDouble())
                .bar("relay beside an open writer", result.path("rows_per_s_beside_an_open_transaction").asDouble())
                .bar("raw read", result.path("raw_read_per_s").asDouble()).bar("raw produce", result.path("raw_produce_per_s").asDouble()));
        line("A row staged each millisecond reaches a consumer %s ms (p50) and %s ms (p99) after its commit.".formatted(
                RoundSpread.brief(result.path("p50_ms").asDouble()), RoundSpread.brief(result.path("p99_ms").asDouble())));
        line("");
    }

    private void tiers(JsonNode result) {
        line("## Retry tiers (load before: %s)".formatted(result.path("machine").path("load_before").asString()));
        line("");
        line("| | due/s | late, p50 ms | p99 ms | most ms | early | lost |");
        line("| --- | --- | --- | --- | --- | --- | --- |");
        lateness("chargeonce", result);
        result.path("against").properties().forEach(other -> lateness(other.getKey(), other.getValue()));
        line("");
        line("%,d waiting records take %s %% of a core.".formatted(result.path("waiting").asInt(),
                RoundSpread.brief(result.path("waiting_cpu_percent_of_a_core").asDouble())));
        line("");
    }

    private void lateness(String who, JsonNode result) {
        result.path("rates").forEach(rate -> line("| %s | %d | %s | %s | %s | %d | %d |".formatted(who, rate.path("due_per_s").asInt(),
                RoundSpread.brief(rate.path("p50_ms").asDouble()), RoundSpread.brief(rate.path("p99_ms").asDouble()),
                RoundSpread.brief(rate.path("max_ms").asDouble()), rate.path("early").asInt(), rate.path("lost").asInt())));
    }

    private void latency(JsonNode result) {
        line("## One payment at a time (load before: %s)".formatted(result.path("machine").path("load_before").asString()));
        line("");
        line(("%,d payments, each sent when the one before had its outcome, with `Prefer: wait` and the Stripe simulator, which answers "
                + "at once.")
                .formatted(
                        result.path("payments").asInt()));
        line("");
        line("| stage | p50, ms | p99, ms |");
        line("| --- | --- | --- |");
        result.path("stages").properties().forEach(stage -> took(stage.getKey(), stage.getValue()));
        took("the whole", result);
        line("");
        line("Of that, the two calls to the PSP take %s ms, the mean.".formatted(RoundSpread.brief(result.path("psp_ms").asDouble())));
        line("");
    }

    private void took(String stage, JsonNode result) {
        line("| %s | %s | %s |".formatted(stage, RoundSpread.brief(result.path("p50_ms").asDouble()),
                RoundSpread.brief(result.path("p99_ms").asDouble())));
    }

    private void cost(JsonNode result) {
        line("## What one payment costs Postgres (load before: %s)".formatted(result.path("machine").path("load_before").asString()));
        line("");
        line(("%,d payments that succeed at once, with the services as they run. Processor time is that of Postgres's processes, by "
                + "Linux's account. "
                + "One transaction runs at a time, so that the WAL is its statement's; so batches are of another size than under load.")
                .formatted(
                        result.path("payments").asInt()));
        line("");
        line("| statement | µs a payment | WAL, bytes a payment | payments a call |");
        line("| --- | --- | --- | --- |");
        result.path("statements").forEach(each -> line("| %s | %s | %d | %d |".formatted(each.path("statement").asString(),
                RoundSpread.brief(each.path("micros").asDouble()), each.path("wal_bytes").asInt(), each.path("rows_a_call").asInt())));
        line("| all | %s | %d | |".formatted(RoundSpread.brief(result.path("micros").asDouble()), result.path("wal_bytes").asInt()));
        line("");
    }

    private void fairness(JsonNode result) {
        line("## Fairness (load before: %s, after: %s)".formatted(result.path("machine").path("load_before").asString(),
                result.path("machine").path("load_after").asString()));
        line("");
        line(("Ten merchants send %d payments a second each, and then one of them %d times as many. The other nine's p99, quiet and "
                + "beside it, over HTTP; the slow PSP takes 1.5 s, with 200 payments in flight. Medians of %d rounds. "
                + "`./chargeonce bench fairness --share %1$d --times %2$d`.")
                .formatted(result.path("share_per_s").asInt(), result.path("times").asInt(), result.path("rounds").asInt(1)));
        line("");
        line("| noise | to the acceptance, ms | × | to the outcome, ms | × |");
        line("| --- | --- | --- | --- | --- |");
        for (String noise : List.of("flood", "poison", "slow_psp")) {
            JsonNode each = result.path(noise);
            line("| %s | %s → %s | %s | %s → %s | %s |".formatted(noise.replace('_', ' '),
                    RoundSpread.brief(each.path("acceptance_p99_ms_quiet").asDouble()),
                    RoundSpread.brief(each.path("acceptance_p99_ms_noisy").asDouble()),
                    RoundSpread.brief(each.path("acceptance_times").asDouble()),
                    RoundSpread.brief(each.path("outcome_p99_ms_quiet").asDouble()),
                    RoundSpread.brief(each.path("outcome_p99_ms_noisy").asDouble()),
                    RoundSpread.brief(each.path("outcome_times").asDouble())));
        }
        line("");
    }

    private void poison(JsonNode result) {
        line("## Poison (load before: %s)".formatted(result.path("machine").path("load_before").asString()));
        line("");
        line("At %s payments/s the healthy ones' p99 is %s ms while %d %% of the records fail, and %s ms without: %s×.".formatted(
                RoundSpread.brief(result.path("payments_per_s").asDouble()), RoundSpread.brief(result.path("p99_ms").asDouble()),
                result.path("failing_percent").asInt(), RoundSpread.brief(result.path("p99_ms_without").asDouble()),
                RoundSpread.brief(result.path("ratio").asDouble())));
        line("");
    }

    private void deliveries(JsonNode result) {
        line("## Webhooks to merchants (load before: %s)".formatted(result.path("machine").path("load_before").asString()));
        line("");
        line(("%s webhooks/s from one process to the healthy receivers of %d merchants. From the outcome's record to the receiver the p99 "
                + "is %s ms while %d more receivers never answer, and %s ms while those get nothing: %s×. %s")
                .formatted(RoundSpread.brief(result.path("deliveries_per_s").asDouble()),
                        result.path("merchants").asInt() - result.path("hanging").asInt(),
                        RoundSpread.brief(result.path("p99_ms").asDouble()),
                        result.path("hanging").asInt(), RoundSpread.brief(result.path("p99_ms_quiet").asDouble()),
                        RoundSpread.brief(result.path("ratio").asDouble()), result.path("undelivered").asLong() == 0 ? "All came."
                                : "**%d did not come.**".formatted(result.path("undelivered").asLong())));
        line("The p99 by rounds: %s ms with hanging receivers, %s ms without. On %s.".formatted(rounds(result, 1), rounds(result, 0),
                result.path("machine").path("cpu").asString()));
        line("");
    }

    private static String rounds(JsonNode result, int which) {
        return result.path("rounds").path(which).valueStream().map(p99 -> RoundSpread.brief(p99.asDouble()))
                .collect(Collectors.joining(", "));
    }

    private void backlog(JsonNode result) {
        line("## Backlog (load before: %s)".formatted(result.path("machine").path("load_before").asString()));
        line("");
        line("%,d waiting payments drained at %s a second by a process with a heap of %d MiB; books %s.".formatted(
                result.path("payments").asInt(), RoundSpread.brief(rate(result)), result.path("heap_mib").asInt(),
                result.path("balanced").asBoolean() ? "balanced" : "**" + result.path("fault").asString() + "**"));
        result.path("against").properties()
                .forEach(other -> line("%s, with %,d waiting: %s a second; chargeonce is %s×.".formatted(other.getKey(),
                        other.getValue().path("payments").asInt(), RoundSpread.brief(rate(other.getValue())),
                        RoundSpread.brief(other.getValue().path("ratio").asDouble()))));
        line("");
    }

    private void deadLetters(JsonNode result) {
        line("## Dead letters (load before: %s)".formatted(result.path("machine").path("load_before").asString()));
        line("");
        line(("%,d of them, 4 %% never readable, looked at and changed by processes with a heap of %d MiB. From Enter to the first page "
                + "%,d ms, of which Postgres takes %,d; to the summary %,d ms, of which Postgres takes %,d; "
                + "a list of nothing takes %,d ms.")
                .formatted(
                        result.path("letters").asInt(), result.path("heap_mib").asInt(), result.path("first_page_ms").asInt(),
                        result.path("first_page_query_ms").asInt(),
                        result.path("summary_ms").asInt(), result.path("summary_query_ms").asInt(),
                        result.path("start_up_ms").asInt()));
        line(("Purged at %,d a second and merged at %,d, both killed at half-way and begun again. The first is purged %,d ms after Enter, "
                + "and merged %,d ms after it, for the set is frozen first; again after the kill in %,d and %,d ms, for a leader that "
                + "was killed is forgotten after 15 s. Books %s.")
                .formatted(
                        result.path("purge_per_s").asInt(), result.path("merge_per_s").asInt(),
                        result.path("purge_first_after_ms").asInt(),
                        result.path("merge_first_after_ms").asInt(), result.path("purge_first_after_kill_ms").asInt(),
                        result.path("merge_first_after_kill_ms").asInt(),
                        result.path("balanced").asBoolean() ? "balanced" : "**" + result.path("fault").asString() + "**"));
        line("");
    }

    private void recovery(JsonNode result) {
        line("## Recovery (load before: %s)".formatted(result.path("machine").path("load_before").asString()));
        line("");
        line(("Two consumers as processes, %s payments/s. How long after the fault's end as many outcomes come out as payments go in. A "
                + "killed consumer's partitions are its own for the session timeout, %d s.")
                .formatted(
                        RoundSpread.brief(result.path("payments_per_s").asDouble()), result.path("session_timeout_s").asInt()));
        line("");
        line("| fault | recovered after, ms | payments without an outcome at the end |");
        line("| --- | --- | --- |");
        result.path("cells").properties().forEach(cell -> line("| %s | %s | %d |".formatted(cell.getKey().replace('_', ' '),
                cell.getValue().path("recovers").asBoolean() ? "%,d".formatted(cell.getValue().path("recovered_after_ms").asInt())
                        : "**never**",
                cell.getValue().path("missing").asInt())));
        line("");
    }
}
