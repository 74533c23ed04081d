// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import io.chargeonce.text.Cut;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads CSV (RFC 4180) with a header, by the columns' names. A quoted field may go on over a few lines. If its quote is never
 * closed, only the line where it begins is unreadable, and the lines behind it are read as lines of their own. Libraries read all
 * the rest as that field, so one broken quote would hide money.
 */
final class Csv {

    /** Of one record. */
    private static final int MOST_LINES = 20;

    /** One record, by the names of its columns. */
    static final class Row {
        private final long number;
        private final Map<String, Integer> columns;
        private final List<String> fields;

        private Row(long number, Map<String, Integer> columns, List<String> fields) {
            this.number = number;
            this.columns = columns;
            this.fields = fields;
        }

        long number() {
            return number;
        }

        /** Empty if there is no such column, or nothing in it. */
        Optional<String> get(String column) {
            Integer index = columns.get(column);
            return index == null ? Optional.empty() : Optional.of(fields.get(index).strip()).filter(text -> !text.isEmpty());
        }

        /** @throws Unreadable if nothing stands there */
        String require(String column) {
            return get(column).orElseThrow(() -> new Unreadable("%s is empty".formatted(column)));
        }

        /** @throws Unreadable unless it is the positive amount of a payment, in the currency's main unit */
        Money money(String amount, String currency) {
            String digits = require(amount);
            String code = require(currency).toUpperCase(Locale.ROOT);
            if (!digits.matches("\\d{1,15}(\\.\\d{1,6})?")) {
                throw new Unreadable("%s is no amount: '%s'".formatted(amount, Unreadable.brief(digits)));
            }
            return Money.ofDecimal(new BigDecimal(digits), code)
                    .orElseThrow(() -> new Unreadable("%s is no amount of a payment: '%s %s'".formatted(amount, digits,
                            Unreadable.brief(code))));
        }

        /** Empty if it is no key of ours. */
        Optional<PspKey> key(String column) {
            return get(column).flatMap(PspKey::parse);
        }
    }

    /** Why a line cannot be read. */
    static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1;
        private static final int LONGEST_QUOTE = 40;

        Unreadable(String why) {
            super(why, null, false, false);
        }

        static String brief(String foreign) {
            return Cut.to(LONGEST_QUOTE, foreign);
        }
    }

    private final ReportLines lines;
    /** Behind a quote that was not closed. */
    private final Deque<ReportLines.Line> again = new ArrayDeque<>();

    private Csv(InputStream in) {
        this.lines = new ReportLines(in);
    }

    /**
     * @param required the columns that such a report has
     * @param entry    what a record says; what it throws as {@link Unreadable} or {@link IllegalArgumentException} is reported
     */
    static void read(InputStream in, Set<String> required, Function<Row, Entry> entry, Consumer<Entry> to) throws IOException {
        new Csv(in).read(required, entry, to);
    }

    private void read(Set<String> required, Function<Row, Entry> entry, Consumer<Entry> to) throws IOException {
        Map<String, Integer> columns = header(required);
        for (Optional<ReportLines.Line> line = take(); line.isPresent(); line = take()) {
            long number = line.get().number();
            Optional<String> text = line.get().text();
            if (text.isEmpty()) {
                to.accept(new Entry.Unreadable(number, "it is longer than %d bytes, or no UTF-8".formatted(ReportLines.LONGEST)));
            } else if (!text.get().isBlank()) {
                to.accept(entry(number, text.get(), columns, entry));
            }
        }
    }

    private Entry entry(long number, String text, Map<String, Integer> columns, Function<Row, Entry> entry) throws IOException {
        try {
            return entry.apply(new Row(number, columns, record(text, columns.size())));
        } catch (Unreadable | IllegalArgumentException unreadable) {
            return new Entry.Unreadable(number, unreadable.getMessage());
        }
    }

    private Map<String, Integer> header(Set<String> required) throws IOException {
        List<String> names = take().flatMap(ReportLines.Line::text).flatMap(Csv::fields)
                .orElseThrow(() -> new Report.WrongFormat("it has no line with the names of its columns"));
        var columns = new HashMap<String, Integer>();
        for (String name : names) {
            if (columns.put(name.strip(), columns.size()) != null) {
                throw new Report.WrongFormat("the column '%s' is there twice".formatted(Unreadable.brief(name)));
            }
        }
        List<String> missing = required.stream().filter(name -> !columns.containsKey(name)).sorted().toList();
        if (!missing.isEmpty()) {
            throw new Report.WrongFormat("it lacks the columns " + String.join(", ", missing));
        }
        return columns;
    }

    private Optional<ReportLines.Line> take() throws IOException {
        return again.isEmpty() ? lines.next() : Optional.of(again.poll());
    }

    /** The fields of the record that begins with this line. If it is wrong, the lines behind the first are read again. */
    private List<String> record(String first, int width) throws IOException {
        Optional<List<String>> fields = fields(first);
        var text = new StringBuilder(first);
        var taken = new ArrayList<ReportLines.Line>();
        while (fields.isEmpty() && taken.size() < MOST_LINES && text.length() < ReportLines.LONGEST) {
            Optional<ReportLines.Line> more = take();
            if (more.isEmpty()) {
                break;
            }
            taken.add(more.get());
            text.append('\n').append(more.get().text().orElse("\""));
            fields = more.get().text().isEmpty() ? fields : fields(text.toString());
        }
        if (fields.isEmpty() || fields.get().size() != width) {
            taken.reversed().forEach(again::push);
            throw new Unreadable(fields.isEmpty() ? "a quote is not closed, or closed too early"
                    : "it has %d fields, and the header %d".formatted(fields.get().size(), width));
        }
        return fields.get();
    }

    /** Empty while a quote is open, and for a quote in the middle of a field. */
    private static Optional<List<String>> fields(String record) {
        var fields = new ArrayList<String>();
        int at = 0;
        while (true) {
            var field = new StringBuilder();
            if (at < record.length() && record.charAt(at) == '"') {
                at = quoted(record, at + 1, field);
                if (at < 0 || at < record.length() && record.charAt(at) != ',') {
                    return Optional.empty();
                }
            } else {
                int comma = record.indexOf(',', at);
                field.append(record, at, comma < 0 ? record.length() : comma);
                at = comma < 0 ? record.length() : comma;
            }
            fields.add(field.toString());
            if (at >= record.length()) {
                return Optional.of(fields);
            }
            at++;
        }
    }

    /** @return where the field ends; −1 if it does not */
    private static int quoted(String record, int from, StringBuilder field) {
        for (int at = from; at < record.length(); at++) {
            char c = record.charAt(at);
            if (c != '"') {
                field.append(c);
            } else if (at + 1 < record.length() && record.charAt(at + 1) == '"') {
                field.append('"');
                at++;
            } else {
                return at + 1;
            }
        }
        return -1;
    }
}
