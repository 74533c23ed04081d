// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.due.DueRepresentments;
import io.chargeonce.charge.due.Sweeper;
import io.chargeonce.charge.due.TopicProgress;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.ledger.LateOperations;
import io.chargeonce.payment.OperationState;
import io.chargeonce.sandbox.TestStack;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An outage of every PSP, with the tiers of production, in virtual time: the rows' times are moved instead of waiting. */
class ParkingTest {

    private static final List<Duration> TIERS = List.of(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(10));
    private static EngineFixture books;
    private final FakePsp psp = new FakePsp();

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture(TIERS.toArray(Duration[]::new));
    }

    @BeforeEach
    void forget() {
        books.forget();
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private static void pass(Duration time) {
        books.execute("""
                UPDATE operation_state SET not_before = not_before - %1$s, staged_at = staged_at - %1$s,
                       charge_before = charge_before - %1$s
                """.formatted("interval '" + time.toMillis() + " milliseconds'"));
    }

    /** Advances time by the longest wait of the parked payments, and hands everything over; returns how long that took. */
    private static Duration nextRound(EngineFixture.Process process) {
        Duration wait = TIERS.get(Math.max(1, (int) books.count("FROM generate_series(1, (SELECT max(tier) FROM operation_now))")) - 1);
        pass(wait);
        books.takeWork().forEach(process::handle);
        return wait;
    }

    @Test
    void an_outage_of_an_hour_dead_letters_nothing_and_counts_no_attempt() {
        psp.otherwise = FakePsp.REFUSE_CONNECTION;
        var process = books.unforgivingProcess(psp);
        var ids = IntStream.range(0, 30).mapToObj(i -> books.accept("order-" + i)).toList();
        books.takeWork().forEach(process::handle);
        int rounds = 0;
        for (Duration time = Duration.ZERO; time.compareTo(Duration.ofHours(1)) < 0; time = time.plus(nextRound(process))) {
            rounds++;
        }
        assertThat(ids).allSatisfy(id -> {
            assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
            assertThat(books.operation(id).progress().countedAttempts()).isZero();
            assertThat(books.operation(id).tier()).isEqualTo(3);
        });
        assertThat(books.count("FROM dead_letter")).isZero();
        assertThat(rounds).isLessThanOrEqualTo(8);
        // A payment that goes on waiting in the same tier stays on one visit, with the data of its last wait.
        assertThat(books.count("FROM tier_visit WHERE state = 'parked' AND tier = 3")).isEqualTo(30);
        assertThat(books.count("FROM tier_visit WHERE tier = 3 AND waits = " + (rounds - 1))).isPositive();
        assertThat(books.count("FROM tier_visit JOIN operation_state USING (operation_id, step) WHERE due_at = not_before")).isEqualTo(30);
        // Only the calls that opened the breaker were attempts at all.
        assertThat(books.count("FROM payment_attempt")).isEqualTo(psp.calls.size()).isLessThan(20);

        psp.otherwise = FakePsp.SUCCEED;
        nextRound(books.process(psp));
        assertThat(ids).allSatisfy(id -> assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED));
        assertThat(psp.captures).hasSize(30);
    }

    @Test
    void an_outage_past_the_payments_own_deadline_ends_it_as_expired() {
        psp.otherwise = FakePsp.REFUSE_CONNECTION;
        var process = books.unforgivingProcess(psp);
        String id = books.accept("order-1");
        books.takeWork().forEach(process::handle);
        pass(Duration.ofHours(25));
        books.takeWork().forEach(process::handle);
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.count("FROM dead_letter WHERE cause = 'expired'")).isEqualTo(1);
    }

    @Tag("proof")
    @Test
    void a_hundred_thousand_parked_payments_are_not_even_looked_at_by_those_that_work() throws Exception {
        books.execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                       charge_within_s)
                SELECT id, id, 'charge', 'acme', n, 1, 'EUR', 'pm_card_visa', 86400
                  FROM (SELECT n, 'pay_' || left(translate(md5(n::text), '0189', 'ghij'), 26) AS id
                          FROM generate_series(1, 100000) AS n) AS numbered;
                SET session_replication_role = replica;
                UPDATE operation_state SET state = 'parked', step = 9, tier = 3, listed = true, not_before = now() + interval '5 minutes',
                       staged_at = now() - interval '5 minutes';
                RESET session_replication_role;
                INSERT INTO waiting (list, operation_id, lane, due_at)
                SELECT 'work', operation_id, tier::text, not_before FROM operation_state;
                ALTER TABLE operation SET (autovacuum_enabled = false);
                ALTER TABLE operation_state SET (autovacuum_enabled = false);
                ANALYZE operation, operation_state
                """);
        // New rows are scanned once, and then are history.
        LateOperations.listAcceptances(books.database, Duration.ofMinutes(2));
        String id = books.accept("order-1");
        var record = books.takeWork().getFirst();
        long before = books.operationsRead();
        var process = books.process(psp);
        process.handle(record);
        process.resolver.runOnce();
        new DueRepresentments(books.charging, books.topics, () -> {}).runOnce();
        try (var progress = new TopicProgress(new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of()))) {
            new Sweeper(books.charging, progress, books.topics, 3, tier -> false, Duration.ofMinutes(2), () -> {}).runOnce();
        }
        long read = books.operationsRead() - before;
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(read).as("rows of operation that were read").isLessThan(50);
        assertThat(books.count("FROM outbox WHERE topic LIKE '%retry%'")).isZero();
    }
}
