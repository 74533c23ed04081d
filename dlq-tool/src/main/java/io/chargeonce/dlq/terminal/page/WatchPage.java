// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.json.HoldJson;
import io.chargeonce.dlq.json.RunJson;
import io.chargeonce.dlq.merge.MergeRun;
import io.chargeonce.dlq.merge.MergeRuns;
import io.chargeonce.dlq.merge.Watch;
import io.chargeonce.dlq.terminal.screen.Section;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Ages;
import io.chargeonce.text.Counted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One look at the queue, as a page of a screen or as JSON. */
public final class WatchPage {

    private WatchPage() {}

    /** At most so many rows, but at least the first item of each part. */
    public static List<String> lines(Watch watch, Map<String, String> breakers, Screen screen, int rows) {
        var lines = new ArrayList<String>();
        long dead = watch.dead().count();
        lines.add("%s  %s".formatted(screen.bold("%s%s".formatted(Counted.of(dead, "dead letter"),
                watch.dead().money().isEmpty() ? "" : ", " + String.join(", ", watch.dead().moneyLines()))),
                screen.faint(Words.time(watch.at()))));
        var sections = new ArrayList<>(List.of(
                Section.table(screen.bold("Arrivals"), "causes", ARRIVALS, watch.arrivals(), "none in the last hour", screen),
                Section.table(screen.bold("Tiers"), "tiers", TIERS, watch.tiers(), "nothing waits", screen),
                new Section(screen.bold("Breakers"), List.of(), screen.wrapped("  ", breakers.entrySet().stream()
                        .map(psp -> psp.getKey() + " " + psp.getValue()).collect(Collectors.joining(" · "))).stream().map(List::of)
                        .toList(), "lines"),
                new Section(screen.bold("Open runs"), List.of(), watch.runs().isEmpty() ? List.of(List.of("  none"))
                        : watch.runs().stream().map(run -> screen.wrapped("  ", inWords(run))).toList(), "runs")));
        if (!watch.holds().isEmpty()) {
            sections.addFirst(new Section(screen.bold("Holds"), List.of(),
                    watch.holds().stream().map(hold -> screen.wrapped("  ", Words.of(hold))).toList(), "holds"));
        }
        lines.addAll(Section.fitted(sections, rows - lines.size()));
        return lines;
    }

    private static final List<Column<Watch.Arrivals>> ARRIVALS = List.of(
            Column.right("LAST MINUTE", line -> "%,d".formatted(line.minute())),
            Column.right("10 MINUTES", line -> "%,d".formatted(line.tenMinutes())),
            Column.right("HOUR", line -> "%,d".formatted(line.hour())),
            Column.shrinking("CAUSE", 10, Watch.Arrivals::cause));

    private static final List<Column<Watch.Tier>> TIERS = List.of(
            Column.whole("TIER", tier -> tier.number() == 0 ? "main" : "retry-" + tier.number()),
            Column.right("WAITING", tier -> "%,d".formatted(tier.waiting().count())),
            Column.rightLines("MONEY", tier -> tier.waiting().moneyLines()),
            Column.right("PARKED", tier -> "%,d".formatted(tier.parked())),
            Column.right("OVERDUE", tier -> "%,d".formatted(tier.overdue())),
            Column.right("LONGEST", tier -> tier.overdue() == 0 ? "–" : Ages.brief(tier.longest())));

    private static String inWords(MergeRuns.Report report) {
        MergeRun run = report.run();
        var outcomes = report.outcomes();
        return "%s %s, %,d of %,d moved (%s of %s): %,d succeeded, %,d declined, %,d failed again, %,d open".formatted(run.id(),
                RunPage.state(run), report.results().total().count(), run.items(),
                String.join(", ", report.results().total().moneyLines()), String.join(", ", run.sum().moneyLines()),
                outcomes.succeeded().count(), outcomes.declined().count(), outcomes.bad(), outcomes.open().count());
    }

    public static Map<String, Object> json(Watch watch, Map<String, String> breakers) {
        var json = new LinkedHashMap<String, Object>();
        json.put("at", watch.at().toString());
        json.put("dead", watch.dead().count());
        json.put("dead_money", watch.dead().money());
        json.put("arrivals", watch.arrivals().stream().map(line -> Map.of("cause", line.cause(), "minute", line.minute(),
                "ten_minutes", line.tenMinutes(), "hour", line.hour())).toList());
        json.put("tiers",
                watch.tiers().stream()
                        .map(tier -> Map.of("tier", tier.number(), "waiting", tier.waiting().count(), "money", tier.waiting().money(),
                                "parked", tier.parked(), "overdue", tier.overdue(), "longest_seconds", tier.longest().toSeconds()))
                        .toList());
        json.put("breakers", breakers);
        json.put("holds", watch.holds().stream().map(HoldJson::of).toList());
        json.put("runs", watch.runs().stream().map(RunJson::report).toList());
        return json;
    }
}
