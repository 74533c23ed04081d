// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.settlement;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The lines of settlement reports that were recorded, each once. */
public final class SettlementLines {

    /** What became of a line that was given to be recorded. */
    public enum Fate {
        NEW, KNOWN,
        /** Another line is recorded under its id. */
        ALTERED;

        static Fate fromTag(String tag) {
            return Arrays.stream(values()).filter(one -> one.name().equalsIgnoreCase(tag)).findFirst().orElseThrow();
        }
    }

    /**
     * @param sameReport whether the line that is kept was read in this report
     * @param keptNumber where it stands in its report
     */
    public record Booked(BookedLine line, Fate fate, boolean sameReport, long keptNumber) {

        /** Whether the report has this line in two places, under one id. */
        public boolean isTwin() {
            return fate == Fate.KNOWN && sameReport && keptNumber != line.number();
        }
    }

    /** A line that charge has to look at. */
    public record Due(BookedLine line, Optional<byte[]> mark, int tries) {}

    private SettlementLines() {}

    private static final String BOOK = """
            SELECT place, fate, same_source, kept_number
              FROM book_lines(?, ?, ?::text[], ?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::timestamptz[], ?)
             ORDER BY place
            """;

    /** @param lines of one account */
    public static List<Booked> book(Connection connection, String psp, byte[] reportSha256, SettlementKeys keys, List<BookedLine> lines)
            throws SQLException {
        return Sql.all(connection, BOOK, row -> new Booked(lines.get((int) row.getLong(1) - 1), Fate.fromTag(row.getString(2)),
                row.getBoolean(3), row.getLong(4)), psp, reportSha256, Columns.of(lines)
                        .with("text", BookedLine::id)
                        .with("bigint", BookedLine::number)
                        .with("text", line -> line.key().map(PspKey::value).orElse(null))
                        .with("text", line -> line.moved().tag())
                        .with("bigint", line -> line.money().minorUnits())
                        .with("text", line -> line.money().currency())
                        .with("text", line -> line.reference().orElse(null))
                        .with("timestamptz", BookedLine::at)
                        .with("bytea", line -> keys.mark(line).orElse(null)));
    }

    private static final String LOOK = "SELECT look_at_lines(?, ?)";

    /** Has charge look at the lines of these attempts. @return how many lines it will look at because of this */
    public static int lookAt(Connection connection, String psp, Collection<String> keys) throws SQLException {
        return Sql.one(connection, LOOK, row -> row.getInt(1), psp, keys);
    }

    private static final String DUE = """
            SELECT psp, line_id, psp_key, moved, amount, currency, psp_reference, booked_at, line_number, mark, tries
              FROM settlement_line WHERE due_at <= now() AND psp = ANY (?) ORDER BY due_at, line_id LIMIT ?
            """;

    public static List<Due> due(Connection connection, List<String> psps, int most) throws SQLException {
        return Sql.all(connection, DUE, row -> new Due(read(row), Optional.ofNullable(row.getBytes("mark")), row.getInt("tries")), psps,
                most);
    }

    /** From a row with the columns of a line. */
    public static BookedLine read(ResultSet row) throws SQLException {
        return new BookedLine(row.getString("psp"), row.getString("line_id"),
                Optional.ofNullable(row.getString("psp_key")).flatMap(PspKey::parse), BookedLine.Moved.fromTag(row.getString("moved")),
                new Money(row.getLong("amount"), row.getString("currency")), Optional.ofNullable(row.getString("psp_reference")),
                Sql.instant(row, "booked_at"), row.getLong("line_number"));
    }

    private static final String OF_ATTEMPTS = """
            SELECT psp, line_id, psp_key, moved, amount, currency, psp_reference, booked_at, line_number
              FROM settlement_line WHERE psp = ? AND psp_key = ANY (?) AND moved = ? ORDER BY booked_at, line_id
            """;

    /** What was booked as moved in this way under these keys. */
    public static List<BookedLine> of(Connection connection, String psp, List<PspKey> keys, BookedLine.Moved moved) throws SQLException {
        return Sql.all(connection, OF_ATTEMPTS, SettlementLines::read, psp, keys.stream().map(PspKey::value).toList(), moved.tag());
    }

    private static final String LOOK_SOON = """
            UPDATE settlement_line SET due_at = now()
             WHERE psp = ? AND psp_key = ? AND moved IN ('captured', 'given_back') AND due_at IS NULL AND answered_at IS NULL
            """;

    /** The rows had lost the attempt under this key, and have it again: charge looks at its lines. */
    public static void lookSoon(Connection connection, String psp, PspKey key) throws SQLException {
        Sql.update(connection, LOOK_SOON, psp, key.value());
    }

    private static final String ANSWER = """
            UPDATE settlement_line SET answer = left(?, 500), answered_at = clock_timestamp(), due_at = NULL
             WHERE psp = ? AND line_id = ? AND answered_at IS NULL
            """;

    /** @return false if it was answered before */
    public static boolean answer(Connection connection, BookedLine line, String answer) throws SQLException {
        return Sql.update(connection, ANSWER, answer, line.psp(), line.id()) == 1;
    }

    private static final String LATER = """
            UPDATE settlement_line SET answer = left(?, 500), due_at = now() + ? * interval '1 second', tries = least(tries + 1, 1000000)
             WHERE psp = ? AND line_id = ? AND answered_at IS NULL
            """;

    /** Nothing is known yet; charge looks at it again after this time. */
    public static void later(Connection connection, BookedLine line, String answer, Duration pause) throws SQLException {
        Sql.update(connection, LATER, answer, pause.toSeconds(), line.psp(), line.id());
    }
}
