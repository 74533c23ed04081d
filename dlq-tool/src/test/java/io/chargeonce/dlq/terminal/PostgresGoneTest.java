// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.sandbox.PostgresServer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server itself goes down in the middle of a change and comes back: nothing is half done, and what is begun again ends right. */
class PostgresGoneTest {

    private final PostgresServer postgres = PostgresServer.startTemporary();

    @RegisterExtension
    private final QueueRows rows = QueueRows.in(postgres.jdbcUrl());

    @AfterEach
    void close() {
        rows.close();
        postgres.close();
    }

    @Test
    void a_merge_whose_postgres_crashed_is_resumed_and_moves_nothing_twice() {
        List<String> dead = rows.dead(30);
        var merge = begin("merge", "--all", "--canary", "0", "--rate", "1", "--max-rate", "1", "--yes", "--wait", "0", "--reason", "r");
        await().until(() -> rows.accepted().size() >= 2);
        postgres.stop(PostgresServer.Stop.IMMEDIATE);
        assertThat(merge.join().exit()).isEqualTo(3);
        assertThat(merge.join().err()).contains("nothing is left half done; to go on: chargeonce dlq merge --resume run_",
                "Postgres can't be reached");

        startAgain();
        assertThat(rows.accepted()).as("what was committed before the crash").hasSizeBetween(2, 29);
        String run = rows.text("UPDATE dlq_run SET led_at = led_at - interval '15 s' RETURNING run_id");
        call("runs", "rate", run, "1000");
        assertThat(call("merge", "--resume", run, "--wait", "0").exit()).isZero();
        EachOnce.merged(rows, dead);
    }

    @Test
    void a_purge_whose_postgres_was_stopped_is_resumed() {
        List<String> dead = rows.dead(6);
        String[] command = {"purge", "--all", "--rate", "2", "--reason", "r", "--yes"};
        var purge = new AtomicReference<CompletableFuture<Called>>();
        assertThatThrownBy(() -> rows.holding(dead.get(4), () -> {
            purge.set(begin(command));
            await().until(rows::isWaitingForALock);
            postgres.stop(PostgresServer.Stop.FAST);
            return purge;
        })).as("who held the row has lost it too").isInstanceOf(DatabaseUnavailable.class);
        Called stopped = purge.get().join();
        assertThat(stopped.exit()).isEqualTo(3);
        assertThat(stopped.err()).contains("to go on: chargeonce dlq purge --resume run_", "Postgres can't be reached");

        startAgain();
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'purged'")).isEqualTo("4");
        String run = rows.text("UPDATE dlq_run SET led_at = led_at - interval '15 s' RETURNING run_id");
        assertThat(call("purge", "--resume", run).exit()).isZero();
        EachOnce.purged(rows, dead);
    }

    private void startAgain() {
        postgres.startAgain();
        await("the fixture's own connections are new ones").ignoreExceptions().until(() -> rows.text("SELECT 1").equals("1"));
    }

    private CompletableFuture<Called> begin(String... arguments) {
        return CompletableFuture.supplyAsync(() -> call(arguments), Thread::startVirtualThread);
    }

    private Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
