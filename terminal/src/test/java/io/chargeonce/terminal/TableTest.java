// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.text.Printable;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {

    private record Row(String id, String amount, String message) {}

    private static final List<Column<Row>> COLUMNS = List.of(
            Column.whole("ID", Row::id),
            Column.right("AMOUNT", Row::amount),
            Column.shrinking("MESSAGE", 4, Row::message));

    @Test
    void columns_line_up_and_the_long_one_is_cut_to_the_screen() {
        assertThat(printed(30, new Row("a", "1.00 EUR", "short"), new Row("bcd", "12.00 EUR", "much too long for it")))
                .isEqualTo("""
                        ID      AMOUNT  MESSAGE
                        a     1.00 EUR  short
                        bcd  12.00 EUR  much too long…
                        """);
    }

    @Test
    void without_a_window_nothing_is_cut() {
        assertThat(printed(Screen.ENDLESS, new Row("a", "1", "x".repeat(500)))).contains("x".repeat(500));
    }

    @Test
    void what_must_stay_whole_stays_whole_on_any_screen() {
        assertThat(printed(26, new Row("a-long-id", "12.00 EUR", "some message"))).contains("a-long-id  12.00 EUR  som…");
        assertThat(printed(25, new Row("a-long-id", "12.00 EUR", "some message")))
                .isEqualTo("ID            AMOUNT\na-long-id  12.00 EUR\n");
        assertThat(printed(5, new Row("a-long-id", "12.00 EUR", "some message"))).as("no screen at all")
                .contains("a-long-id  12.00 EUR  som…");
    }

    @Test
    void a_column_that_only_fills_the_room_is_left_out_when_there_is_none() {
        var out = new StringWriter();
        var table = new Table<Row>(Screen.plain(new PrintWriter(out), 20), List.of(Column.whole("ID", Row::id),
                Column.shrinking("AMOUNT", 4, Row::amount), Column.ifRoom("MESSAGE", 10, Row::message)));
        table.print(List.of(new Row("a", "12.00 EUR", "a long message")));
        assertThat(out.toString()).isEqualTo("ID  AMOUNT\na   12.00 EUR\n");
    }

    @Test
    void columns_that_a_person_named_go_on_in_a_second_line_where_the_first_is_full() {
        var out = new StringWriter();
        var table = Table.withEveryColumn(Screen.plain(new PrintWriter(out), 24), List.of(Column.whole("ID", Row::id),
                Column.right("AMOUNT", Row::amount), Column.ifRoom("MESSAGE", 10, Row::message), Column.whole("ID AGAIN", Row::id)));
        table.print(List.of(new Row("a-long-id", "12.00 EUR", "a long message"), new Row("b", "1.00 EUR", "another")));
        assertThat(out.toString()).isEqualTo("""
                ID            AMOUNT
                  MESSAGE      ID AGAIN
                a-long-id  12.00 EUR
                  a long mes…  a-long-id
                b           1.00 EUR
                  another      b
                """);
    }

    @Test
    void columns_that_a_person_named_are_shortened_before_a_second_line_begins() {
        var out = new StringWriter();
        Table.withEveryColumn(Screen.plain(new PrintWriter(out), 26), COLUMNS)
                .print(List.of(new Row("a-long-id", "12.00 EUR", "some message")));
        assertThat(out.toString()).contains("a-long-id  12.00 EUR  som…");
    }

    @Test
    void a_cell_of_several_lines_makes_a_row_of_several_lines() {
        var out = new StringWriter();
        new Table<Row>(Screen.plain(new PrintWriter(out), 40), List.of(Column.whole("ID", Row::id),
                Column.rightLines("MONEY", row -> List.of(row.amount.split(" / "))))).print(List.of(new Row("a", "1 EUR / 20 JPY", "")));
        assertThat(out.toString()).isEqualTo("ID   MONEY\na    1 EUR\n    20 JPY\n");
    }

    /** A dot stands for the second cell of a character that takes two. */
    @Test
    void a_table_of_wide_and_combining_characters_lines_up_within_80_cells() {
        var rows = List.of(new Row("日本語の注文", "1.00 EUR", "x".repeat(90)), new Row("e\u0301t\u00e9", "12.00 EUR", "請求".repeat(40)),
                new Row("😀😀", "1.00 EUR", "👍".repeat(60)), new Row("plain", "1.00 EUR", "ok"));
        List<String> lines = printed(80, rows.toArray(Row[]::new)).lines()
                .map(line -> line.replaceAll("\\p{Mn}", "").replaceAll("[\\p{IsHan}\\p{IsHiragana}😀👍]", "#.")).toList();

        assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80))
                .allSatisfy(line -> assertThat(line.substring(0, 25)).matches(".{12}  (   AMOUNT| 1\\.00 EUR|12\\.00 EUR)  "));
        assertThat(lines.get(1)).hasSize(80).endsWith("x…");
        assertThat(lines.get(2)).hasSizeBetween(79, 80).endsWith("#.…");
    }

    @Test
    void sentences_break_between_words_by_the_cells_that_they_take() {
        var out = new StringWriter();
        Screen.plain(new PrintWriter(out), 12).say("請求書 日本語 請求書");
        assertThat(out.toString()).isEqualTo("請求書\n日本語\n請求書\n");
    }

    @Test
    void sentences_break_between_words() {
        var out = new StringWriter();
        Screen.plain(new PrintWriter(out), 12).say("one two three four");
        assertThat(out.toString()).isEqualTo("one two\nthree four\n");
    }

    @Test
    void characters_beyond_sixteen_bits_are_cut_between_and_not_within() {
        assertThat(Cells.cut("😀😀😀", 5)).isEqualTo("😀😀…");
        assertThat(Cells.cut("😀😀😀", 4)).isEqualTo("😀…");
        assertThat(Printable.of("a\ud83d")).isEqualTo("a\\u{d83d}");
    }

    private static String printed(int width, Row... rows) {
        var out = new StringWriter();
        new Table<>(Screen.plain(new PrintWriter(out), width), COLUMNS).print(List.of(rows));
        return out.toString();
    }
}
