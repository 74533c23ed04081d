// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.Filters;
import io.chargeonce.console.answer.MoneyJson;
import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.console.runs.Expect;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.json.WaitingJson;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayment;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.http.Answer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What waits in the tiers; tried now or stopped by a person. */
record WaitingRoutes(RunRoutes runs) implements ConsoleApi.Routes {

    private static final int USUAL = 50;
    private static final int MOST = 200;

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/waiting", WaitingRoutes::list);
        rules.post("/api/waiting/now", call -> change(call, RunKind.RETRY_NOW));
        rules.post("/api/waiting/stop", call -> change(call, RunKind.STOP));
    }

    private static Answer list(Call call) {
        Map<String, String> given = call.queryWithout(List.of("cursor", "limit"));
        WaitingFilter filter = Filters.waiting(call.queue(), given, List.of());
        Instant asOf = WaitingPayments.now(call.queue());
        int limit = call.limit(USUAL, MOST);
        List<WaitingPayments.Group> groups = WaitingPayments.groups(call.queue(), filter, asOf);
        List<WaitingPayment> page = WaitingPayments.page(call.queue(), filter, asOf, call.query("cursor").map(WaitingRoutes::position),
                limit + 1);
        List<WaitingPayment> shown = page.subList(0, Math.min(limit, page.size()));
        Sum total = total(groups);
        var json = new LinkedHashMap<String, Object>();
        json.put("groups", groups.stream().map(WaitingJson::of).toList());
        json.put("items", shown.stream().map(WaitingJson::of).toList());
        json.put("next", page.size() > limit ? cursor(shown.getLast()) : null);
        json.put("total", Map.of("count", total.count(), "money", MoneyJson.of(total)));
        json.put("presentations", WaitingPayments.presentations(call.queue()).count());
        json.put("filter", given);
        json.put("as_of", asOf.toString());
        return ConsoleApi.json(200, json);
    }

    private static Sum total(List<WaitingPayments.Group> groups) {
        return groups.stream().map(WaitingPayments.Group::sum).reduce(Sum.NOTHING, Sum::plus);
    }

    private static String cursor(WaitingPayment last) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString((last.dueAt() + "\n" + last.id()).getBytes(StandardCharsets.UTF_8));
    }

    private static WaitingPayments.Position position(String cursor) {
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8).split("\n", 2);
            return new WaitingPayments.Position(Instant.parse(parts[0]), parts[1]);
        } catch (RuntimeException noCursor) {
            throw ConsoleProblems.wrong("There was never such a cursor.").refusal();
        }
    }

    /** What waits again since then was not shown, also if it is as many and as much money. What was shown and has left is left alone. */
    private static Instant shownAt(Call call) {
        try {
            Instant at = Instant.parse(call.text("as_of").orElse(""));
            if (!at.isAfter(WaitingPayments.now(call.queue()))) {
                return at;
            }
        } catch (DateTimeParseException noTime) {
            // Told below.
        }
        throw ConsoleProblems.wrong("as_of must be the time that came with what was shown.").refusal();
    }

    private static WaitingFilter named(List<String> ids, RunKind kind) {
        return kind == RunKind.STOP ? WaitingFilter.ofIds(ids).withPresentations() : WaitingFilter.ofIds(ids);
    }

    /** A run that begins at once, unless another person has to approve it. */
    private Answer change(Call call, RunKind kind) {
        JsonNode body = call.json();
        Optional<String> reason = Filters.reason(call.text("reason"), kind.needsReason());
        Expect expect = Expect.of(body);
        if (body.has("ids") == body.has("filter")) {
            throw ConsoleProblems.wrong("Name either ids or a filter; an empty filter is everything.").refusal();
        }
        // The page shows no presentations, so a filter means none.
        WaitingFilter filter = body.has("ids") ? named(RunRoutes.ids(body), kind)
                : Filters.waiting(call.queue(), RunRoutes.filter(body), List.of());
        Instant asOf = shownAt(call);
        expect.checkAtMost(total(WaitingPayments.groups(call.queue(), filter, asOf)));
        AuditContext by = call.by(reason);
        return runs.begin(call, by, new DlqRuns(call.queue()).plan(kind, filter, asOf, by, RunTerms.UNATTENDED));
    }
}
