// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.terminal;

import io.chargeonce.payment.Money;
import io.chargeonce.reconcile.Difference;
import io.chargeonce.reconcile.Reconciliation;
import io.chargeonce.reconcile.Totals;
import io.chargeonce.text.Counted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** What the command prints about one comparison. Foreign text is shown without control characters. */
record Page(String psp, Reconciliation.Request request, Reconciliation.Result result) {

    private static final JsonMapper JSON = new JsonMapper();
    private static final String ROW = "%-12s %10s  %22s  %22s";

    List<String> text() {
        var lines = new ArrayList<String>();
        Totals totals = result.totals();
        request.source()
                .ifPresent(source -> lines.add("%s read, %,d of them new%s".formatted(Counted.of(result.lines(), "line"), result.recorded(),
                        request.apply() ? ", and recorded" : "; nothing is recorded without --apply")));
        if (!result.others().isEmpty()) {
            lines.add("not of an attempt: " + result.others().entrySet().stream().map(one -> "%s %,d".formatted(printable(one.getKey()),
                    one.getValue())).sorted().collect(Collectors.joining(", ")));
        }
        lines.add("%s compared from %s to %s".formatted(psp, result.from(), result.to()));
        lines.add("");
        lines.add(ROW.formatted("finding", "how many", "moved here", "booked there"));
        totals.sums().forEach(sum -> lines.add(ROW.formatted(sum.finding().tag(), "%,d".formatted(sum.items()),
                money(sum.expected(), sum.currency()), money(sum.booked(), sum.currency())).stripTrailing()));
        lines.add("");
        totals.differences().forEach(one -> lines.add(line(one)));
        if (totals.left() > 0) {
            lines.add("… and %,d more: --json shows up to 10,000".formatted(totals.left()));
        }
        if (result.due() > 0) {
            lines.add(request.apply() ? "charge looks at %,d of these lines now; compare again in a minute".formatted(result.due())
                    : "with --apply charge would look at %,d of these lines".formatted(result.due()));
        }
        lines.add(totals.balanced() ? "everything agrees"
                : "there are differences; docs/operate/reconcile.md says what to do about each kind");
        return lines;
    }

    private static String line(Difference one) {
        String about = one.operation().or(one::key).map(Page::printable).orElse("no key of ours");
        String money = one.currency().isEmpty() ? ""
                : "  %s here, %s there".formatted(money(one.expected(), one.currency()), money(one.booked(), one.currency()));
        return "%-12s %s%s%s  %s".formatted(one.finding().tag(), about, one.where().map(where -> "  " + printable(where)).orElse(""), money,
                printable(one.words()));
    }

    private static String money(long minorUnits, String currency) {
        return Money.isCurrency(currency) ? Money.format(minorUnits, currency) : "";
    }

    List<String> json() {
        var lines = new ArrayList<String>();
        result.totals().differences().forEach(one -> lines.add(JSON.writeValueAsString(json(one))));
        var all = new LinkedHashMap<String, Object>();
        all.put("psp", psp);
        all.put("balanced", result.totals().balanced());
        all.put("applied", request.apply());
        result.run().ifPresent(run -> all.put("run", run.toString()));
        all.put("from", result.from().toString());
        all.put("to", result.to().toString());
        all.put("lines", result.lines());
        all.put("new", result.recorded());
        all.put("others", result.others());
        all.put("due", result.due());
        all.put("left_off", result.totals().left());
        all.put("findings", result.totals().sums().stream().map(Page::json).toList());
        lines.add(JSON.writeValueAsString(all));
        return lines;
    }

    private static Map<String, Object> json(Difference one) {
        var json = new LinkedHashMap<String, Object>();
        json.put("finding", one.finding().tag());
        one.operation().ifPresent(operation -> json.put("operation_id", operation));
        one.key().ifPresent(key -> json.put("attempt_key", key));
        one.where().ifPresent(where -> json.put("line", where));
        json.put("currency", one.currency());
        json.put("expected", one.expected());
        json.put("booked", one.booked());
        json.put("words", one.words());
        return json;
    }

    private static Map<String, Object> json(Totals.Sum sum) {
        var json = new LinkedHashMap<String, Object>();
        json.put("finding", sum.finding().tag());
        json.put("currency", sum.currency());
        json.put("items", sum.items());
        json.put("expected", sum.expected());
        json.put("booked", sum.booked());
        return json;
    }

    /** Nothing in it can move a cursor or turn text around. */
    private static String printable(String foreign) {
        return foreign.codePoints().mapToObj(c -> switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE,
                    Character.PRIVATE_USE, Character.UNASSIGNED ->
                "?";
            default -> Character.toString(c);
        }).collect(Collectors.joining());
    }
}
