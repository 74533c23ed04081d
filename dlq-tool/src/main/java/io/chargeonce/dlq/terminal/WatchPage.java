package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.MergeRun;
import io.chargeonce.dlq.MergeRuns;
import io.chargeonce.dlq.Watch;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One look at the queue, as a page of a screen or as JSON. */
final class WatchPage {

    private WatchPage() {}

    static void print(Watch watch, Map<String, String> breakers, Screen screen) {
        screen.print("%s  %s", screen.bold("%,d dead letters".formatted(watch.dead())), screen.faint(Words.time(watch.at())));
        heading("Arrivals", screen);
        if (watch.arrivals().isEmpty()) {
            screen.print("  none in the last hour");
        } else {
            new Table<Watch.Arrivals>(screen, List.of(
                    Column.right("LAST MINUTE", line -> "%,d".formatted(line.minute())),
                    Column.right("10 MINUTES", line -> "%,d".formatted(line.tenMinutes())),
                    Column.right("HOUR", line -> "%,d".formatted(line.hour())),
                    Column.shrinking("CAUSE", 10, Watch.Arrivals::cause))).print(watch.arrivals());
        }
        heading("Tiers", screen);
        if (watch.tiers().isEmpty()) {
            screen.print("  nothing waits");
        } else {
            new Table<Watch.Tier>(screen, List.of(
                    Column.whole("TIER", tier -> tier.number() == 0 ? "main" : "retry-" + tier.number()),
                    Column.right("WAITING", tier -> "%,d".formatted(tier.waiting())),
                    Column.right("PARKED", tier -> "%,d".formatted(tier.parked())),
                    Column.right("OVERDUE", tier -> "%,d".formatted(tier.overdue())),
                    Column.right("LONGEST", tier -> tier.overdue() == 0 ? "–" : Ages.brief(tier.longest())))).print(watch.tiers());
        }
        heading("Breakers", screen);
        screen.say("  " + breakers.entrySet().stream().map(psp -> psp.getKey() + " " + psp.getValue()).collect(Collectors.joining(" · ")));
        heading("Open runs", screen);
        if (watch.runs().isEmpty()) {
            screen.print("  none");
        }
        watch.runs().forEach(run -> screen.say("  " + inWords(run)));
    }

    private static void heading(String title, Screen screen) {
        screen.print("");
        screen.print("%s", screen.bold(title));
    }

    private static String inWords(MergeRuns.Report report) {
        MergeRun run = report.run();
        var outcomes = report.outcomes();
        return "%s %s, %,d of %,d moved: %,d succeeded, %,d declined, %,d failed again, %,d open".formatted(run.id(), RunPage.state(run),
                report.fates().total().count(), run.items(), outcomes.succeeded(), outcomes.declined(),
                outcomes.failedAgain() + outcomes.unresolved(), outcomes.open());
    }

    static Map<String, Object> json(Watch watch, Map<String, String> breakers) {
        var json = new LinkedHashMap<String, Object>();
        json.put("at", watch.at().toString());
        json.put("dead", watch.dead());
        json.put("arrivals", watch.arrivals().stream().map(line -> Map.of("cause", line.cause(), "minute", line.minute(),
                "ten_minutes", line.tenMinutes(), "hour", line.hour())).toList());
        json.put("tiers", watch.tiers().stream().map(tier -> Map.of("tier", tier.number(), "waiting", tier.waiting(),
                "parked", tier.parked(), "overdue", tier.overdue(), "longest_seconds", tier.longest().toSeconds())).toList());
        json.put("breakers", breakers);
        json.put("runs", watch.runs().stream().map(RunJson::report).toList());
        return json;
    }
}
