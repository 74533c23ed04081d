package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.Standing;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.Summary;
import io.chargeonce.dlq.Tally;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The queue by cause, PSP and merchant, with money and with what a merge would do. Each currency has a line of its own. */
public final class SummaryTable {

    private record Line(String cause, String psp, String merchant, Sum sum, String oldest, String keys, String merge) {}

    private SummaryTable() {}

    public static void print(Summary summary, Screen screen) {
        if (summary.groups().isEmpty()) {
            screen.say("The dead-letter queue holds nothing of this kind.");
            return;
        }
        var lines = new ArrayList<Line>();
        summary.groups().forEach(group -> lines.add(new Line(group.cause(), group.psp().orElse("–"),
                group.merchant().orElse("–"), group.sum(), Ages.brief(group.oldest()),
                group.keyValidUntil().map(Words::time).orElse(""), byMerge(group.standings()))));
        lines.add(new Line("total", "", "", summary.total(), Ages.brief(summary.oldest().orElseThrow()), "", ""));
        var columns = new ArrayList<Column<Line>>(List.of(
                Column.right("COUNT", (Line line) -> "%,d".formatted(line.sum.count())),
                Column.rightLines("MONEY", (Line line) -> line.sum.moneyLines()),
                Column.right("OLDEST", Line::oldest),
                Column.shrinking("CAUSE", 10, Line::cause),
                Column.shrinking("PSP", 4, Line::psp),
                Column.shrinking("MERCHANT", 4, Line::merchant),
                Column.shrinking("MERGE", 14, Line::merge)));
        if (lines.stream().anyMatch(line -> !line.keys.isEmpty())) {
            columns.add(Column.whole("KEY VALID UNTIL", Line::keys));
        }
        new Table<>(screen, columns).print(lines);
        MergeNotes.print(s -> summary.groups().stream().anyMatch(group -> group.standings().of(s).count() > 0), screen);
    }

    private static String byMerge(Tally<Standing> standings) {
        List<Standing> present = Arrays.stream(Standing.values()).filter(s -> standings.of(s).count() > 0).toList();
        return present.size() == 1 ? Words.byMerge(present.getFirst()) : present.stream()
                .map(s -> "%s %,d".formatted(Words.byMerge(s), standings.of(s).count())).collect(Collectors.joining(", "));
    }
}
