// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Rows in columns that fit a screen; where they don't, the widest column that may shrink shrinks first, and when none can
 * any more, the last of them is left out if that is enough: an id is never cut. The first rows set the widths, so pages that follow line up
 * with them. One thread.
 */
public final class Table<R> {

    private static final String GAP = "  ";

    private final Screen screen;
    private List<Column<R>> columns;
    private int[] widths = {};

    public Table(Screen screen, List<Column<R>> columns) {
        this.screen = screen;
        this.columns = columns;
    }

    public void print(List<R> rows) {
        if (isEmpty()) {
            fit(rows);
            screen.print("%s", screen.bold(line(columns.stream().map(Column::title).toList())));
        }
        rows.forEach(row -> lines(row).forEach(line -> screen.print("%s", line(line))));
    }

    /** Whether nothing was printed yet. */
    public boolean isEmpty() {
        return widths.length == 0;
    }

    private void fit(List<R> rows) {
        widths = natural(rows);
        if (room(widths) < 0) {
            columns = columns.stream().filter(column -> !(column.room() instanceof Column.Room.IfAny ifAny)
                    || room(widths) + widths[columns.indexOf(column)] >= ifAny.narrowest()).toList();
            widths = natural(rows);
        }
        shrink();
        List<Column<R>> wanted = columns;
        for (var last = lastThatShrinks(); room(widths) < 0 && last.isPresent(); last = lastThatShrinks()) {
            Column<R> leftOut = last.get();
            fit(rows, columns.stream().filter(column -> !column.equals(leftOut)).toList());
        }
        if (room(widths) < 0) {
            fit(rows, wanted);
        }
    }

    private void fit(List<R> rows, List<Column<R>> kept) {
        columns = kept;
        widths = natural(rows);
        shrink();
    }

    private Optional<Column<R>> lastThatShrinks() {
        return columns.reversed().stream().filter(column -> column.room() instanceof Column.Room.Shrinks).findFirst();
    }

    private void shrink() {
        int[] narrowest = IntStream.range(0, widths.length).map(i -> columns.get(i).narrowest(widths[i])).toArray();
        while (room(widths) < 0 && !Arrays.equals(widths, narrowest)) {
            widths[widest(narrowest)]--;
        }
    }

    private int[] natural(List<R> rows) {
        return columns.stream().mapToInt(column -> Math.max(column.title().length(), rows.stream()
                .flatMap(row -> column.cell().apply(row).stream()).mapToInt(cell -> length(Printable.of(cell))).max().orElse(0)))
                .toArray();
    }

    private int room(int[] taken) {
        return screen.width() - IntStream.of(taken).sum() - GAP.length() * (taken.length - 1);
    }

    /** The widest of those that are not at their narrowest; what fills the room that is left goes before all others. */
    private int widest(int[] narrowest) {
        return IntStream.range(0, widths.length).filter(i -> widths[i] > narrowest[i]).boxed()
                .max((a, b) -> Integer.compare(eagerness(a), eagerness(b))).orElseThrow();
    }

    private int eagerness(int column) {
        return columns.get(column).room() instanceof Column.Room.IfAny ? Integer.MAX_VALUE : widths[column];
    }

    private List<List<String>> lines(R row) {
        List<List<String>> cells = columns.stream().map(column -> column.cell().apply(row)).toList();
        int height = cells.stream().mapToInt(List::size).max().orElse(0);
        var lines = new ArrayList<List<String>>();
        for (int i = 0; i < height; i++) {
            int line = i;
            lines.add(cells.stream().map(cell -> line < cell.size() ? Printable.of(cell.get(line)) : "").toList());
        }
        return lines;
    }

    private String line(List<String> cells) {
        var line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            Column<R> column = columns.get(i);
            String cell = column.room() instanceof Column.Room.Whole ? cells.get(i) : Printable.cut(cells.get(i), widths[i]);
            String padding = " ".repeat(Math.max(0, widths[i] - length(cell)));
            line.append(i == 0 ? "" : GAP).append(column.right() ? padding + cell : cell + padding);
        }
        return line.toString().stripTrailing();
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
