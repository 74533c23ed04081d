// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A part of a page: an empty line, a title, a heading if there is one, and items. An item is one or more lines that are
 * shown, or left out, together.
 *
 * @param kind what the items are called when some are left out
 */
public record Section(String title, List<String> heading, List<List<String>> items, String kind) {

    /** A table, each row of which is an item; or, where there is none, a word instead. */
    public static <R> Section table(String title, String kind, List<Column<R>> columns, List<R> rows, String none, Screen screen) {
        if (rows.isEmpty()) {
            return new Section(title, List.of(), List.of(List.of("  " + none)), kind);
        }
        var text = new StringWriter();
        new Table<>(new Screen(new PrintWriter(text), screen.width(), screen.colours()), columns).print(rows);
        List<String> lines = text.toString().lines().toList();
        return new Section(title, lines.subList(0, 1), lines.stream().skip(1).map(List::of).toList(), kind);
    }

    /** As lines for a page of so many rows. While they are too many, the tallest section shows one item less; each keeps its first. */
    public static List<String> fitted(List<Section> sections, int rows) {
        int[] shown = sections.stream().mapToInt(section -> section.items.size()).toArray();
        while (true) {
            int all = 0;
            int tallest = -1;
            for (int i = 0; i < shown.length; i++) {
                int height = sections.get(i).lines(shown[i]).size();
                all += height;
                if (shown[i] > 1 && (tallest < 0 || height > sections.get(tallest).lines(shown[tallest]).size())) {
                    tallest = i;
                }
            }
            if (all <= rows || tallest < 0) {
                var lines = new ArrayList<String>();
                for (int i = 0; i < shown.length; i++) {
                    lines.addAll(sections.get(i).lines(shown[i]));
                }
                return lines;
            }
            shown[tallest]--;
        }
    }

    private List<String> lines(int shown) {
        int more = items.size() - shown;
        return Stream.of(List.of("", title), heading, items.stream().limit(shown).flatMap(List::stream).toList(),
                more == 0 ? List.<String>of() : List.of("  … and %d more %s".formatted(more, kind))).flatMap(List::stream).toList();
    }
}
