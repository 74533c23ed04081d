// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.Summary;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import io.chargeonce.text.Ages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** The queue by cause, PSP and merchant, with money and with what a merge would do. Each currency has a line of its own. */
public final class SummaryTable {

    private record Line(String cause, String psp, String merchant, Sum sum, String oldest, String keys, List<String> merge) {}

    private SummaryTable() {}

    public static void print(Summary summary, Screen screen) {
        if (summary.groups().isEmpty()) {
            screen.say(ChangeReport.NOTHING_QUEUED);
            return;
        }
        var lines = new ArrayList<Line>();
        summary.groups().forEach(group -> lines.add(new Line(group.cause(), group.psp().orElse("–"),
                group.merchant().orElse("–"), group.sum(), Ages.brief(group.oldest()),
                group.keyValidUntil().map(Words::time).orElse(""), byMerge(group))));
        lines.add(new Line("total", "", "", summary.total(), Ages.brief(summary.oldest().orElseThrow()), "", List.of()));
        var columns = new ArrayList<Column<Line>>(List.of(
                Column.right("COUNT", (Line line) -> "%,d".formatted(line.sum.count())),
                Column.rightLines("MONEY", (Line line) -> line.sum.moneyLines()),
                Column.right("OLDEST", Line::oldest),
                Column.shrinking("CAUSE", 10, Line::cause),
                Column.shrinking("PSP", 4, Line::psp),
                Column.shrinking("MERCHANT", 4, Line::merchant),
                Column.lines("MERGE", Line::merge)));
        if (lines.stream().anyMatch(line -> !line.keys.isEmpty())) {
            columns.add(Column.ifRoom("KEY VALID UNTIL", 20, Line::keys));
        }
        new Table<>(screen, columns).print(lines);
        List<Summary.Group> poison = summary.groups().stream().filter(group -> group.standings().of(MoneyStatus.POISON).count() > 0)
                .toList();
        MergeNotes.print(s -> s == MoneyStatus.POISON ? poison.stream().anyMatch(group -> Words.canBeEdited(group.cause()))
                : summary.groups().stream().anyMatch(group -> group.standings().of(s).count() > 0), Words::byMerge,
                screen);
        if (!poison.stream().allMatch(group -> Words.canBeEdited(group.cause()))) {
            screen.say("%s: no edit makes an accepted payment of it; look at it, then purge it.".formatted(Words.STAYS));
        }
        keys(summary, screen);
    }

    /** The column has room on a wide screen only. */
    private static void keys(Summary summary, Screen screen) {
        var first = new TreeMap<String, Instant>();
        summary.groups().forEach(group -> group.keyValidUntil()
                .ifPresent(at -> first.merge(group.psp().orElse("a PSP"), at, (one, other) -> one.isBefore(other) ? one : other)));
        first.forEach((psp, at) -> screen
                .say("%s forgets the next key of an unresolved payment at %s; from then on that one is only queried, never sent again."
                        .formatted(psp, Words.time(at))));
        long forgotten = summary.groups().stream().mapToLong(Summary.Group::keysForgotten).sum();
        if (forgotten > 0) {
            screen.say("The %s forgotten already: %s only queried.".formatted(
                    forgotten == 1 ? "key of 1 unresolved payment is" : "keys of %,d unresolved payments are".formatted(forgotten),
                    forgotten == 1 ? "it is" : "they are"));
        }
    }

    private static List<String> byMerge(Summary.Group group) {
        SumsByKind<MoneyStatus> standings = group.standings();
        List<MoneyStatus> present = Arrays.stream(MoneyStatus.values()).filter(s -> standings.of(s).count() > 0).toList();
        return present.size() == 1 ? List.of(Words.byMerge(present.getFirst(), group.cause()))
                : present.stream().map(s -> Words.byMerge(s, group.cause()) + " " + Words.brief(standings.of(s).count())).toList();
    }
}
