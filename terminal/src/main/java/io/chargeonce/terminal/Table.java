// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.terminal;

import io.chargeonce.text.Printable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Rows in columns that fit a screen. Where they do not fit, the widest column that may shrink shrinks first. When none can shrink
 * further, the last of them is left out, or, in a table with every column, the row goes on in a second line. An id is never cut. The
 * first rows set the widths, so the pages that follow line up with them. One thread.
 */
public final class Table<R> {

    private static final String GAP = "  ";
    /** Before what goes on in a second line. */
    private static final String INDENT = "  ";

    private final Screen screen;
    private final boolean everyColumn;
    private List<Column<R>> columns;
    private int[] widths = {};
    /** The columns at which another line begins. */
    private final List<Integer> breaks = new ArrayList<>();

    public Table(Screen screen, List<Column<R>> columns) {
        this(screen, columns, false);
    }

    private Table(Screen screen, List<Column<R>> columns, boolean everyColumn) {
        this.screen = screen;
        this.columns = columns;
        this.everyColumn = everyColumn;
    }

    /** Shows all of these columns on any screen. */
    public static <R> Table<R> withEveryColumn(Screen screen, List<Column<R>> columns) {
        return new Table<>(screen, columns, true);
    }

    public void print(List<R> rows) {
        if (isEmpty()) {
            if (everyColumn) {
                fold(rows);
            } else {
                fit(rows);
            }
            line(columns.stream().map(Column::title).toList()).forEach(line -> screen.print("%s", screen.bold(line)));
        }
        rows.forEach(row -> lines(row).forEach(cells -> line(cells).forEach(line -> screen.print("%s", line))));
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

    /** Keeps all columns. Those that do not fit into the first line even at their narrowest go on in another one. */
    private void fold(List<R> rows) {
        widths = natural(rows);
        shrink();
        if (room(widths) >= 0) {
            return;
        }
        int used = 0;
        for (int i = 0; i < widths.length; i++) {
            used += (i == 0 ? 0 : GAP.length()) + widths[i];
            if (i > 0 && used > screen.width()) {
                breaks.add(i);
                used = INDENT.length() + widths[i];
            }
        }
        int[] narrowest = widths;
        widths = natural(rows);
        var ends = new ArrayList<>(breaks);
        ends.add(widths.length);
        int from = 0;
        for (int to : ends) {
            shrink(from, to, narrowest);
            from = to;
        }
    }

    /** Each line has its own room. */
    private void shrink(int from, int to, int[] narrowest) {
        int room = screen.width() - (from == 0 ? 0 : INDENT.length()) - GAP.length() * (to - from - 1);
        while (Arrays.stream(widths, from, to).sum() > room && !Arrays.equals(widths, from, to, narrowest, from, to)) {
            int widest = IntStream.range(from, to).filter(i -> widths[i] > narrowest[i]).boxed()
                    .max(Comparator.comparingInt(this::eagerness)).orElseThrow();
            widths[widest]--;
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
                .flatMap(row -> column.cell().apply(row).stream()).mapToInt(cell -> Cells.of(Printable.of(cell))).max().orElse(0)))
                .toArray();
    }

    private int room(int[] taken) {
        return screen.width() - IntStream.of(taken).sum() - GAP.length() * (taken.length - 1);
    }

    /** The widest column that is not at its narrowest. A column that only fills free room shrinks first. */
    private int widest(int[] narrowest) {
        return IntStream.range(0, widths.length).filter(i -> widths[i] > narrowest[i]).boxed()
                .max(Comparator.comparingInt(this::eagerness)).orElseThrow();
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

    private List<String> line(List<String> cells) {
        var lines = new ArrayList<String>();
        var line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            Column<R> column = columns.get(i);
            if (breaks.contains(i)) {
                lines.add(line.toString().stripTrailing());
                line.setLength(0);
                line.append(INDENT);
            } else if (i > 0) {
                line.append(GAP);
            }
            String cell = column.room() instanceof Column.Room.Whole ? cells.get(i) : Cells.cut(cells.get(i), widths[i]);
            String padding = " ".repeat(Math.max(0, widths[i] - Cells.of(cell)));
            line.append(column.right() ? padding + cell : cell + padding);
        }
        lines.add(line.toString().stripTrailing());
        return lines;
    }
}
