package io.chargeonce.dlq.terminal;

import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Rows in columns that fit a screen. Columns give way in the order of how little they need: the widest that may shrink
 * shrinks first. The first rows set the widths, so pages that follow line up with them. One thread.
 */
final class Table<R> {

    private static final String GAP = "  ";

    /** @param narrowest how far it may shrink; columns that must stay whole say {@link #WHOLE} */
    record Column<R>(String title, boolean right, int narrowest, Function<R, String> cell) {

        static final int WHOLE = Integer.MAX_VALUE;

        static <R> Column<R> whole(String title, Function<R, String> cell) {
            return new Column<>(title, false, WHOLE, cell);
        }

        static <R> Column<R> right(String title, Function<R, String> cell) {
            return new Column<>(title, true, WHOLE, cell);
        }

        static <R> Column<R> shrinking(String title, int narrowest, Function<R, String> cell) {
            return new Column<>(title, false, narrowest, cell);
        }
    }

    private final Screen screen;
    private final List<Column<R>> columns;
    private int[] widths = {};

    Table(Screen screen, List<Column<R>> columns) {
        this.screen = screen;
        this.columns = columns;
    }

    void print(List<R> rows) {
        List<List<String>> cells = rows.stream()
                .map(row -> columns.stream().map(column -> Printable.of(column.cell.apply(row))).toList()).toList();
        if (widths.length == 0) {
            widths = fit(cells);
            screen.print("%s", screen.bold(line(columns.stream().map(Column::title).toList())));
        }
        cells.forEach(row -> screen.print("%s", line(row)));
    }

    /** Whether nothing was printed yet. */
    boolean isEmpty() {
        return widths.length == 0;
    }

    private int[] fit(List<List<String>> rows) {
        int[] fitted = IntStream.range(0, columns.size()).map(i -> Math.max(columns.get(i).title.length(),
                rows.stream().mapToInt(row -> length(row.get(i))).max().orElse(0))).toArray();
        int room = screen.width() - GAP.length() * (columns.size() - 1);
        while (IntStream.of(fitted).sum() > room) {
            int widest = widestThatShrinks(fitted);
            if (widest < 0) {
                break;
            }
            fitted[widest]--;
        }
        return fitted;
    }

    private int widestThatShrinks(int[] fitted) {
        int widest = -1;
        for (int i = 0; i < fitted.length; i++) {
            if (fitted[i] > columns.get(i).narrowest && (widest < 0 || fitted[i] > fitted[widest])) {
                widest = i;
            }
        }
        return widest;
    }

    private String line(List<String> cells) {
        var line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            boolean whole = columns.get(i).narrowest == Column.WHOLE;
            String cell = whole ? cells.get(i) : Printable.cut(cells.get(i), widths[i]);
            String padding = " ".repeat(Math.max(0, widths[i] - length(cell)));
            line.append(i == 0 ? "" : GAP).append(columns.get(i).right ? padding + cell : cell + padding);
        }
        return line.toString().stripTrailing();
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
