// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.loop.Verdict;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The database cost of a payment that succeeds at once, in Postgres's own figures. */
class HappyPathTest {

    private static final int PAYMENTS = 400;

    private final EngineFixture books = new EngineFixture();
    private final FakePsp psp = new FakePsp();

    @AfterEach
    void close() throws Exception {
        books.close();
    }

    @Test
    void payments_that_succeed_at_once_write_no_entry_into_any_index_but_by_their_inserts() {
        IntStream.range(0, PAYMENTS).forEach(i -> books.accept("order-" + i));
        try (var process = books.process(psp); var workers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var work = books.takeWork(); !work.isEmpty(); work = books.takeWork()) {
                work.forEach(record -> workers.execute(() -> Waiting.until(() -> process.handle(record) instanceof Verdict.Done)));
            }
        }
        assertThat(books.count("FROM operation_state WHERE state = 'succeeded' AND NOT listed")).isEqualTo(PAYMENTS);
        assertThat(books.written("operation_state")).isEqualTo(new EngineFixture.Written(PAYMENTS, 2 * PAYMENTS, 2 * PAYMENTS));
        assertThat(books.written("payment_attempt")).isEqualTo(new EngineFixture.Written(PAYMENTS, PAYMENTS, PAYMENTS));
        assertThat(books.written("operation")).isEqualTo(new EngineFixture.Written(PAYMENTS, 0, 0));
        for (String list : new String[] {"waiting", "tier_visit", "dead_letter"}) {
            assertThat(books.written(list)).as(list).isEqualTo(new EngineFixture.Written(0, 0, 0));
        }
    }
}
