// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.database.Database;
import io.chargeonce.notifications.SenderFixture;
import io.chargeonce.notifications.receipt.terminal.ReceiptCommand;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** Payments that succeed, and the service under its own role. */
final class Books extends SenderFixture {

    static final String ROLE = "chargeonce_receipts";

    static Letterhead letterhead() {
        return new Letterhead("receipts@shop.example", Optional.of("help@shop.example"), Locale.ENGLISH, ZoneOffset.UTC);
    }

    ReceiptSettings settings(MailServer server) {
        return new ReceiptSettings(pipeline(ROLE), server, letterhead());
    }

    Lifecycle start(ReceiptSettings settings) {
        return started(ReceiptService.start(settings, Meters.of("test")));
    }

    /** As people on call. */
    Called receipt(String... arguments) {
        String role = "chargeonce_dlq_operator";
        return call(new ReceiptCommand(() -> Database.openForCommand(as(role), role, "")).commandLine(), arguments);
    }

    /** Returns the id of a payment that has succeeded. */
    String paid(String email) {
        return paid(email, 1299, "EUR", "order-7", "two mugs");
    }

    String paid(String email, long amount, String currency, String reference, String description) {
        String id = accepted(email, amount, currency, reference, description);
        succeeds(id);
        return id;
    }

    void succeeds(String operation) {
        succeeds(operation, "'2026-11-23T14:05:00Z'");
    }

    /** @param at an expression of Postgres */
    void succeeds(String operation, String at) {
        execute("UPDATE operation_state SET state = 'succeeded', step = 2, settled_at = " + at + ", psp = 'stripe', "
                + "psp_reference = 'pi_1' WHERE operation_id = '" + operation + "'");
    }

    String accepted(String email, long amount, String currency, String reference, String description) {
        String id = "pay_" + UUID.randomUUID();
        insert("charge", id, id, "", amount, currency, reference, description, email);
        return id;
    }

    /** Returns the id of a refund of this payment that has succeeded. */
    String refunded(String payment, long amount) {
        String id = refund(payment, amount);
        succeeds(id);
        return id;
    }

    String refund(String payment, long amount) {
        String id = "payment-" + payment + "-refund-a";
        insert("refund", id, payment, "a", amount, "EUR", "a", null, null);
        return id;
    }

    private static final String INSERT = """
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                payment_method, customer, reference, description, receipt_email, charge_within_s)
            VALUES (?, ?, ?, ?, 'acme', ?, ?, ?, 'pm_card_visa', 'cus_secret', ?, ?, ?, 86400)
            """;

    private void insert(String kind, String id, String payment, String of, long amount, String currency, String reference,
                        String description, String email) {
        try (var connection = connect(); var statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, id);
            statement.setString(2, payment);
            statement.setString(3, kind);
            statement.setString(4, of);
            statement.setString(5, id);
            statement.setLong(6, amount);
            statement.setString(7, currency);
            statement.setString(8, reference);
            statement.setString(9, description);
            statement.setString(10, email);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As charge stages it, with another amount, which must not matter. */
    void publish(String operation) {
        publish(operation, "{\"type\":\"payment.receipt\",\"version\":1,\"payment_id\":\"pay_other\",\"operation_id\":\"" + operation
                + "\",\"kind\":\"charge\",\"merchant\":\"globex\",\"amount\":999999,\"currency\":\"USD\"}");
    }

    void publish(String key, String value) {
        publish(topics.receipts(), key, value);
    }

    /** State, tries and last error of an operation's receipt. */
    String receiptOf(String operation) {
        return text(
                "SELECT state || ' ' || attempts || ' ' || coalesce(last_error, '') FROM receipt WHERE operation_id = '" + operation + "'");
    }

    String idOf(String operation) {
        return text("SELECT receipt_id FROM receipt WHERE operation_id = '" + operation + "'");
    }
}
