// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import io.chargeonce.settlement.BookedLine;
import io.chargeonce.settlement.BookedLine.Moved;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Stripe's report balance_change_from_activity.itemized.3 as CSV, with the metadata columns that have our keys:
 * https://docs.stripe.com/reports/report-types. Its amounts are in the currency's main unit; customer_facing_amount is what the customer
 * paid.
 */
record StripeItemised(String psp) implements Report {

    private static final String KEY = "payment_metadata[attempt_key]";
    private static final String REFUNDS_KEY = "refund_metadata[attempt_key]";
    private static final Set<String> REQUIRED = Set.of("balance_transaction_id", "created_utc", "reporting_category",
            "customer_facing_amount", "customer_facing_currency", "payment_intent_id", "source_id", KEY);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

    @Override
    public void read(InputStream in, Consumer<Entry> to) throws IOException {
        Csv.read(in, REQUIRED, this::entry, to);
    }

    @Override
    public boolean hasIds() {
        return true;
    }

    private Entry entry(Csv.Row row) {
        String category = row.require("reporting_category");
        return switch (category) {
            case "charge" -> line(row, Moved.CAPTURED, row.key(KEY), row.get("payment_intent_id"));
            case "charge_failure" -> line(row, Moved.CAPTURE_RETURNED, row.key(KEY), row.get("payment_intent_id"));
            case "refund" -> line(row, Moved.GIVEN_BACK, row.key(REFUNDS_KEY), row.get("source_id"));
            case "refund_failure" -> line(row, Moved.GIVE_BACK_RETURNED, row.key(REFUNDS_KEY), row.get("source_id"));
            default -> new Entry.Other(category);
        };
    }

    private Entry line(Csv.Row row, Moved moved, Optional<PspKey> key, Optional<String> reference) {
        boolean needsTheCharge = key.isEmpty() && !moved.isOfACharge();
        return new Entry.Booked(new BookedLine(psp, row.require("balance_transaction_id"), key, moved, money(row), reference, created(row),
                row.number()), needsTheCharge ? row.key(KEY) : Optional.empty());
    }

    /** Of either sign: the category says which way it went. */
    private static Money money(Csv.Row row) {
        String text = row.require("customer_facing_amount");
        String currency = row.require("customer_facing_currency").toUpperCase(Locale.ROOT);
        if (!text.matches("-?\\d{1,15}(\\.\\d{1,6})?")) {
            throw new Csv.Unreadable("customer_facing_amount is no amount: '%s'".formatted(Csv.Unreadable.brief(text)));
        }
        return Money.ofDecimal(new BigDecimal(text).abs(), currency).orElseThrow(() -> new Csv.Unreadable(
                "it has no amount of a payment: '%s %s'".formatted(text, Csv.Unreadable.brief(currency))));
    }

    private static Instant created(Csv.Row row) {
        try {
            return LocalDateTime.parse(row.require("created_utc"), TIME).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            throw new Csv.Unreadable("created_utc is no time");
        }
    }
}
