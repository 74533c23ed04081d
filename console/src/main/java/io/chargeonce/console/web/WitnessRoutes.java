// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.overview.WitnessJson;
import io.chargeonce.console.witness.OverdueSum;
import io.chargeonce.console.witness.RateBy;
import io.chargeonce.console.witness.WitnessView;
import io.chargeonce.http.Answer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What the witness knows. It is for those who are signed in, like the rest. */
record WitnessRoutes(WitnessView witness) implements ConsoleApi.Routes {

    private static final int USUAL = 100;
    private static final int MOST = 1_000;

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/overdue", this::overdue);
        rules.get("/api/rates", this::rates);
        rules.get("/api/latencies",
                call -> ConsoleApi.json(200, Map.of("items", witness.latencies().stream().map(WitnessJson::latency).toList())));
        rules.get("/api/conservation", call -> ConsoleApi.json(200, WitnessJson.conservation(witness)));
    }

    private Answer overdue(Call call) {
        OverdueSum sum = witness.overdueSum();
        var json = new LinkedHashMap<String, Object>();
        json.put("items", witness.overdue(call.limit(USUAL, MOST)).stream().map(WitnessJson::overdue).toList());
        json.put("count", sum.count());
        json.put("money", WitnessJson.money(sum));
        return ConsoleApi.json(200, json);
    }

    private Answer rates(Call call) {
        RateBy by = switch (call.query("by").orElse("cause")) {
            case "cause" -> RateBy.CAUSE;
            case "psp" -> RateBy.PSP;
            case "merchant" -> RateBy.MERCHANT;
            case "tier" -> RateBy.TIER;
            default -> throw ConsoleProblems.wrong("by must be cause, psp, merchant or tier.").refusal();
        };
        Duration window = switch (call.query("window").orElse("5m")) {
            case "5m" -> Duration.ofMinutes(5);
            case "1h" -> Duration.ofHours(1);
            case "24h" -> Duration.ofHours(24);
            default -> throw ConsoleProblems.wrong("window must be 5m, 1h or 24h.").refusal();
        };
        WitnessView.Rates rates = witness.rates(by, window);
        return ConsoleApi.json(200, Map.of("by", by.name().toLowerCase(Locale.ROOT), "items", WitnessJson.series(rates.points()),
                "from", rates.from().toString(), "until", rates.until().toString(), "slice_seconds", rates.slice().toSeconds()));
    }
}
