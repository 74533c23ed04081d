// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.Filters;
import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.dlq.hold.Holds;
import io.chargeonce.dlq.json.HoldJson;
import io.chargeonce.http.Answer;
import io.chargeonce.ledger.Hold;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What people pause, force and resume. */
record HoldRoutes() implements ConsoleApi.Routes {

    private static final int LONGEST_PAUSE_MINUTES = (int) Duration.ofDays(365).toMinutes();
    private static final String ONE = "/api/holds/{kind}/{name}";

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/holds", HoldRoutes::list);
        rules.get(ONE, HoldRoutes::look);
        rules.post("/api/holds", HoldRoutes::put);
        rules.delete(ONE, HoldRoutes::resume);
    }

    private static Answer list(Call call) {
        return ConsoleApi.json(200, Map.of("items", new Holds(call.queue()).list().stream().map(HoldJson::of).toList()));
    }

    /** What a pause would concern, in counts and money. Changes nothing. */
    private static Answer look(Call call) {
        var holds = new Holds(call.queue());
        Hold.Kind kind = kind(call.path("kind"));
        String name = known(holds, kind, call.path("name"));
        Optional<Integer> minutes = call.query("minutes").map(text -> {
            if (!text.matches("\\d{1,6}")) {
                throw ConsoleProblems.wrong("minutes must be a whole number.").refusal();
            }
            return Integer.parseInt(text);
        });
        return ConsoleApi.json(200, HoldJson.of(holds.look(kind, name, until(holds, minutes, LONGEST_PAUSE_MINUTES))));
    }

    private static Answer put(Call call) {
        var holds = new Holds(call.queue());
        Hold.Action action = Hold.Action.fromTag(call.text("action").orElse(""))
                .orElseThrow(() -> ConsoleProblems.wrong("action must be pause or force.").refusal());
        Hold.Kind kind = kind(call.text("kind").orElse(""));
        Optional<String> reason = reason(call);
        String name = known(holds, kind, call.text("name").orElseThrow(() -> ConsoleProblems.wrong("name is missing.").refusal()));
        Hold made = switch (action) {
            case PAUSE -> holds.pause(kind, name, until(holds, call.number("minutes"), LONGEST_PAUSE_MINUTES), call.by(reason));
            case FORCE -> {
                if (kind != Hold.Kind.PSP) {
                    throw ConsoleProblems.wrong("Only a PSP can be forced.").refusal();
                }
                Instant until = until(holds, call.number("minutes"), (int) Holds.LONGEST_FORCE.toMinutes()).orElseThrow(
                        () -> ConsoleProblems.wrong("minutes is missing: a PSP is forced for a day at the longest.").refusal());
                yield holds.force(name, until, call.by(reason));
            }
        };
        return ConsoleApi.json(200, HoldJson.of(made));
    }

    private static Answer resume(Call call) {
        Hold.Kind kind = kind(call.path("kind"));
        Hold held = new Holds(call.queue()).resume(kind, call.path("name"), call.by(reason(call)))
                .orElseThrow(() -> ConsoleProblems.notNow("It is neither paused nor forced.", "Look at what is held now.").refusal());
        var json = new LinkedHashMap<String, Object>();
        json.put("held", HoldJson.of(held));
        return ConsoleApi.json(200, json);
    }

    private static Hold.Kind kind(String tag) {
        return Hold.Kind.fromTag(tag).orElseThrow(() -> ConsoleProblems.wrong("kind must be psp, merchant or tier.").refusal());
    }

    private static Optional<String> reason(Call call) {
        return Filters.reason(call.text("reason"), true);
    }

    private static String known(Holds holds, Hold.Kind kind, String name) {
        Filters.refuseUnknown(holds.unknown(kind, name));
        return name;
    }

    /** By the database's clock. */
    private static Optional<Instant> until(Holds holds, Optional<Integer> minutes, int most) {
        if (minutes.filter(number -> number < 1 || number > most).isPresent()) {
            throw ConsoleProblems.wrong("minutes must be a whole number from 1 to %d.".formatted(most)).refusal();
        }
        return minutes.map(number -> holds.inForce().now().plus(Duration.ofMinutes(number)));
    }
}
