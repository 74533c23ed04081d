// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Migrations;
import io.chargeonce.database.People;
import io.chargeonce.database.Roles;
import io.chargeonce.sandbox.TestStack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Which role may append what to the audit log. */
class AuditLogTest {

    static final List<String> ROLES = Roles.ALL;
    private static String url;

    @BeforeAll
    static void migrate() {
        url = TestStack.newDatabase(empty -> {
            Migrations.apply(empty, "postgres", "");
            Roles.apply(empty, "postgres", "", Optional.empty());
        });
    }

    @ParameterizedTest
    @CsvSource({"chargeonce_ingest, merchant:acme, payment.accepted", "chargeonce_ingest, merchant:acme, refund.accepted",
        "chargeonce_ingest, reaper, mandate.lapsed", "chargeonce_charge, charge-consumer, succeeded",
        "chargeonce_retry, charge-consumer, incident.captured_twice",
        "chargeonce_charge, dead-letter-queue, dead_letter.entered", "chargeonce_charge, charge-consumer, dlq.settlement_refused",
        "chargeonce_dlq_operator, dead-letter-queue, dead_letter.entered", "postgres, anyone, anything"})
    void each_role_appends_what_is_its_own_to_say_and_the_record_names_the_role(String role, String actor, String action)
            throws SQLException {
        try (Connection connection = as(role)) {
            connection.setAutoCommit(false);
            AuditLog.append(connection, List.of(entry(actor, action, role + action)));
            connection.commit();
        }
        assertThat(
                text("SELECT session_role || ' ' || actor || ' ' || action FROM audit_record WHERE resource_id = '" + role + action + "'"))
                .isEqualTo(role + " " + actor + " " + action);
    }

    @ParameterizedTest
    @CsvSource({"chargeonce_dlq_operator, dlq.purged", "chargeonce_dlq_operator, dlq.settlement_proposed", "alice, dlq.merged",
        "chargeonce_merchant_admin, merchant.set", "chargeonce_merchant_admin, token.revoked", "chargeonce_merchant_admin, webhook.added",
        "chargeonce_dlq_unmask, dlq.unmasked",
        "postgres, dlq.purged"})
    void what_a_person_does_is_recorded_under_the_login_and_what_they_say_is_kept_as_a_claim(String login, String action)
            throws SQLException {
        People.add(url, "postgres", "", "alice", "chargeonce_dlq_operator", Optional.empty());
        try (Connection connection = as(login)) {
            AuditLog.append(connection,
                    List.of(new AuditLog.Entry(new AuditLog.Actor.Person(Optional.of("bob")), action, Optional.of("acme"),
                            "operation", login + action, Optional.empty(), Map.of())));
        }
        assertThat(
                text("SELECT session_role || ' ' || actor || ' ' || origin FROM audit_record WHERE resource_id = '" + login + action + "'"))
                .isEqualTo(login + " " + login + " bob");
    }

    @ParameterizedTest
    @CsvSource({"chargeonce_dlq_operator, alice, dlq.purged", "chargeonce_dlq_operator, chargeonce_dlq_operator, dlq.merged",
        "chargeonce_merchant_admin, operator:alice, token.revoked", "chargeonce_merchant_admin, , person.added",
        "chargeonce_ingest, alice, dlq.purged", "chargeonce_ingest, merchant:acme, dlq.purged",
        "chargeonce_ingest, merchant:globex, payment.accepted",
        "chargeonce_ingest, alice, payment.accepted", "chargeonce_ingest, charge-consumer, succeeded",
        "chargeonce_ingest, merchant:acme, token.created",
        "chargeonce_charge, alice, dlq.purged", "chargeonce_charge, charge-consumer, dlq.purged",
        "chargeonce_charge, merchant:acme, payment.accepted",
        "chargeonce_charge, alice, succeeded", "chargeonce_retry, charge-consumer, dlq.settlement_proposed",
        "chargeonce_retry, charge-consumer, merchant.set",
        "chargeonce_dlq_operator, charge-consumer, succeeded", "chargeonce_dlq_operator, alice, succeeded",
        "chargeonce_dlq_operator, charge-consumer, dlq.purged", "chargeonce_dlq_operator, merchant:acme, dlq.purged",
        "chargeonce_dlq_operator, alice, dlq.settlement_settled", "chargeonce_dlq_operator, alice, dead_letter.left",
        "chargeonce_dlq_operator, alice, merchant.set", "chargeonce_merchant_admin, alice, dlq.purged",
        "chargeonce_merchant_admin, merchant:acme, token.created", "chargeonce_ingest, , payment.accepted",
        "chargeonce_dlq_operator, alice, dlq.unmasked", "chargeonce_dlq_unmask, alice, dlq.purged",
        "chargeonce_dlq_unmask, alice, succeeded",
        "chargeonce_dlq_operator, alice, webhook.added", "chargeonce_merchant_admin, webhook-sender, webhook_endpoint.disabled",
        "chargeonce_charge, webhook-sender, webhook_endpoint.disabled", "chargeonce_charge, alice, webhook.rotated",
        "chargeonce_charge, reaper, mandate.lapsed", "chargeonce_ingest, alice, mandate.lapsed",
        "chargeonce_dlq_operator, alice, personal_data.erased", "chargeonce_charge, charge-consumer, personal_data.erased"})
    void a_record_that_a_role_may_not_write_is_refused_with_its_whole_transaction(String role, String actor, String action)
            throws SQLException {
        long before = Long.parseLong(text("SELECT count(*) FROM audit_record"));
        try (Connection connection = as(role)) {
            assertThatThrownBy(() -> AuditLog.append(connection, List.of(entry(actor, action, "forged"), entry(actor, action, "forged"))))
                    .isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"))
                    .hasMessageContaining("permission denied: %s may not append '%s' as %s to the audit log"
                            .formatted(role, action, actor == null ? "NULL" : "'" + actor + "'"));
        }
        assertThat(Long.parseLong(text("SELECT count(*) FROM audit_record"))).isEqualTo(before);
    }

    @ParameterizedTest
    @FieldSource("ROLES")
    void no_role_writes_a_record_but_by_the_function_or_alters_one_or_a_seal(String role) {
        for (String forgery : List.of(
                "INSERT INTO audit_record (at, actor, action, resource_type, resource_id) VALUES ('2020-01-01', 'a', 'b', 'c', 'd')",
                "UPDATE audit_record SET actor = 'another'", "DELETE FROM audit_record", "TRUNCATE audit_record",
                "UPDATE audit_seal SET records = 1",
                "DELETE FROM audit_seal", "SELECT setval('audit_record_audit_id_seq', 1)")) {
            assertThatThrownBy(() -> execute(role, forgery)).as("%s: %s", role, forgery)
                    .isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        }
    }

    /** Small in Postgres, which packs it, and too large for who reads the log. */
    @ParameterizedTest
    @CsvSource({"chargeonce_ingest, merchant:acme, payment.accepted", "chargeonce_dlq_operator, , dlq.purged",
        "chargeonce_merchant_admin, , token.revoked"})
    void no_record_is_without_end(String role, String actor, String action) throws SQLException {
        String call = "SELECT append_audit('{acme}', ARRAY[%s], '{%s}', ARRAY[%s], ARRAY[%s], ARRAY[%s], ARRAY[%s], ARRAY[%s])";
        String large = "repeat('x', 50000000)";
        String who = actor == null ? "NULL" : "'" + actor + "'";
        for (String sql : List.of(call.formatted(who, action, large, "'r'", "NULL", "NULL", "NULL"),
                call.formatted(who, action, "'t'", large, "NULL", "NULL", "NULL"),
                call.formatted(who, action, "'t'", "'r'", large, "NULL", "NULL"),
                call.formatted(who, action, "'t'", "'r'", "NULL", "to_json(" + large + ")::text", "NULL"),
                call.formatted(who, action, "'t'", "'r'", "NULL", "NULL", large))) {
            assertThatThrownBy(() -> execute(role, sql)).isInstanceOfSatisfying(SQLException.class,
                    refused -> assertThat(refused.getSQLState()).isEqualTo("23514"));
        }
    }

    @Test
    void a_role_that_only_reads_appends_nothing() {
        assertThatThrownBy(() -> {
            try (Connection connection = as("chargeonce_dlq_reader")) {
                AuditLog.append(connection, List.of(entry(null, "dlq.purged", "forged")));
            }
        }).hasMessageContaining("permission denied for function append_audit");
    }

    @Test
    void a_member_of_a_role_appends_what_the_role_may_append_and_is_named() throws SQLException {
        People.add(url, "postgres", "", "alice", "chargeonce_dlq_operator", Optional.empty());
        try (Connection connection = as("alice")) {
            AuditLog.append(connection, List.of(entry(null, "dlq.merged", "by a member")));
            assertThatThrownBy(() -> AuditLog.append(connection, List.of(entry("charge-consumer", "succeeded", "forged"))))
                    .hasMessageContaining("alice may not");
        }
        assertThat(text("SELECT session_role FROM audit_record WHERE resource_id = 'by a member'")).isEqualTo("alice");
    }

    @Test
    void time_and_order_are_the_databases() throws SQLException {
        try (Connection connection = as("chargeonce_charge")) {
            connection.setAutoCommit(false);
            AuditLog.append(connection, List.of(entry("charge-consumer", "one", "in order"), entry("charge-consumer", "two", "in order"),
                    entry("charge-consumer", "three", "in order")));
            try (var statement = connection.createStatement(); var row = statement.executeQuery(
                    "SELECT string_agg(action, ' ' ORDER BY audit_id), bool_and(at BETWEEN now() AND clock_timestamp()) FROM "
                            + "audit_record WHERE resource_id = 'in order'")) {
                row.next();
                assertThat(row.getString(1)).isEqualTo("one two three");
                assertThat(row.getBoolean(2)).isTrue();
            }
        }
    }

    private static AuditLog.Entry entry(String actor, String action, String resource) {
        return new AuditLog.Entry(actor, action, Optional.of("acme"), "operation", resource, Optional.of("why \u0001 \"not\""),
                Map.of("amount", 1));
    }

    private static Connection as(String role) throws SQLException {
        Connection connection = DriverManager.getConnection(url.replace("user=postgres", "user=" + role));
        connection.setSchema("chargeonce");
        return connection;
    }

    private static void execute(String role, String sql) throws SQLException {
        try (Connection connection = as(role); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(String sql) throws SQLException {
        try (Connection connection = as("postgres"); var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "nothing";
        }
    }
}
