// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Outbox;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.OperationState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A person ends the wait of a payment in a tier, while its record still stands in the tier's topic. */
class EndedWaitTest {

    private interface Change {
        void on(Connection connection, Operation operation, Instant now) throws SQLException;
    }

    private static EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void forget() {
        process = books.forget().process(psp);
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void of_the_record_that_is_staged_now_and_the_one_in_the_tier_one_is_charged(boolean theTiersComesFirst) {
        String id = waits();
        ConsumerRecord<byte[], byte[]> inTheTier = books.takeWork().getFirst();
        change(id, (connection, operation, now) -> {
            operation.endWait(now);
            Outbox.stage(connection, List.of(Staging.work(books.topics.requests(), operation)));
        });
        ConsumerRecord<byte[], byte[]> now = books.takeWork().getFirst();
        assertThat(now.topic()).isEqualTo(books.topics.requests());

        for (var record : theTiersComesFirst ? List.of(inTheTier, now) : List.of(now, inTheTier)) {
            assertThat(process.handle(record)).isInstanceOf(Verdict.Done.class);
        }
        assertThat(psp.calls).as("the failed attempt and one more").hasSize(2);
        assertThat(psp.captures).hasSize(1);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void what_was_stopped_is_not_tried_by_its_record_in_the_tier_and_a_merge_charges_it_once() {
        String id = waits();
        ConsumerRecord<byte[], byte[]> inTheTier = books.takeWork().getFirst();
        change(id, (connection, operation, now) -> {
            operation.bury("stopped", "by a person");
            DeadLetterTable.bury(connection, books.topics, List.of(DeadLetter.of(operation, "stopped", "by a person")));
        });
        assertThat(process.handle(inTheTier)).isInstanceOf(Verdict.Done.class);
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(psp.calls).hasSize(1);

        books.merge(id);
        process.drain();
        assertThat(process.handle(inTheTier)).isInstanceOf(Verdict.Done.class);
        assertThat(psp.captures).hasSize(1);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    /** Its first attempt has failed. */
    private String waits() {
        psp.then(FakePsp.FAIL);
        String id = books.accept("order-1");
        process.handle(books.takeWork().getFirst());
        assertThat(books.state(id)).isEqualTo(OperationState.SCHEDULED);
        return id;
    }

    private static void change(String id, Change change) {
        books.database.inTransaction(connection -> {
            var locked = OperationTable.lock(connection, List.of(id));
            Operation operation = locked.rows().get(id);
            change.on(connection, operation, locked.now());
            OperationTable.save(connection, List.of(operation));
            return id;
        });
    }
}
