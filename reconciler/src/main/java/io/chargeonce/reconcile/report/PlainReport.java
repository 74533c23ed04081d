// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import io.chargeonce.settlement.BookedLine;
import java.io.IOException;
import java.io.InputStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * CSV with the columns {@code id,key,moved,amount,currency,reference,booked_at}: the PSP's id of the line; our attempt's key, or nothing;
 * captured, capture_returned, given_back or give_back_returned; the amount in the currency's main unit, such as 12.99; the PSP's reference;
 * the time such as 2026-11-01T12:00:00Z.
 */
public record PlainReport(String psp) implements Report {

    /** With the end of the line. */
    public static final String HEADER = "id,key,moved,amount,currency,reference,booked_at\n";

    private static final Set<String> REQUIRED = Set.of(HEADER.strip().split(","));

    @Override
    public void read(InputStream in, Consumer<Entry> to) throws IOException {
        Csv.read(in, REQUIRED, this::entry, to);
    }

    @Override
    public boolean hasIds() {
        return true;
    }

    private Entry entry(Csv.Row row) {
        String moved = row.require("moved").toLowerCase(Locale.ROOT);
        BookedLine.Moved way = Arrays.stream(BookedLine.Moved.values()).filter(one -> one.tag().equals(moved)).findFirst()
                .orElseThrow(() -> new Csv.Unreadable("money does not move so: '%s'".formatted(Csv.Unreadable.brief(moved))));
        return new Entry.Booked(new BookedLine(psp, row.require("id"), row.key("key"), way, row.money("amount", "currency"),
                row.get("reference"), time(row.require("booked_at")), row.number()), Optional.empty());
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new Csv.Unreadable("booked_at is no time: '%s'".formatted(Csv.Unreadable.brief(text)));
        }
    }
}
