// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.years;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class YearsBenchTest {

    private static final int SETTLED = 3_000;

    @Test
    void every_deed_and_the_statements_of_a_payment_have_a_cost_on_both_sides_and_what_is_forgotten_is_the_oldest_tenth() throws Exception {
        Map<String, Object> result = YearsBench.run(SETTLED, 200, 200, new PrintWriter(Writer.nullWriter()));
        assertThat(list(result, "deeds")).extracting(deed -> deed.get("what")).contains("dlq list", "dlq verify", "dlq summary",
                "dlq audit --verify --after-seal", "receipt list", "receipt list --failed", "webhook deliveries",
                "reaper: forget a thousand");
        assertThat(list(result, "deeds")).allSatisfy(deed -> {
            assertThat((double) deed.get("ms_without")).isPositive();
            assertThat((double) deed.get("times")).isPositive().isFinite();
        });
        assertThat(list(result, "statements")).as("claim, settling and acceptance").anySatisfy(
                statement -> assertThat((String) statement.get("what")).contains("insert payment_attempt"))
                .anySatisfy(statement -> assertThat((String) statement.get("what")).contains("update operation_state"))
                .anySatisfy(statement -> assertThat((String) statement.get("what")).contains("insert idempotency_key"));
        assertThat(list(result, "tables")).extracting(table -> table.get("table")).contains("operation", "operation_state",
                "payment_attempt",
                "idempotency_key", "audit_record", "psp_observation");
        Map<?, ?> turnedOver = (Map<?, ?>) result.get("turned_over");
        assertThat((long) turnedOver.get("forgotten")).isBetween(SETTLED / 10L - 10, SETTLED / 10L);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Map<String, Object> result, String name) {
        return (List<Map<String, Object>>) result.get(name);
    }
}
