// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.PspUnits;
import io.chargeonce.settlement.BookedLine;
import io.chargeonce.settlement.BookedLine.Moved;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Stripe's balance transactions as JSON, one a line: https://docs.stripe.com/api/balance_transactions. Each has its source expanded,
 * because the source has our metadata. What was booked is in the currency that the account is paid out in. If the customer paid in another
 * one, the source's amount counts.
 */
public record StripeTransactions(String psp) implements Report {

    private static final JsonMapper JSON = new JsonMapper();

    @Override
    public void read(InputStream in, Consumer<Entry> to) throws IOException {
        var lines = new ReportLines(in);
        for (Optional<ReportLines.Line> line = lines.next(); line.isPresent(); line = lines.next()) {
            long number = line.get().number();
            Optional<String> text = line.get().text();
            if (text.isEmpty()) {
                to.accept(new Entry.Unreadable(number, "it is longer than %d bytes, or no UTF-8".formatted(ReportLines.LONGEST)));
            } else if (!text.get().isBlank()) {
                to.accept(entry(number, text.get()));
            }
        }
    }

    @Override
    public boolean hasIds() {
        return true;
    }

    private Entry entry(long number, String text) {
        try {
            return entry(number, JSON.readTree(text));
        } catch (JacksonException notJson) {
            return new Entry.Unreadable(number, "it is no JSON");
        }
    }

    /** @param number the transaction's place in its list, from 1 */
    public Entry entry(long number, JsonNode transaction) {
        String type = transaction.path("type").asString("");
        try {
            if (!transaction.path("object").asString("").equals("balance_transaction") || type.isEmpty()) {
                throw new Csv.Unreadable("it is no balance transaction");
            }
            return switch (type) {
                case "charge", "payment" -> booked(number, transaction, Moved.CAPTURED);
                case "payment_failure_refund" -> booked(number, transaction, Moved.CAPTURE_RETURNED);
                case "refund", "payment_refund" -> booked(number, transaction, Moved.GIVEN_BACK);
                case "refund_failure" -> booked(number, transaction, Moved.GIVE_BACK_RETURNED);
                default -> new Entry.Other(type);
            };
        } catch (Csv.Unreadable | IllegalArgumentException unreadable) {
            return new Entry.Unreadable(number, unreadable.getMessage());
        }
    }

    private Entry booked(long number, JsonNode transaction, Moved moved) {
        JsonNode source = transaction.path("source");
        if (!source.isObject()) {
            throw new Csv.Unreadable("its source is not expanded: list with expand[]=data.source");
        }
        Optional<String> reference = Optional.of(source.path(moved.isOfACharge() ? "payment_intent" : "id").asString(""))
                .filter(text -> !text.isEmpty());
        return new Entry.Booked(new BookedLine(psp, transaction.path("id").asString(""),
                PspKey.parse(source.path("metadata").path("attempt_key").asString("")), moved, money(transaction, source), reference,
                Instant.ofEpochSecond(seconds(transaction)), number), Optional.empty());
    }

    /** A transaction with what this reader reads of it, and nothing else. */
    public static String brief(JsonNode transaction) {
        ObjectNode brief = JSON.createObjectNode();
        List.of("object", "id", "type", "amount", "currency", "created").forEach(name -> brief.set(name, transaction.path(name)));
        JsonNode source = transaction.path("source");
        if (source.isObject()) {
            ObjectNode kept = brief.putObject("source");
            List.of("id", "payment_intent", "amount", "currency").forEach(name -> kept.set(name, source.path(name)));
            kept.putObject("metadata").set("attempt_key", source.path("metadata").path("attempt_key"));
        }
        return brief.toString();
    }

    private static long seconds(JsonNode transaction) {
        if (!transaction.path("created").isIntegralNumber()) {
            throw new Csv.Unreadable("it has no time");
        }
        return transaction.path("created").asLong();
    }

    private static Money money(JsonNode transaction, JsonNode source) {
        boolean converted = !source.path("currency").equals(transaction.path("currency"));
        JsonNode amount = (converted ? source : transaction).path("amount");
        String currency = (converted ? source : transaction).path("currency").asString("").toUpperCase(Locale.ROOT);
        return Optional.of(amount).filter(JsonNode::canConvertToLong).filter(JsonNode::isIntegralNumber)
                .flatMap(number -> PspUnits.STRIPE.from(Math.abs(number.asLong()), currency))
                .orElseThrow(() -> new Csv.Unreadable("it has no amount of a payment: '%s %s'".formatted(
                        Csv.Unreadable.brief(amount.toString()), Csv.Unreadable.brief(currency))));
    }
}
