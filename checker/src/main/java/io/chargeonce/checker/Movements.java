package io.chargeonce.checker;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Puts what the ledgers say beside the rows: over all PSPs, and by the payment id that travelled as metadata. */
final class Movements {

    private final Books books;

    Movements(Books books) {
        this.books = books;
    }

    void movement(JsonNode movement) {
        String id = movement.path("metadata").path("payment_id").asString("");
        if (id.isEmpty()) {
            books.findings.add(Invariant.PSP_AGREES, Tally.PHANTOM, movement.path("id").asString(),
                    "moved money for no payment: its metadata name none");
            return;
        }
        Payment payment = books.payment(id);
        if (movement.path("kind").asString().equals("capture")) {
            capture(payment, movement);
        } else {
            refund(payment, movement);
        }
    }

    private void capture(Payment payment, JsonNode movement) {
        books.captures++;
        if (!payment.hasRow()) {
            if (happenedBeforeRowsWereRead(movement)) {
                books.findings.add(Invariant.PSP_AGREES, Tally.PHANTOM, payment.id, "was captured, but never accepted");
            }
            return;
        }
        long amount = movement.path("amount").asLong();
        String currency = movement.path("currency").asString().toUpperCase(Locale.ROOT);
        payment.captures++;
        payment.capturedMoney += amount;
        if (payment.state == State.SUCCEEDED) {
            books.money(payment).captured += amount;
        }
        if (amount != payment.amount || !currency.equals(payment.currency)) {
            books.findings.add(Invariant.PSP_AGREES, Tally.WRONG_AMOUNT, payment.id, "was accepted at %d %s, and captured at %d %s"
                    .formatted(payment.amount, payment.currency, amount, currency));
        }
    }

    private void refund(Payment payment, JsonNode movement) {
        String operation = operationOf(movement);
        long amount = movement.path("amount").asLong();
        Payment givenBack = books.payments.get(operation);
        if (givenBack != null && givenBack.hasRow()) {
            givenBack.captures++;
        } else if (happenedBeforeRowsWereRead(movement)) {
            books.findings.add(Invariant.PSP_AGREES, Tally.PHANTOM, payment.id, "got money back that no row of ours speaks of: " + operation);
        }
        if (operation.endsWith("-reversal")) {
            payment.reversals++;
            payment.reversedMoney += amount;
            if (payment.state == State.SUCCEEDED) {
                books.money(payment).captured -= amount;
            }
            return;
        }
        if (!payment.refunded(operation, amount)) {
            books.findings.add(Invariant.REFUNDS, Tally.OVER_REFUNDED, payment.id, "was refunded more than once for " + operation);
        }
    }

    /** By the operation's id where the PSP takes metadata with a refund, else by the attempt's key, under which it was sent. */
    private String operationOf(JsonNode movement) {
        String key = movement.path("idempotency_key").asString("");
        String reference = movement.path("reference").asString(key);
        String byKey = books.givingBack.getOrDefault(reference, books.givingBack.getOrDefault(key, key));
        return movement.path("metadata").path("operation_id").asString(byKey);
    }

    private boolean happenedBeforeRowsWereRead(JsonNode movement) {
        try {
            return Rows.micros(Instant.parse(movement.path("at").asString(""))) <= books.rowsReadAt;
        } catch (DateTimeException noTime) {
            return true;
        }
    }
}
