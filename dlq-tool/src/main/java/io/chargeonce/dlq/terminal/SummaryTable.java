package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.Standing;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.Summary;
import io.chargeonce.dlq.Tally;
import io.chargeonce.payment.Money;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The queue by cause, PSP and merchant, with money and with what a merge would do. Each currency has a line of its own. */
public final class SummaryTable {

    /** A line of the table; a group has one more for each further currency. */
    private record Line(String cause, String psp, String merchant, String count, String money, String oldest, String merge) {}

    private SummaryTable() {}

    public static void print(Summary summary, Screen screen) {
        if (summary.groups().isEmpty()) {
            screen.print("The dead-letter queue holds nothing of this kind.");
            return;
        }
        var lines = new ArrayList<Line>();
        summary.groups().forEach(group -> add(lines, group));
        Sum total = summary.total();
        String oldest = Ages.brief(summary.oldest().orElseThrow());
        addWithMoney(lines, new Line("total", "", "", "%,d".formatted(total.count()), "", oldest, ""), total);
        new Table<Line>(screen, List.of(
                Table.Column.right("COUNT", Line::count),
                Table.Column.right("MONEY", Line::money),
                Table.Column.right("OLDEST", Line::oldest),
                Table.Column.shrinking("CAUSE", 10, Line::cause),
                Table.Column.shrinking("PSP", 4, Line::psp),
                Table.Column.shrinking("MERCHANT", 5, Line::merchant),
                Table.Column.shrinking("MERGE", 12, Line::merge))).print(lines);
    }

    private static void add(List<Line> lines, Summary.Group group) {
        addWithMoney(lines, new Line(group.cause(), group.psp().orElse("–"), group.merchant().orElse("–"),
                "%,d".formatted(group.sum().count()), "", Ages.brief(group.oldest()), byMerge(group.standings())), group.sum());
    }

    private static void addWithMoney(List<Line> lines, Line line, Sum sum) {
        List<String> money = sum.money().entrySet().stream().map(e -> Money.format(e.getValue(), e.getKey())).toList();
        String first = money.isEmpty() ? "–" : money.getFirst();
        lines.add(new Line(line.cause, line.psp, line.merchant, line.count, first, line.oldest, line.merge));
        money.stream().skip(1).forEach(more -> lines.add(new Line("", "", "", "", more, "", "")));
    }

    private static String byMerge(Tally<Standing> standings) {
        List<Standing> present = Arrays.stream(Standing.values()).filter(s -> standings.of(s).count() > 0).toList();
        return present.size() == 1 ? Words.byMerge(present.getFirst()) : present.stream()
                .map(s -> "%s %,d".formatted(Words.byMerge(s), standings.of(s).count())).collect(Collectors.joining(", "));
    }
}
