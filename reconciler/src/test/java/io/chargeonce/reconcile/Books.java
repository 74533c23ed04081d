// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.sandbox.TestStack;
import java.util.Optional;

/** Rows of payments as the services leave them, and a login that may only reconcile. */
public final class Books implements AutoCloseable {

    final String url = TestStack.newDatabase(empty -> {
        Migrations.apply(empty, "postgres", "");
        Roles.apply(empty, "postgres", "", Optional.empty());
    });
    final Database owner;
    final Database database;

    public Books() {
        this.owner = Database.openForCommand(url, "postgres", "");
        this.database = Database.openForCommand(asReconciler(), "chargeonce_reconciler", "");
    }

    public String asReconciler() {
        return url.replace("user=postgres", "user=chargeonce_reconciler");
    }

    public Books forget() {
        execute("SET session_replication_role = replica; TRUNCATE operation, operation_state, payment_attempt, settlement_line, "
                + "reconciliation CASCADE; RESET session_replication_role");
        return this;
    }

    static PaymentId payment(String order) {
        return PaymentId.derive("acme", new IdempotencyKey(order));
    }

    /** A charge of 12.99 EUR with one attempt, which was made and decided a day ago. */
    public PspKey charge(String order, String psp, String state) {
        return charge(order, psp, state, 1299, "EUR");
    }

    PspKey charge(String order, String psp, String state, long amount, String currency) {
        String payment = payment(order).value();
        execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                       charge_within_s)
                VALUES ('%1$s', '%1$s', 'charge', 'acme', '%2$s', %3$d, '%4$s', 'pm_card_visa', 0)
                """.formatted(payment, order, amount, currency));
        PspKey key = PspKey.derive(payment(order), "charge", "", psp, 1);
        attempt(key, payment, payment, "charge", "", psp, state);
        return key;
    }

    /** A refund of a charge, with one attempt. */
    PspKey refund(String order, String ref, String psp, String state, long amount) {
        String payment = payment(order).value();
        String refund = "payment-%s-refund-%s".formatted(payment, ref);
        execute("""
                SET session_replication_role = replica;
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                                       payment_method, charge_within_s)
                VALUES ('%1$s', '%2$s', 'refund', '%3$s', 'acme', '%1$s', %4$d, 'EUR', 'pm_card_visa', 0);
                RESET session_replication_role
                """.formatted(refund, payment, ref, amount));
        PspKey key = PspKey.derive(payment(order), "refund", ref, psp, 1);
        attempt(key, refund, payment, "refund", ref, psp, state);
        return key;
    }

    private void attempt(PspKey key, String operation, String payment, String kind, String ref, String psp, String state) {
        execute("""
                SET session_replication_role = replica;
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, state,
                                             failed_definite, request, request_sha256, sent_at, decided_at, key_valid_until, psp_reference)
                VALUES ('%1$s', '%2$s', '%3$s', '%4$s', '%5$s', 1, 1, '%6$s', '%7$s', '%7$s' = 'failed_definite', '', sha256(''),
                        now() - interval '1 day', now() - interval '1 day', now(), 'ref-%1$s');
                RESET session_replication_role
                """.formatted(key, operation, payment, kind, ref, psp, state));
    }

    public void execute(String sql) {
        owner.withConnection(connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    String text(String sql) {
        return owner.withConnection(connection -> {
            try (var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
                row.next();
                return row.getString(1);
            }
        });
    }

    public long count(String from) {
        return Long.parseLong(text("SELECT count(*) " + from));
    }

    @Override
    public void close() {
        database.close();
        owner.close();
    }
}
