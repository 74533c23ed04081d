// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.route.Routes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** What waited for the end of a PSP's outage, by a clock that only the test moves. */
class RecoveryTest {

    private static final int WAITING = 30;
    private static final Duration BREAKER_OPEN_FOR = Duration.ofSeconds(10);

    private final FakePsp sick = new FakePsp("sick");
    private final FakePsp free = new FakePsp("free");
    private final List<ConsumerRecord<byte[], byte[]>> waiting = new ArrayList<>();
    private Instant now = Instant.parse("2026-03-01T00:00:00Z");

    @Test
    void after_an_outage_each_second_takes_twice_as_many_and_other_psps_take_all() throws Exception {
        try (var books = new EngineFixture()) {
            var process = books.process(() -> now, BREAKER_OPEN_FOR, Routes.parse("method=pm_free -> free; -> sick"), sick, free);
            sick.otherwise = FakePsp.REFUSE_CONNECTION;
            IntStream.range(0, WAITING).forEach(i -> books.accept("order-" + i));
            offer(books, process);
            assertThat(books.count("FROM operation_state WHERE state IN ('parked', 'scheduled')")).isEqualTo(WAITING);

            sick.otherwise = FakePsp.SUCCEED;
            now = now.plus(BREAKER_OPEN_FOR);
            offer(books, process);
            assertThat(succeeded(books)).as("the probe, and the one of the first second").isEqualTo(2);

            String other = books.accept("order-other", "pm_free");
            offer(books, process);
            assertThat(books.state(other)).isEqualTo(OperationState.SUCCEEDED);
            assertThat(succeeded(books)).as("with the other PSP's").isEqualTo(3);

            now = now.plusSeconds(1);
            offer(books, process);
            assertThat(succeeded(books)).isEqualTo(5);
            now = now.plusSeconds(1);
            offer(books, process);
            assertThat(succeeded(books)).isEqualTo(9);

            now = now.plusSeconds(10);
            offer(books, process);
            assertThat(succeeded(books)).isEqualTo(WAITING + 1);
            assertThat(sick.captures).hasSize(WAITING);
        }
    }

    private static long succeeded(EngineFixture books) {
        return books.count("FROM operation_state WHERE state = 'succeeded'");
    }

    /** Offers each record once, when it is due by Postgres's clock. */
    private void offer(EngineFixture books, EngineFixture.Process process) {
        waiting.addAll(books.takeWork());
        Waiting.until(() -> books.count("FROM operation_state WHERE not_before > clock_timestamp()") == 0);
        waiting.removeIf(record -> process.handle(record) instanceof Verdict.Done);
        waiting.addAll(books.takeWork());
    }
}
