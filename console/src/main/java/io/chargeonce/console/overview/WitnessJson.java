// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import io.chargeonce.console.answer.MoneyJson;
import io.chargeonce.console.witness.Hop;
import io.chargeonce.console.witness.Latency;
import io.chargeonce.console.witness.OverdueOperation;
import io.chargeonce.console.witness.OverdueSum;
import io.chargeonce.console.witness.WitnessProgress;
import io.chargeonce.console.witness.RatePoint;
import io.chargeonce.console.witness.Stage;
import io.chargeonce.console.witness.WitnessView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What the witness tells, as JSON: its records' names, in small letters with underscores. */
public final class WitnessJson {

    private WitnessJson() {}

    public static Map<String, Object> progress(WitnessProgress progress) {
        var json = new LinkedHashMap<String, Object>();
        json.put("state", progress.state().name().toLowerCase(Locale.ROOT));
        json.put("percent", progress.percent());
        json.put("records_to_go", progress.recordsToGo());
        json.put("live_since", time(progress.liveSince()));
        json.put("open", progress.open());
        json.put("problem", progress.problem());
        return json;
    }

    public static List<Map<String, Object>> stages(WitnessView witness) {
        return witness.stages().stream().map(WitnessJson::stage).toList();
    }

    private static Map<String, Object> stage(Stage stage) {
        var json = new LinkedHashMap<String, Object>();
        json.put("name", stage.name());
        json.put("kind", stage.kind());
        json.put("currency", stage.currency());
        json.put("in", stage.in());
        json.put("in_money", stage.inMoney());
        json.put("out", stage.out());
        json.put("out_money", stage.outMoney());
        json.put("in_flight", stage.inFlight());
        json.put("in_flight_money", stage.inFlightMoney());
        json.put("difference", stage.difference());
        json.put("difference_money", stage.differenceMoney());
        json.put("differs_since", time(stage.differsSince()));
        return json;
    }

    public static Map<String, Object> overdue(OverdueOperation overdue) {
        var json = new LinkedHashMap<String, Object>();
        json.put("payment_id", overdue.paymentId());
        json.put("operation_id", overdue.operationId());
        json.put("merchant", overdue.merchant());
        json.put("amount", overdue.amount());
        json.put("currency", overdue.currency());
        json.put("accepted_at", time(overdue.acceptedAt()));
        json.put("last_stage", overdue.lastStage());
        json.put("last_seen_at", time(overdue.lastSeenAt()));
        json.put("due_by", time(overdue.dueBy()));
        return json;
    }

    public static List<Map<String, Object>> money(OverdueSum sum) {
        return sum.money().stream().map(one -> MoneyJson.money(one.currency(), one.amount(), one.count())).toList();
    }

    public static Map<String, Object> hop(Hop hop) {
        var json = new LinkedHashMap<String, Object>();
        json.put("at", time(hop.at()));
        json.put("stage", hop.stage());
        json.put("step", hop.step());
        json.put("tier", hop.tier());
        json.put("cause", hop.cause());
        json.put("psp", hop.psp());
        json.put("partition", hop.partition());
        json.put("offset", hop.offset());
        return json;
    }

    /** One series for each key. */
    public static List<Map<String, Object>> series(List<RatePoint> points) {
        var byKey = new LinkedHashMap<String, List<Map<String, Object>>>();
        points.forEach(point -> byKey.computeIfAbsent(point.key(), key -> new ArrayList<>()).add(point(point)));
        var series = new ArrayList<Map<String, Object>>();
        byKey.forEach((key, its) -> {
            var json = new LinkedHashMap<String, Object>();
            json.put("key", key);
            json.put("points", its);
            series.add(json);
        });
        return series;
    }

    private static Map<String, Object> point(RatePoint point) {
        var json = new LinkedHashMap<String, Object>();
        json.put("at", time(point.at()));
        json.put("succeeded", point.succeeded());
        json.put("failed", point.failed());
        json.put("money", point.money().entrySet().stream().sorted(Map.Entry.comparingByKey()).map(entry -> {
            var money = new LinkedHashMap<String, Object>();
            money.put("currency", entry.getKey());
            money.put("amount", entry.getValue());
            return money;
        }).toList());
        return json;
    }

    public static Map<String, Object> latency(Latency latency) {
        var json = new LinkedHashMap<String, Object>();
        json.put("from", latency.from());
        json.put("to", latency.to());
        json.put("p50_ms", latency.p50Ms());
        json.put("p99_ms", latency.p99Ms());
        json.put("count", latency.count());
        return json;
    }

    /** Never says balanced before everything was read. */
    public static Map<String, Object> conservation(WitnessView witness) {
        WitnessProgress progress = witness.progress();
        List<Stage> stages = witness.stages();
        boolean known = progress.state() == WitnessProgress.State.LIVE && progress.problem().isEmpty() && !stages.isEmpty();
        Optional<Instant> differs = stages.stream().map(Stage::differsSince).filter(Objects::nonNull).min(Instant::compareTo);
        var json = new LinkedHashMap<String, Object>();
        json.put("items", stages.stream().map(WitnessJson::stage).toList());
        json.put("balanced", known ? (Object) differs.isEmpty() : null);
        json.put("since", time(differs.orElse(progress.liveSince())));
        return json;
    }

    private static String time(Instant at) {
        return at == null ? null : at.toString();
    }
}
