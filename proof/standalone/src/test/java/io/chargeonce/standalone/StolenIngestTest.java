// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the service that faces the internet can read with its own login: one payment of one merchant, if it knows both names. */
class StolenIngestTest {

    private static final String INGEST = "chargeonce_ingest";
    private static RobbedDatabase database;

    @BeforeAll
    static void fill() throws SQLException {
        database = new RobbedDatabase();
        database.execute("postgres", """
                INSERT INTO merchant (merchant_id) VALUES ('hooli');
                INSERT INTO merchant_token (token_sha256, merchant_id) VALUES (sha256('of hooli'), 'hooli');
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
                customer,
                                       reference, description, receipt_email, charge_within_s)
                SELECT id, id, 'charge', 'hooli', id, 700, 'EUR', 'pm_secret', 'cus_secret', 'order-7', 'a secret', 'ann@example.com', 60
                  FROM unnest(ARRAY['pay_of_hooli', 'pay_of_hooli_too']) AS id;
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, \
                payment_method,
                                       charge_within_s)
                VALUES ('refund_of_hooli', 'pay_of_hooli', 'refund', 'r', 'hooli', 'refund', 100, 'EUR', 'pm_secret', 60);
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path, \
                resource_id)
                VALUES ('hooli', 'pay_of_hooli', sha256('x'), 1, '/v1/payments', 'pay_of_hooli');
                INSERT INTO duplicate_guard VALUES ('hooli', sha256('a purchase'), 'pay_of_hooli', now() + interval '1 hour');
                INSERT INTO capture_failure (operation_id, psp, psp_reference, reason) VALUES ('pay_of_hooli', 'stripe', 'pi', 'r');
                """);
    }

    @AfterAll
    static void close() throws SQLException {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "SELECT receipt_email FROM operation", "SELECT receipt_email FROM operation_now", "SELECT customer FROM operation",
        "SELECT payment_method FROM operation WHERE operation_id = 'pay_of_hooli'", "SELECT description, reference FROM operation",
        "SELECT operation_id FROM operation", "SELECT merchant_id, operation_id FROM operation_now", "SELECT count(*) FROM operation",
        "SELECT operation_id FROM operation_state", "SELECT lease_token FROM operation_state", "SELECT psp_reference FROM operation_state",
        "SELECT token_sha256 FROM merchant_token", "SELECT merchant_id FROM merchant_token", "SELECT count(*) FROM merchant_token",
        "SELECT request_params FROM idempotency_key", "SELECT fingerprint FROM idempotency_key",
        "SELECT payment_id FROM duplicate_guard", "SELECT purchase FROM duplicate_guard", "UPDATE duplicate_guard SET until = '-infinity'",
        "DELETE FROM duplicate_guard", "SELECT operation_id FROM capture_failure", "SELECT payment_id FROM payment_attempt",
        "INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path, request_params, "
                + "resource_id) "
                + "VALUES ('hooli', 'pay_of_hooli', sha256('y'), 1, '/', '{}', 'x') ON CONFLICT (merchant_id, idempotency_key) "
                + "DO UPDATE SET resource_id = 'x' RETURNING request_params",
        "INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, "
                + "charge_within_s) "
                + "VALUES ('pay_x', 'pay_x', 'charge', 'hooli', 'x', 1, 'EUR', 'pm', 60) RETURNING receipt_email",
        "COPY operation TO STDOUT", "COPY merchant_token TO STDOUT", "ALTER TABLE idempotency_key DISABLE ROW LEVEL SECURITY",
        "SELECT sealed_record FROM dead_letter"})
    void what_others_have_sent_is_read_by_no_select(String theft) throws SQLException {
        database.refused(INGEST, theft);
    }

    /** A policy shows rows of this very transaction only; a setting changes nothing of it, unlike the name of a merchant in one. */
    @ParameterizedTest
    @ValueSource(strings = {"", "SET row_security = on;", "SET chargeonce.merchant = 'hooli';", "BEGIN; SET LOCAL TIME ZONE 'Asia/Tokyo';"})
    void the_keys_of_others_are_not_to_be_seen(String first) throws SQLException {
        assertThat(read(first + "SELECT idempotency_key FROM idempotency_key")).isEmpty();
        assertThat(read(first + "SELECT resource_id FROM idempotency_key WHERE merchant_id = 'hooli'")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "SELECT receipt_email FROM operation_of('acme', 'pay_of_hooli')", "SELECT receipt_email FROM operation_of('hooli', 'pay_of_acme')",
        "SELECT receipt_email FROM operation_of('%', 'pay_of_hooli')", "SELECT receipt_email FROM operation_of('hooli', '%')",
        "SELECT receipt_email FROM operation_of('hooli', NULL)", "SELECT receipt_email FROM operation_of(NULL, 'pay_of_hooli')",
        "SELECT receipt_email FROM operation_of('hooli'' OR true --', 'pay_of_hooli')",
        "SELECT operation_id FROM refunds_of('acme', 'pay_of_hooli')", "SELECT operation_id FROM refunds_of('hooli', NULL)",
        "SELECT operation_id FROM payments_with_reference('acme', 'order-7', 'infinity', '', 100)",
        "SELECT operation_id FROM payments_with_reference('hooli', NULL, 'infinity', '', 100)",
        "SELECT operation_id FROM payments_with_reference('hooli', '%', 'infinity', '', 100)",
        "SELECT request_params FROM keys_taken('{acme}', '{pay_of_hooli}')", "SELECT request_params FROM keys_taken('{hooli}', '{NULL}')",
        "SELECT request_params FROM keys_taken(NULL, NULL)", "SELECT psp FROM attempts_of('hooli', 'pay_succeeded')",
        "SELECT reason FROM capture_failure_of('acme', 'pay_of_hooli')", "SELECT operation_id FROM settled_among(NULL)",
        "SELECT merchant_id FROM merchants_of('{NULL}')", "SELECT merchant_id FROM merchants_of(ARRAY[''::bytea])",
        "SELECT merchant_id FROM merchants_of(NULL)", "SELECT merchant_id FROM merchants_of(ARRAY[sha256('none')])",
        "SELECT first FROM first_purchases('{x}', '{acme}', ARRAY[sha256('a purchase')])"})
    void a_login_that_does_not_know_both_names_learns_nothing(String query) throws SQLException {
        assertThat(read(query)).isEmpty();
    }

    @Test
    void a_key_of_its_own_shows_it_no_payment_of_another_merchant() throws SQLException {
        assertThat(read("""
                BEGIN;
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path, resource_id)
                VALUES ('x', 'x', sha256('x'), 1, '/v1/payments', 'pay_of_hooli');
                SELECT request_params FROM keys_taken('{x}', '{x}')""")).isEmpty();
    }

    @Test
    void a_login_that_knows_a_merchant_and_its_payment_reads_that_one() throws SQLException {
        assertThat(read("SELECT receipt_email FROM operation_of('hooli', 'pay_of_hooli')")).containsExactly("ann@example.com");
        assertThat(read("SELECT operation_id FROM refunds_of('hooli', 'pay_of_hooli')")).containsExactly("refund_of_hooli");
        assertThat(read("SELECT request_path FROM keys_taken('{hooli}', '{pay_of_hooli}')")).containsExactly("/v1/payments");
        assertThat(read("SELECT operation_id FROM payments_with_reference('hooli', 'order-7', 'infinity', '', 1)"))
                .containsExactly("pay_of_hooli_too");
        assertThat(read("SELECT psp FROM attempts_of('acme', 'pay_succeeded')")).containsExactly("stripe");
        assertThat(read("SELECT merchant_id FROM merchants_of(ARRAY[sha256('of hooli')])")).containsExactly("hooli");
        assertThat(read("SELECT first FROM first_purchases('{x}', '{hooli}', ARRAY[sha256('a purchase')])"))
                .containsExactly("pay_of_hooli");
    }

    @Test
    void a_page_never_has_more_than_a_hundred_payments_and_one() throws SQLException {
        database.execute("postgres", """
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, \
                reference, charge_within_s)
                SELECT 'pay_' || n, 'pay_' || n, 'charge', 'globex', n, 700, 'EUR', 'pm', 'many', 60 FROM generate_series(1, 200) AS n""");
        assertThat(read("SELECT operation_id FROM payments_with_reference('globex', 'many', 'infinity', '', 1000000)")).hasSize(101);
        assertThat(read("SELECT operation_id FROM payments_with_reference('globex', 'many', 'infinity', '', NULL)")).hasSize(101);
    }

    /** A relay renders requests from operations' rows, and a row of the outbox can name any operation. */
    @Test
    void a_row_of_the_outbox_shows_nothing_of_an_operation_that_was_accepted_before() throws SQLException {
        String staged = "BEGIN; INSERT INTO outbox (shard, topic, record_key) VALUES (0, 'payments.requests', 'pay_of_hooli');";
        assertThat(read(staged + "SELECT record_key FROM outbox_to_relay WHERE headers IS NULL")).containsExactly("pay_of_hooli");
        assertThat(read(staged + "SELECT payment_id FROM outbox_to_relay WHERE payment_id IS NOT NULL OR merchant_id IS NOT NULL "
                + "OR idempotency_key IS NOT NULL OR payment_method IS NOT NULL OR customer IS NOT NULL OR amount IS NOT NULL")).isEmpty();
    }

    /** The relay must read what it relays. Such a record is there for some milliseconds, and holds no address of a person. */
    @Test
    void what_waits_for_kafka_carries_no_address() throws SQLException {
        assertThat(read("SELECT column_name FROM information_schema.columns WHERE table_name = 'outbox_to_relay'"))
                .contains("customer").doesNotContain("receipt_email", "description");
        assertThat(io.chargeonce.wire.PaymentRecord.class.getRecordComponents()).extracting(java.lang.reflect.RecordComponent::getName)
                .doesNotContain("receiptEmail", "description");
    }

    private static List<String> read(String sql) throws SQLException {
        int last = sql.lastIndexOf(';') + 1;
        try (Connection connection = database.login(INGEST); var statement = connection.createStatement()) {
            if (last > 0) {
                statement.execute(sql.substring(0, last));
            }
            return Texts.of(connection, sql.substring(last));
        }
    }
}
