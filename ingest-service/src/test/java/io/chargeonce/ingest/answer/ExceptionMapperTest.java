// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.sandbox.TestStack;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExceptionMapperTest {

    private static final String URL = TestStack.newDatabase();

    private static int statusAfter(String sqlState) {
        try (var database = Database.openForCommand(URL, "postgres", "")) {
            return ExceptionMapper.answer(() -> database.withConnection(connection -> {
                connection.createStatement()
                        .execute("DO $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '%s'; END $$".formatted(sqlState));
                return Problems.notFound().answer();
            })).status();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"42703", "42501", "3F000", "0A000", "40P01", "57014", "25P03", "57P01"})
    void a_schema_that_does_not_fit_and_whatever_else_is_ours_is_answered_with_503(String sqlState) {
        assertThat(statusAfter(sqlState)).isEqualTo(503);
    }

    @ParameterizedTest
    @ValueSource(strings = {"22001", "23514"})
    void a_row_that_postgres_refuses_is_answered_with_500(String sqlState) {
        assertThat(statusAfter(sqlState)).isEqualTo(500);
    }

    @Test
    void a_bug_is_answered_with_500() {
        assertThat(ExceptionMapper.answer(() -> {
            throw new IllegalStateException("Bug! Planted");
        }).status()).isEqualTo(500);
    }
}
