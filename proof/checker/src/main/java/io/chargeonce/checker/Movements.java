// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Currency;
import java.util.Locale;
import java.util.OptionalLong;
import tools.jackson.databind.JsonNode;

/** Compares the ledgers of all PSPs with the rows, by the payment id that was sent as metadata. */
final class Movements {

    private final ShareContents contents;

    Movements(ShareContents contents) {
        this.contents = contents;
    }

    void movement(JsonNode movement) {
        String id = movement.path("metadata").path("payment_id").asString("");
        if (id.isEmpty() && !contents.share.isFirst()) {
            return;
        }
        if (id.isEmpty()) {
            contents.findings.add(Invariant.PSP_AGREES, PaymentCount.PHANTOM, movement.path("id").asString(),
                    "moved money for no payment: its metadata name none");
            return;
        }
        if (movement.path("kind").asString().equals("return")) {
            returned(id, movement);
        } else if (movement.path("kind").asString().equals("refund")) {
            String operation = operationOf(movement);
            if (contents.share.holds(operation)) {
                givenBack(operation, id, movement);
            }
            if (contents.share.holds(id)) {
                refund(contents.payment(id), operation, movement);
            }
        } else if (contents.share.holds(id)) {
            capture(contents.payment(id), movement);
        }
    }

    private void capture(CheckedPayment payment, JsonNode movement) {
        contents.totals.captures++;
        if (!payment.hasRow()) {
            if (happenedBeforeRowsWereRead(movement)) {
                contents.findings.add(Invariant.PSP_AGREES, PaymentCount.PHANTOM, payment.id, "was captured, but never accepted");
            }
            return;
        }
        String currency = currency(movement);
        OptionalLong said = minorUnits(movement);
        long amount = said.orElse(0);
        payment.captures++;
        payment.capturedMoney += amount;
        if (payment.state == State.SUCCEEDED) {
            contents.money(payment).captured += amount;
        }
        if (said.isEmpty() || amount != payment.amount || !currency.equals(payment.currency)) {
            contents.findings.add(Invariant.PSP_AGREES, PaymentCount.WRONG_AMOUNT, payment.id,
                    "was accepted at %s %s, and captured at %s %s"
                            .formatted(decimal(payment.amount, payment.currency).toPlainString(), payment.currency,
                                    value(movement).toPlainString(),
                                    currency));
        }
    }

    /**
     * A bank took the money of a debit back. Mostly an operation of ours says so, and the payment stays captured. Without one, the bank has
     * done what our reversal would have done: of a second capture, or of a debit whose return was read before its booking, and is declined.
     */
    private void returned(String id, JsonNode movement) {
        String attempt = "attempt-" + movement.path("reference").asString("");
        String operation = attempt + "-return";
        if (contents.returnsAndReversals.contains(operation)) {
            if (contents.share.holds(operation)) {
                givenBack(operation, id, movement);
            }
            if (contents.share.holds(id)) {
                contents.payment(id).returnedMoney += minorUnits(movement).orElse(0);
            }
        } else if (contents.share.holds(id)) {
            CheckedPayment payment = contents.payment(id);
            if (payment.state == State.DECLINED || contents.returnsAndReversals.contains(attempt + "-reversal")) {
                reversed(payment, minorUnits(movement).orElse(0));
            } else {
                givenBack(operation, id, movement);
            }
        }
    }

    private void givenBack(String operation, String payment, JsonNode movement) {
        CheckedPayment refund = contents.payments.get(operation);
        if (refund != null && refund.hasRow()) {
            refund.captures++;
            if (!minorUnits(movement).equals(OptionalLong.of(refund.amount)) || !currency(movement).equals(refund.currency)) {
                contents.findings.add(Invariant.PSP_AGREES, PaymentCount.WRONG_AMOUNT, operation,
                        "is about %s %s, and gave back %s %s".formatted(
                                decimal(refund.amount, refund.currency).toPlainString(), refund.currency, value(movement).toPlainString(),
                                currency(movement)));
            }
        } else if (happenedBeforeRowsWereRead(movement)) {
            contents.findings.add(Invariant.PSP_AGREES, PaymentCount.PHANTOM, payment,
                    "got money back that no row of ours speaks of: " + operation);
        }
    }

    private void refund(CheckedPayment payment, String operation, JsonNode movement) {
        long amount = minorUnits(movement).orElse(0);
        // Its money came back to us, so it may go out once more.
        boolean failed = contents.failedAfterSuccess.contains(operation);
        // A refund's id ends with what its merchant chose.
        if (operation.startsWith("attempt-") && operation.endsWith("-reversal")) {
            if (!failed) {
                reversed(payment, amount);
            }
            return;
        }
        if (!payment.refunded(operation, failed ? 0 : amount)) {
            contents.findings.add(Invariant.REFUNDS, PaymentCount.OVER_REFUNDED, payment.id,
                    "was refunded more than once for " + operation);
        }
    }

    private void reversed(CheckedPayment payment, long amount) {
        payment.reversals++;
        payment.reversedMoney += amount;
        if (payment.state == State.SUCCEEDED) {
            contents.money(payment).captured -= amount;
        }
    }

    static String currency(JsonNode movement) {
        return movement.path("currency").asString().toUpperCase(Locale.ROOT);
    }

    /** As the PSP's own table makes it of the amount that it was asked for; a ledger without one counts in minor units. */
    private static BigDecimal value(JsonNode movement) {
        String value = movement.path("value").asString("");
        return value.isEmpty() ? decimal(movement.path("amount").asLong(), currency(movement)) : new BigDecimal(value);
    }

    private static BigDecimal decimal(long minorUnits, String currency) {
        return BigDecimal.valueOf(minorUnits, digits(currency));
    }

    /** In ISO 4217's minor units, as rows have them; empty for a fraction that no row can say. */
    static OptionalLong minorUnits(JsonNode movement) {
        try {
            return OptionalLong.of(value(movement).movePointRight(digits(currency(movement))).longValueExact());
        } catch (ArithmeticException fraction) {
            return OptionalLong.empty();
        }
    }

    private static int digits(String currency) {
        try {
            return Math.max(0, Currency.getInstance(currency).getDefaultFractionDigits());
        } catch (IllegalArgumentException notInIso) {
            return 0;
        }
    }

    /** By the operation's id where the PSP takes metadata with a refund, else by the attempt's key, under which it was sent. */
    private String operationOf(JsonNode movement) {
        String key = movement.path("idempotency_key").asString("");
        String reference = movement.path("reference").asString(key);
        String byKey = contents.givingBack.getOrDefault(reference, contents.givingBack.getOrDefault(key, key));
        return movement.path("metadata").path("operation_id").asString(byKey);
    }

    private boolean happenedBeforeRowsWereRead(JsonNode movement) {
        try {
            return DatabaseRows.micros(Instant.parse(movement.path("at").asString(""))) <= contents.rowsReadAt;
        } catch (DateTimeException noTime) {
            return true;
        }
    }
}
