// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.TestStack;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;

class CpuTimeTest {

    @Test
    void what_postgres_spends_is_counted_for_itself_and_in_the_whole() throws Exception {
        String url = TestStack.jdbcUrl("postgres");
        var cpu = new CpuTime(url);
        CpuTime.Spent before = cpu.spent();
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            statement.execute("SELECT count(*) FROM generate_series(1, 3000000)");
        }
        CpuTime.Spent spent = cpu.spent().since(before);
        assertThat(spent.postgresMicros()).isPositive();
        assertThat(spent.micros()).isGreaterThanOrEqualTo(spent.postgresMicros());
    }

    @Test
    void a_backend_that_ends_while_it_is_read_is_counted_all_the_same() throws Exception {
        String url = TestStack.jdbcUrl("postgres");
        var cpu = new CpuTime(url);
        for (int i = 0; i < 20; i++) {
            long before;
            try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
                statement.execute("SELECT count(*) FROM generate_series(1, 500000)");
                before = cpu.postgresMicros();
            }
            assertThat(cpu.postgresMicros()).isGreaterThanOrEqualTo(before);
        }
    }
}
