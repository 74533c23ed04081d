// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a person on call could tell readers of the topics of work and of dead letters. */
class ForgedCopiesTest {

    private static final String OPERATOR = "chargeonce_dlq_operator";
    private static final String HEADERS = """
            json_build_object('ce_specversion', '1.0', 'ce_type', 'io.chargeonce.%1$s', 'ce_id', %2$s,
                'ce_time', replace((%3$s AT TIME ZONE 'UTC')::text, ' ', 'T') || 'Z', 'ce_dataschema', 'urn:chargeonce:schema:%1$s:1',
                'content-type', 'application/json'""";
    /** The amount, a field that comes first, and the event's id can be forged. */
    private static final String COPY = """
            INSERT INTO outbox (shard, topic, record_key, value, headers)
            SELECT 0, 'payments.dlq', dead_letter_id, convert_to(replace(json_build_object('type', 'payment.dead-letter', 'version', 1,
                       'dead_letter_id', dead_letter_id, 'payment_id', payment_id, 'merchant', merchant_id, 'amount', amount%%1$s,
                       'currency', currency, 'psp', psp, 'cause', cause, 'message', message, 'generation', generation, 'revision', revision,
                       'died_at', died_at)::text, '"currency"', '%%2$s"currency"'), 'UTF8'),
                   %s)
              FROM dead_letter WHERE dead_letter_id = 'pay_dead'
            """.formatted(HEADERS.formatted("payment.dead-letter", "dead_letter_id || '/' || revision || '%3$s'", "died_at"));
    /** The topic, the amount, a field that comes first, the step of the headers, and a last header can be forged. */
    private static final String REQUEST = """
            INSERT INTO outbox (shard, topic, record_key, value, headers)
            SELECT 0, 'payments.%%1$s', operation_id, convert_to(replace(json_build_object('type', 'payment.request', 'version', 1,
                       'payment_id', payment_id, 'operation', kind, 'operation_id', operation_id, 'step', step, 'merchant', merchant_id,
                       'idempotency_key', idempotency_key, 'amount', amount%%2$s, 'currency', currency,
                       'payment_method', payment_method)::text, '"currency"', '%%3$s"currency"'), 'UTF8'),
                   %s, 'chargeonce-step', (step%%4$s)::text, 'chargeonce-attempt', (sequence + 1)::text, 'chargeonce-tier', tier::text,
                       'chargeonce-accepted-at', accepted_at%%5$s)
              FROM operation_now WHERE operation_id = 'pay_scheduled'
            """.formatted(HEADERS.formatted("payment.request", "operation_id || '/' || step", "staged_at"));
    private static final String TOMBSTONE =
            "INSERT INTO outbox (shard, topic, record_key, value, headers) VALUES (0, 'payments.dlq', '%s', %s, '%s')";

    private static RobbedDatabase database;

    @BeforeAll
    static void fill() throws SQLException {
        database = new RobbedDatabase();
    }

    @AfterAll
    static void close() throws SQLException {
        database.close();
    }

    static Stream<String> forged() {
        return Stream.of(COPY.formatted(" + 1", "", "/dead-letter"), COPY.formatted("", "\"more\": 1, ", "/dead-letter"),
                COPY.formatted("", "\"cause\": \"charged\", ", "/dead-letter"), COPY.formatted("", "", "/outcome"),
                COPY.formatted("", "", "/dead-letter', 'more', '"), COPY.formatted("", " ".repeat(2_000), "/dead-letter"),
                REQUEST.formatted("requests", "", " ".repeat(2_000), "", ""),
                REQUEST.formatted("requests", " + 1", "", "", ""), REQUEST.formatted("retry-1", " + 1", "", "", ""),
                REQUEST.formatted("requests", "", "\"more\": 1, ", "", ""), REQUEST.formatted("requests", "", "\"amount\": 1, ", "", ""),
                REQUEST.formatted("requests", "", "", " + 1", ""), REQUEST.formatted("requests", "", "", "", ", 'ce_id', 'another'"),
                REQUEST.formatted("requests", "", "", "", ", 'ce_source', '/another'"),
                COPY.formatted("", "", "/dead-letter', 'ce_source', '/another"),
                REQUEST.formatted("requests", "", "", "", ", 'more', ''"), REQUEST.formatted("outcomes", "", "", "", ""),
                COPY.formatted(" + 0.0", "", "/dead-letter"), REQUEST.formatted("requests", " + 0.0", "", "", ""),
                COPY.formatted("", "", "/dead-letter").replace("'T') || 'Z'", "' ') || '+00'"),
                COPY.formatted("", "", "/dead-letter").replace("'died_at', died_at", "'died_at', died_at::text"),
                REQUEST.formatted("requests", "", "", "", "").replace("'T') || 'Z'", "' ') || '+00'"),
                REQUEST.formatted("requests", "", "", "", "").replace("'step', step,", "'step', step + 0.0,"),
                REQUEST.formatted("requests", "", "", "", "").replace("'step', step,", "'step', step::text,"),
                REQUEST.formatted("requests", "", "", "", "").replace("-at', accepted_at", "-at', accepted_at::text"),
                TOMBSTONE.replace(".dlq", ".requests").formatted("pay_scheduled", "NULL", "{}"),
                TOMBSTONE.replace(".dlq", ".requests").formatted("pay_scheduled", "'x'", "{}"),
                "INSERT INTO outbox (shard, topic, record_key) VALUES (0, 'payments.requests', 'pay_scheduled')",
                TOMBSTONE.replace(".dlq", ".retry-1").formatted("pay_scheduled", "'[]'", "{}"),
                TOMBSTONE.formatted("pay_dead", "NULL", "{}"), TOMBSTONE.formatted("pay_dead", "'x'", "{}"),
                TOMBSTONE.formatted("pay_dead", "'{\"amount\": 1}'", "{}"), TOMBSTONE.formatted("pay_none", "'{}'", "{}"),
                TOMBSTONE.formatted("pay_dead", "NULL", "{\"chargeonce-revision\": \"9\", \"chargeonce-left\": \"purged\"}"),
                TOMBSTONE.formatted("poison", "NULL", "{\"chargeonce-revision\": \"9\", \"chargeonce-left\": \"purged\"}"),
                TOMBSTONE.formatted("poison", "NULL", "{\"chargeonce-revision\": \"1\", \"chargeonce-left\": \"settled\"}"));
    }

    @ParameterizedTest
    @MethodSource("forged")
    void what_a_person_stages_says_what_the_row_says(String forgery) throws SQLException {
        database.refused(OPERATOR, forgery);
    }

    @Test
    void what_the_row_says_goes() throws SQLException {
        try (var connection = database.login(OPERATOR); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(statement.executeUpdate(COPY.formatted("", "", "/dead-letter"))).isEqualTo(1);
            assertThat(statement.executeUpdate(REQUEST.formatted("requests", "", "", "", ""))).isEqualTo(1);
            assertThat(statement.executeUpdate(REQUEST.formatted("retry-1", "", "", "", ""))).isEqualTo(1);
            String left = "{\"chargeonce-revision\": \"1\", \"chargeonce-left\": \"purged\"}";
            assertThat(statement.executeUpdate(TOMBSTONE.formatted("poison", "NULL", left))).isEqualTo(1);
            connection.rollback();
        }
    }
}
