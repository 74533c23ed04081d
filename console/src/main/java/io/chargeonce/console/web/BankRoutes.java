// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.console.answer.Filters;
import io.chargeonce.console.answer.MoneyJson;
import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.http.Answer;
import io.chargeonce.settlement.BankFileRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Files for banks and what waits for a person: what {@code chargeonce bank batches, show, unmatched, resend, close, release} do. */
record BankRoutes() implements ConsoleApi.Routes {

    private static final int USUAL = 50;
    private static final int MOST = 500;

    @Override
    public void add(ConsoleApi.Rules rules) {
        rules.get("/api/bank", BankRoutes::list);
        rules.get("/api/bank/files/{id}", BankRoutes::show);
        rules.post("/api/bank/files/{id}/resend", BankRoutes::resend);
        rules.post("/api/bank/unmatched/{what}/{id}", BankRoutes::decide);
    }

    private static Answer list(Call call) {
        boolean open = call.query("open").isPresent();
        int limit = call.limit(USUAL, MOST);
        return call.queue().database().withConnection(connection -> {
            List<Map<String, Object>> files = BankFileRows.batches(connection, Optional.empty(), open, limit);
            List<Map<String, Object>> unmatched = BankFileRows.unmatched(connection);
            var json = new LinkedHashMap<String, Object>();
            json.put("items", files);
            json.put("money", money(files, "total"));
            json.put("unmatched", unmatched);
            json.put("unmatched_money", money(unmatched, "amount"));
            return ConsoleApi.json(200, json);
        });
    }

    /** Of what has any: a file that cannot be read says no amount. */
    private static List<Map<String, Object>> money(List<Map<String, Object>> rows, String amount) {
        var sums = new TreeMap<String, long[]>();
        rows.stream().filter(row -> row.containsKey(amount)).forEach(row -> {
            long[] sum = sums.computeIfAbsent((String) row.get("currency"), unseen -> new long[2]);
            sum[0] += ((Number) row.get(amount)).longValue();
            sum[1]++;
        });
        return sums.entrySet().stream().map(one -> MoneyJson.money(one.getKey(), one.getValue()[0], one.getValue()[1])).toList();
    }

    private static Answer show(Call call) {
        long id = id(call);
        return call.queue().database().withConnection(connection -> {
            Map<String, Object> file = BankFileRows.batch(connection, id).orElseThrow(() -> ConsoleProblems.notFound().refusal());
            var json = new LinkedHashMap<String, Object>(file);
            json.put("of", BankFileRows.items(connection, id, MOST));
            return ConsoleApi.json(200, json);
        });
    }

    private static Answer resend(Call call) {
        long id = id(call);
        String reason = reason(call);
        if (!call.queue().database()
                .inTransaction(connection -> BankFileRows.resend(connection, id, call.by(Optional.of(reason)).claim(), reason))) {
            throw ConsoleProblems
                    .notNow("This file was not sent and not answered, or one of its payments was booked, returned, or settled as "
                            + "not charged.", "Read the list again.")
                    .refusal();
        }
        return ConsoleApi.json(200, Map.of("id", id));
    }

    private static Answer decide(Call call) {
        long id = id(call);
        String what = call.path("what");
        String decision = call.text("decision").orElse("");
        if (!List.of("line", "file").contains(what) || !List.of("closed", "released").contains(decision)) {
            throw ConsoleProblems.wrong("Close or release a line or a file.").refusal();
        }
        String reason = reason(call);
        if (!call.queue().database().inTransaction(
                connection -> BankFileRows.decide(connection, what, id, decision, call.by(Optional.of(reason)).claim(), reason))) {
            throw ConsoleProblems
                    .notNow("It is not on the list any more, or not all of it is here to be read again.", "Read the list again.")
                    .refusal();
        }
        return ConsoleApi.json(200, Map.of("id", id));
    }

    private static String reason(Call call) {
        return Filters.reason(call.text("reason"), true).orElseThrow();
    }

    private static long id(Call call) {
        String id = call.path("id");
        if (!id.matches("[1-9]\\d{0,17}")) {
            throw ConsoleProblems.notFound().refusal();
        }
        return Long.parseLong(id);
    }
}
