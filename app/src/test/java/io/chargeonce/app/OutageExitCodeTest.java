// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.Writer;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A Job in Kubernetes repeats what ends with 3, and ends at once on 2. */
class OutageExitCodeTest {

    @Command(name = "fails")
    private record Fails(String sqlState) implements Callable<Integer> {

        @Override
        public Integer call() {
            throw new IllegalStateException("a statement failed", new SQLException("no", sqlState));
        }
    }

    @ParameterizedTest
    @CsvSource({"57P01,3", "57P03,3", "53300,3", "08006,3", "25006,3", "42501,2", "42P01,2", "23505,2"})
    void what_may_go_better_later_is_told_from_what_a_person_must_mend(String sqlState, int exit) {
        assertThat(new CommandLine(new Fails(sqlState)).setErr(new PrintWriter(Writer.nullWriter()))
                .setExecutionExceptionHandler(new OneLineErrors(List.of())).execute()).isEqualTo(exit);
    }
}
