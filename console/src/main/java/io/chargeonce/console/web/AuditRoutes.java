// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.dlq.json.AuditJson;
import io.chargeonce.dlq.story.AuditTrail;
import io.chargeonce.http.Answer;
import io.chargeonce.text.Ages;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.IntStream;

/** Who did what, from where and why; the newest first. */
record AuditRoutes() implements ConsoleApi.Routes {

    private static final Duration USUAL_AGE = Duration.ofDays(30);
    private static final int USUAL = 50;
    private static final int MOST = 200;

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/audit", AuditRoutes::audit);
    }

    private static Answer audit(Call call) {
        Duration age = call.query("newer-than").map(text -> Ages.parse(text)
                .orElseThrow(() -> ConsoleProblems.wrong("newer-than must be a number and s, m, h or d, such as 45s or 2h.").refusal()))
                .orElse(USUAL_AGE);
        List<AuditTrail.Line> all = AuditTrail.ask(call.queue(),
                new AuditTrail.Criteria(call.query("by"), call.query("action"), call.query("run"), age)).stream()
                .sorted(Comparator.comparing(AuditTrail.Line::from).reversed()).toList();
        int begin = call.query("cursor").map(cursor -> behind(all, cursor)).orElse(0);
        int end = Math.min(all.size(), begin + call.limit(USUAL, MOST));
        var json = new LinkedHashMap<String, Object>();
        json.put("items", all.subList(begin, end).stream().map(AuditJson::of).toList());
        json.put("next", end < all.size() ? cursor(all.get(end - 1)) : null);
        return ConsoleApi.json(200, json);
    }

    /** What one call did is one line, so a line may have become newer since it was shown: then its time says where to go on. */
    private static int behind(List<AuditTrail.Line> all, String cursor) {
        int same = IntStream.range(0, all.size()).filter(i -> cursor(all.get(i)).equals(cursor)).findFirst().orElse(-1);
        if (same >= 0) {
            return same + 1;
        }
        try {
            Instant from = Instant.parse(new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8).split("\n")[0]);
            return (int) all.stream().takeWhile(line -> !line.from().isBefore(from)).count();
        } catch (RuntimeException noCursor) {
            throw ConsoleProblems.wrong("There was never such a cursor.").refusal();
        }
    }

    private static String cursor(AuditTrail.Line line) {
        String text =
                String.join("\n", line.from().toString(), line.actor(), line.action(), line.run().orElse(""), line.reason().orElse(""));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
