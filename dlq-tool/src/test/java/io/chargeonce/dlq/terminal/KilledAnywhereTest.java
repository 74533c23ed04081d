// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.FaultyDriver;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.payment.OperationState;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A command is cut off from Postgres at each of its steps in turn, as by a kill of either side: before the step, or after it
 * so that it is not known whether it was done. The same command, or the run resumed, then ends as if nothing had happened.
 */
@Tag("proof")
class KilledAnywhereTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @ParameterizedTest
    @EnumSource
    void a_merge_ends_right_and_moves_nothing_twice(FaultyDriver.Cut cut) {
        int steps = 0;
        do {
            rows.clear();
            List<String> dead = rows.dead(4);
            String charged = rows.charged();
            String unresolved = rows.unresolved();
            String[] command = {"merge", "--all", "--canary", "0", "--yes", "--wait", "0", "--reason", "r"};
            cutOff(++steps, cut, command);
            finishTheRunOr(command);

            for (String id : dead) {
                assertThat(rows.operation(id).generation()).as("cut %s step %d", cut, steps).isEqualTo(2);
                assertThat(rows.staged("payments.requests", id)).isEqualTo("record");
                assertThat(rows.letter(id)).isEqualTo("merged/2");
                assertThat(rows.audit(id)).isEqualTo("dlq.merged");
            }
            assertThat(rows.letter(charged)).isEqualTo("dead/2");
            assertThat(rows.operation(charged).state()).isEqualTo(OperationState.UNRESOLVED);
            assertThat(rows.letter(unresolved)).isEqualTo("dead/1");
            assertThat(call("verify", "--table-only").exit()).isZero();
        } while (FaultyDriver.wasCut());
        assertThat(steps).as("how many places there were to be cut at").isGreaterThan(15);
    }

    @ParameterizedTest
    @EnumSource
    void a_purge_ends_right_and_purges_nothing_twice(FaultyDriver.Cut cut) {
        int steps = 0;
        do {
            rows.clear();
            List<String> dead = rows.dead(4);
            String poison = rows.poison(new byte[] {1});
            String unresolved = rows.unresolved();
            String[] command = {"purge", "--all", "--yes", "--reason", "r"};
            cutOff(++steps, cut, command);
            finishTheRunOr(command);

            for (String id : dead) {
                assertThat(rows.letter(id)).as("cut %s step %d", cut, steps).isEqualTo("purged/2");
                assertThat(rows.audit(id)).isEqualTo("dlq.purged");
                assertThat(rows.staged("payments.dlq", id)).isEqualTo("record tombstone");
            }
            assertThat(rows.letter(poison)).isEqualTo("purged/2");
            assertThat(rows.audit(poison)).isEqualTo("dlq.purged");
            assertThat(rows.letter(unresolved)).isEqualTo("dead/1");
            assertThat(call("verify", "--table-only").exit()).isZero();
        } while (FaultyDriver.wasCut());
        assertThat(steps).as("how many places there were to be cut at").isGreaterThan(8);
    }

    @ParameterizedTest
    @EnumSource
    void a_restore_ends_right_and_restores_nothing_twice(FaultyDriver.Cut cut) {
        int steps = 0;
        do {
            rows.clear();
            List<String> dead = rows.dead(3);
            call("purge", "--all", "--yes", "--reason", "r");
            String[] command = {"restore", "--all", "--yes", "--reason", "r"};
            cutOff(++steps, cut, command);
            finishTheRunOr(command);

            for (String id : dead) {
                assertThat(rows.letter(id)).as("cut %s step %d", cut, steps).isEqualTo("dead/3");
                assertThat(rows.audit(id)).isEqualTo("dlq.purged dlq.restored");
            }
            assertThat(call("verify", "--table-only").exit()).isZero();
        } while (FaultyDriver.wasCut());
        assertThat(steps).as("how many places there were to be cut at").isGreaterThan(8);
    }

    private static void cutOff(int step, FaultyDriver.Cut cut, String... command) {
        String url = FaultyDriver.cutting(rows.url(), step, cut);
        Called called = Called.of(() -> new DeadLetterQueue(Database.openForCommand(url, "postgres", ""), QueueRows.TOPICS), command);
        if (FaultyDriver.wasCut()) {
            assertThat(called.exit()).as("cut %s step %d: %s", cut, step, called).isIn(0, 3);
            assertThat(called.exit() == 0 || called.err().contains("Postgres can't be reached")).as(called.err()).isTrue();
        }
    }

    /** As a person does in the morning: is there a run that has not ended? Its leader has been silent for long by then. */
    private static void finishTheRunOr(String... command) {
        rows.text("UPDATE dlq_run SET led_at = led_at - interval '1 hour' RETURNING 1");
        List<String> open = call("runs", "--json").json().stream().filter(run -> !run.path("state").asString().equals("finished"))
                .map(run -> run.path("run").asString()).toList();
        Called called = open.isEmpty() ? call(command)
                : command[0].equals("merge") ? call("merge", "--resume", open.getFirst(), "--wait", "0")
                        : call(command[0], "--resume", open.getFirst());
        assertThat(called.exit()).as(called.err()).isZero();
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
