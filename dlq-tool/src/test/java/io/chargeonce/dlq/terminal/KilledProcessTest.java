// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.dlq.QueueRows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The process that moves dead letters is killed (SIGKILL) in the middle of a batch that is not its first. */
class KilledProcessTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @TempDir
    Path folder;

    @Test
    void a_merge_goes_on_where_it_was_killed_and_moves_nothing_twice() throws Exception {
        List<String> dead = rows.dead(6);
        String run = call("merge", "--all", "--canary", "0", "--rate", "2", "--plan", "--json").json().getFirst().path("run").asString();
        killAt(dead.get(4), "merge", "--resume", run, "--wait", "0");
        assertThat(rows.accepted()).as("what was committed before the kill").containsExactlyInAnyOrderElementsOf(dead.subList(0, 4));

        Path printed = folder.resolve("printed");
        Process resumed = CommandProcess.startInto(printed, rows, "merge", "--resume", run, "--wait", "0");
        await("the killed leader may still be alive").until(() -> {
            rows.text("UPDATE dlq_run SET led_at = clock_timestamp() RETURNING 1");
            return Files.readString(printed).contains("waiting: if nothing is heard for 15 s");
        });
        assertThat(rows.accepted()).hasSize(4);
        rows.text("UPDATE dlq_run SET led_at = led_at - interval '15 s' RETURNING 1");
        assertThat(resumed.waitFor()).as(Files.readString(printed)).isZero();
        EachOnce.merged(rows, dead);
    }

    @Test
    void a_purge_that_was_killed_is_resumed_and_purges_nothing_twice() throws Exception {
        List<String> dead = rows.dead(6);
        killAt(dead.get(4), "purge", "--all", "--rate", "2", "--reason", "r", "--yes");
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'purged'")).isEqualTo("4");

        String run = rows.text("UPDATE dlq_run SET led_at = led_at - interval '15 s' RETURNING run_id");
        assertThat(call("purge", "--resume", run).exit()).isZero();
        EachOnce.purged(rows, dead);
    }

    /** The command stands still in the middle of its transaction. */
    private static void killAt(String operation, String... command) {
        rows.holding(operation, () -> {
            Process process = start(command);
            await().until(() -> !process.isAlive() || rows.isWaitingForALock());
            assertThat(process.isAlive()).as("it waits, and has not ended").isTrue();
            return process.destroyForcibly().onExit().join();
        });
        await("what it had not committed is rolled back").until(() -> !rows.isWaitingForALock());
    }

    private static Process start(String... command) {
        try {
            return CommandProcess.start(rows, command);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
