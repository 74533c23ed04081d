// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import io.chargeonce.settlement.BookedLine;
import io.chargeonce.settlement.BookedLine.Moved;
import java.io.IOException;
import java.io.InputStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Adyen's settlement details report: https://docs.adyen.com/reporting/settlement-detail-report. The merchant reference is the key of a
 * charge's attempt. A refund's own key is in the column Modification Merchant Reference, or else the refund is found by its Modification
 * Reference. A line has no id, so one is made of its type, its reference and its batch.
 */
record AdyenReport(String psp) implements Report {

    private static final String TYPE = "Type";
    private static final String PSP_REFERENCE = "Psp Reference";
    private static final String MERCHANT_REFERENCE = "Merchant Reference";
    private static final String MODIFICATION = "Modification Reference";
    private static final String REFUNDS_KEY = "Modification Merchant Reference";
    private static final String CREATED = "Creation Date";
    private static final String ZONE = "TimeZone";
    private static final String BOOKED = "Booking Date";
    private static final String BOOKED_ZONE = "Booking Date TimeZone";
    private static final String CURRENCY = "Gross Currency";
    private static final String DEBIT = "Gross Debit (GC)";
    private static final String CREDIT = "Gross Credit (GC)";
    private static final String BATCH = "Batch Number";

    private static final Set<String> REQUIRED =
            Set.of(TYPE, PSP_REFERENCE, MERCHANT_REFERENCE, MODIFICATION, CREATED, ZONE, CURRENCY, DEBIT, CREDIT);

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    /** Adyen writes the account's zone in short, and CET in summer too. */
    private static final Map<String, String> ZONES = Map.ofEntries(Map.entry("CET", "Europe/Amsterdam"),
            Map.entry("CEST", "Europe/Amsterdam"), Map.entry("BST", "Europe/London"), Map.entry("GMT", "UTC"),
            Map.entry("WET", "Europe/Lisbon"),
            Map.entry("EET", "Europe/Helsinki"), Map.entry("EST", "America/New_York"), Map.entry("EDT", "America/New_York"),
            Map.entry("CST", "America/Chicago"), Map.entry("CDT", "America/Chicago"), Map.entry("MST", "America/Denver"),
            Map.entry("MDT", "America/Denver"), Map.entry("PST", "America/Los_Angeles"), Map.entry("PDT", "America/Los_Angeles"),
            Map.entry("BRT", "America/Sao_Paulo"), Map.entry("SGT", "Asia/Singapore"), Map.entry("HKT", "Asia/Hong_Kong"),
            Map.entry("JST", "Asia/Tokyo"), Map.entry("AEST", "Australia/Sydney"), Map.entry("AEDT", "Australia/Sydney"));

    @Override
    public void read(InputStream in, Consumer<Entry> to) throws IOException {
        Csv.read(in, REQUIRED, this::entry, to);
    }

    @Override
    public boolean hasIds() {
        return false;
    }

    private Entry entry(Csv.Row row) {
        String type = row.require(TYPE);
        return switch (type) {
            case "Settled" -> charged(row, type, Moved.CAPTURED, CREDIT);
            case "SettledReversed" -> charged(row, type, Moved.CAPTURE_RETURNED, DEBIT);
            case "Refunded" -> refunded(row, type, Moved.GIVEN_BACK, DEBIT);
            case "RefundedReversed" -> refunded(row, type, Moved.GIVE_BACK_RETURNED, CREDIT);
            default -> new Entry.Other(type);
        };
    }

    private Entry charged(Csv.Row row, String type, Moved moved, String amount) {
        return new Entry.Booked(line(row, type, row.key(MERCHANT_REFERENCE), moved, row.money(amount, CURRENCY),
                row.require(PSP_REFERENCE)), Optional.empty());
    }

    private Entry refunded(Csv.Row row, String type, Moved moved, String amount) {
        Optional<PspKey> own = row.key(REFUNDS_KEY);
        return new Entry.Booked(line(row, type, own, moved, row.money(amount, CURRENCY), row.require(MODIFICATION)),
                own.isPresent() ? Optional.empty() : row.key(MERCHANT_REFERENCE));
    }

    private BookedLine line(Csv.Row row, String type, Optional<PspKey> key, Moved moved, Money money, String reference) {
        String id = "%s:%s:%s".formatted(type, row.get(MODIFICATION).orElseGet(() -> row.require(PSP_REFERENCE)),
                row.get(BATCH).orElse("")).toLowerCase(Locale.ROOT);
        return new BookedLine(psp, id, key, moved, money, Optional.of(reference), bookedAt(row), row.number());
    }

    private static Instant bookedAt(Csv.Row row) {
        boolean says = row.get(BOOKED).isPresent() && row.get(BOOKED_ZONE).isPresent();
        String zone = row.require(says ? BOOKED_ZONE : ZONE);
        try {
            return LocalDateTime.parse(row.require(says ? BOOKED : CREATED), TIME).atZone(ZoneId.of(ZONES.getOrDefault(zone, zone)))
                    .toInstant();
        } catch (DateTimeException e) {
            throw new Csv.Unreadable("its time or time zone is not known: " + Csv.Unreadable.brief(String.valueOf(e.getMessage())));
        }
    }
}
