// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.terminal.DlqCommand;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class FullQueueTest {

    private static final int LETTERS = 200;

    @Test
    void the_books_balance_after_a_purge_and_a_merge_and_not_when_one_letter_is_elsewhere() throws Exception {
        try (var ground = new Ground(); var plot = ground.newPlot()) {
            FullQueue.fill(plot, LETTERS);
            assertThat(MergedQueueLaws.faults(plot)).as("nothing has moved yet").isNotEmpty();
            dlq(plot, "purge", "--psp", "adyen", "--reason", "r", "--yes");
            dlq(plot, "merge", "--all", "--canary", "0", "--yes", "--wait", "0");
            assertThat(MergedQueueLaws.faults(plot)).isEmpty();
            assertThat(change(plot, "DELETE FROM dead_letter WHERE state = 'purged'")).isEqualTo(LETTERS * 9 / 100);
            assertThat(
                    change(plot, "DELETE FROM outbox WHERE outbox_id = (SELECT min(outbox_id) FROM outbox WHERE topic LIKE '%.requests')"))
                    .isEqualTo(1);
            assertThat(change(plot,
                    "UPDATE operation_state SET generation = 3 WHERE operation_id = (SELECT min(operation_id) FROM operation_state WHERE "
                            + "state = 'accepted')"))
                    .isEqualTo(1);
            assertThat(MergedQueueLaws.faults(plot)).containsExactly("every other failed one re-entered once: broken 1 times",
                    "work is staged once for each that re-entered and for nothing else: broken 1 times");
        }
    }

    private static void dlq(Ground.Plot plot, String... arguments) {
        var command =
                new DlqCommand(() -> new DeadLetterQueue(Database.openForCommand(plot.jdbcUrl(), "postgres", ""), plot.topics()), () -> {
                    throw new IllegalStateException("this needs no Kafka");
                });
        assertThat(command.commandLine(arguments).execute(arguments)).isZero();
    }

    private static int change(Ground.Plot plot, String sql) throws SQLException {
        try (var connection = plot.connect(); var statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }
}
