// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.Filters;
import io.chargeonce.console.answer.MoneyJson;
import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.personal.Unmasked;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Listing;
import io.chargeonce.dlq.query.Order;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.dlq.story.Export;
import io.chargeonce.http.Answer;
import io.chargeonce.http.Deadline;
import io.chargeonce.http.Http10;
import io.chargeonce.http.PatientOutput;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerResponse;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Dead letters: listed, grouped, exported. Masked, unless a reason says why not and the login may. */
record DeadLetterRoutes(Deadline patience) implements ConsoleApi.Routes {

    private static final int USUAL = 50;
    private static final int MOST = 200;
    private static final int BUFFER = 16 * 1024;
    private static final List<String> NO_FILTER = List.of("cursor", "limit", "order", "by", "unmasked", "purged", "state");

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/dead-letters", this::list);
        rules.get("/api/dead-letters/groups", DeadLetterGroups::answer);
        rules.stream("/api/dead-letters/export", this::export);
    }

    static Map<String, String> given(Call call) {
        return call.queryWithout(NO_FILTER);
    }

    static Selection.From from(Call call) {
        String state = call.query("state").orElse(call.query("purged").filter("true"::equals).map(yes -> "purged").orElse("dead"));
        return switch (state) {
            case "dead" -> Selection.From.THE_QUEUE;
            case "purged" -> Selection.From.THE_PURGED;
            default -> throw ConsoleProblems.wrong("state must be dead or purged.").refusal();
        };
    }

    private static Order order(Call call) {
        return switch (call.query("order").orElse("newest")) {
            case "newest" -> Order.NEWEST_FIRST;
            case "oldest" -> Order.OLDEST_FIRST;
            case "amount" -> Order.LARGEST_FIRST;
            default -> throw ConsoleProblems.wrong("order must be newest, oldest or amount.").refusal();
        };
    }

    private Answer list(Call call) {
        Selection.From from = from(call);
        DeadLetterFilter filter = Filters.letters(call.queue(), given(call), Optional.empty());
        Order order = order(call);
        int limit = call.limit(USUAL, MOST);
        var all = new Listing(call.queue(), from);
        Listing listing = call.query("cursor").isEmpty() ? all
                : all.behind(call.query("cursor").get())
                        .orElseThrow(() -> ConsoleProblems.wrong("There was never such a cursor.").refusal());
        boolean masked = masked(call, filter, from);
        var items = new ArrayList<Map<String, Object>>();
        new Export(call.queue(), masked).run(listing, filter, order, limit + 1L, exported -> items.add(Json.exported(exported)));
        boolean more = items.size() > limit;
        List<Map<String, Object>> shown = items.subList(0, Math.min(limit, items.size()));
        Plan plan = from == Selection.From.THE_QUEUE ? Plan.of(call.queue(), filter) : Plan.ofPurged(call.queue(), filter);
        Sum total = plan.standings().total();
        var json = new LinkedHashMap<String, Object>();
        json.put("items", shown);
        json.put("next", more ? shown.getLast().get("dead_letter_id") : null);
        json.put("total", Map.of("count", total.count(), "money", MoneyJson.of(total), "fingerprint", plan.fingerprint()));
        json.put("standings", Json.standings(plan.standings()));
        json.put("filter", given(call));
        return ConsoleApi.json(200, json);
    }

    /** Without masks only after the audit log has it. */
    private static boolean masked(Call call, DeadLetterFilter filter, Selection.From from) {
        Optional<String> why = call.query("unmasked");
        why.ifPresent(reason -> {
            Filters.checkKept(filter);
            Unmasked.many(call.queue(), filter, from, by(call, reason));
        });
        return why.isEmpty();
    }

    static AuditContext by(Call call, String reason) {
        return call.by(Filters.reason(Optional.of(reason), true));
    }

    private void export(Call call, ServerResponse response) {
        if (Http10.isVersionOf(call.request())) {
            throw ConsoleProblems.needsHttp11().refusal();
        }
        DeadLetterFilter filter = Filters.letters(call.queue(), given(call), Optional.empty());
        Selection.From from = from(call);
        var listing = new Listing(call.queue(), from);
        Order order = call.query("order").isEmpty() ? Order.OLDEST_FIRST : order(call);
        boolean masked = masked(call, filter, from);
        call.session().stream(() -> {
            response.status(200);
            response.header("Content-Type", "application/x-ndjson");
            response.header("Content-Disposition", "attachment; filename=\"dead-letters.ndjson\"");
            // Closed only when all is well: the end of the stream tells the browser that nothing is missing.
            OutputStream out = new BufferedOutputStream(new PatientOutput(response.outputStream(), patience), BUFFER);
            try {
                new Export(call.queue(), masked).run(listing, filter, order, Long.MAX_VALUE, exported -> {
                    if (call.session().isOver()) {
                        throw ConsoleProblems.noSession().refusal();
                    }
                    write(out, Json.line(Json.exported(exported)) + "\n");
                });
                out.close();
                if (response instanceof RoutingResponse web) {
                    web.commit();
                }
                return true;
            } catch (IOException | RuntimeException e) {
                throw new CloseConnectionException("an export ended before it was complete", e);
            }
        });
    }

    private static void write(OutputStream out, String text) {
        try {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
