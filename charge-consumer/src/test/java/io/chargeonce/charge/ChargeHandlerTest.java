// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChargeHandlerTest {

    private EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;

    @BeforeEach
    void open() {
        books = new EngineFixture();
        process = books.process(psp);
    }

    @AfterEach
    void close() throws Exception {
        books.close();
    }

    @Test
    void an_accepted_payment_is_charged_once_and_its_outcome_staged() {
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.captures).hasSize(1);
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
    }

    @Test
    void the_attempt_is_stored_before_the_psp_is_called() {
        books.accept("order-1");
        psp.then((fake, charge) -> {
            assertThat(books.count("FROM payment_attempt WHERE psp_key = '" + charge.key() + "' AND state = 'in_flight'")).isEqualTo(1);
            return FakePsp.SUCCEED.charge(fake, charge);
        });
        process.drain();
        assertThat(psp.captures).hasSize(1);
    }

    @Test
    void a_declined_card_settles_at_once_and_is_never_retried() {
        psp.then(FakePsp.DECLINE);
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(psp.calls).hasSize(1);
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
        assertThat(books.count("FROM dead_letter")).isZero();
    }

    @Test
    void a_failure_goes_through_the_tiers_with_a_new_attempt_each_time() {
        psp.then(FakePsp.FAIL, FakePsp.FAIL);
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.calls).extracting(call -> call.key()).doesNotHaveDuplicates().hasSize(3);
        assertThat(books.operation(id).tier()).isEqualTo(2);
    }

    @Tag("proof")
    @Test
    void while_a_call_hangs_the_resolver_takes_over_and_the_late_answer_decides_nothing() throws Exception {
        var hangs = new CountDownLatch(1);
        psp.then((fake, charge) -> {
            Outcome captured = fake.capture(charge);
            try {
                hangs.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return captured;
        });
        String id = books.accept("order-1");
        var record = books.takeWork().getFirst();
        var hanging = Thread.ofVirtual().start(() -> process.handle(record));
        Waiting.until(() -> !psp.captures.isEmpty());

        assertThat(process.handle(record)).isInstanceOf(Verdict.Done.class);
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.state(id) == OperationState.SUCCEEDED;
        });
        hangs.countDown();
        hanging.join();

        assertThat(psp.captures).hasSize(1);
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
        assertThat(books.count("FROM psp_answer WHERE source = 'call'")).isEqualTo(1);
    }

    @Test
    void in_a_flood_of_dead_letters_records_go_back_to_their_topic_before_anything_is_decided() {
        var flooded = books.guardedProcess(psp);
        for (int i = 0; i < 201; i++) {
            flooded.handle(junk(i));
        }
        assertThat(flooded.handle(junk(201))).isInstanceOf(Verdict.NotBefore.class);
        assertThat(books.count("FROM dead_letter")).isEqualTo(201);

        String id = books.accept("order-1");
        flooded.handle(books.takeWork().getFirst());
        assertThat(books.state(id)).as("a merchant without such failures").isEqualTo(OperationState.SUCCEEDED);
    }

    private ConsumerRecord<byte[], byte[]> junk(int offset) {
        return new ConsumerRecord<>(books.topics.requests(), 0, offset, "junk".getBytes(StandardCharsets.UTF_8), new byte[1]);
    }

    @Test
    void what_fails_in_every_tier_becomes_a_dead_letter() {
        psp.otherwise = FakePsp.FAIL;
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(psp.calls).hasSize(4);
        assertThat(books.count("FROM dead_letter WHERE dead_letter_id = '" + id + "' AND state = 'dead' AND cause = 'psp_unwell'"))
                .isEqualTo(1);
        assertThat(books.staged(books.topics.deadLetters())).isEqualTo(1);
    }

    @Test
    void a_psp_that_refuses_connections_costs_no_attempt_and_dead_letters_nothing() {
        psp.otherwise = FakePsp.REFUSE_CONNECTION;
        List<String> ids = IntStream.range(0, 20).mapToObj(i -> books.accept("order-" + i)).toList();
        for (int round = 0; round < 6; round++) {
            for (var record : books.takeWork()) {
                Waiting.until(() -> process.handle(record) instanceof Verdict.Done);
            }
        }
        assertThat(ids).allSatisfy(id -> assertThat(books.state(id)).isEqualTo(OperationState.PARKED));
        assertThat(ids).allSatisfy(id -> assertThat(books.operation(id).progress().countedAttempts()).isZero());
        assertThat(books.count("FROM dead_letter")).isZero();

        psp.otherwise = FakePsp.SUCCEED;
        Waiting.until(() -> {
            process.drain();
            return ids.stream().allMatch(id -> books.state(id) == OperationState.SUCCEEDED);
        });
        assertThat(psp.captures).hasSize(20);
    }

    @Test
    void an_open_breaker_parks_before_an_attempt_is_written() {
        psp.otherwise = FakePsp.REFUSE_CONNECTION;
        IntStream.range(0, 10).forEach(i -> books.accept("order-" + i));
        books.takeWork().forEach(process::handle);
        int calls = psp.calls.size();
        String late = books.accept("late");
        books.takeWork().stream().filter(record -> late.equals(new String(record.key(), StandardCharsets.UTF_8))).forEach(process::handle);
        assertThat(books.state(late)).isEqualTo(OperationState.PARKED);
        assertThat(books.count("FROM payment_attempt WHERE payment_id = '" + late + "'")).isZero();
        assertThat(psp.calls).hasSize(calls);
    }

    @Test
    void an_answer_that_was_lost_is_found_out_and_not_charged_again() {
        psp.then(FakePsp.CAPTURE_AND_TIME_OUT);
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.captures).hasSize(1);
    }

    @Test
    void a_timeout_that_was_never_executed_counts_once_the_psp_has_cancelled_it() {
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.calls).hasSize(2);
        assertThat(psp.captures).hasSize(1);
    }

    @Test
    void a_dead_letter_says_what_first_went_wrong() {
        psp.otherwise = FakePsp.TIME_OUT_UNEXECUTED;
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.count("FROM dead_letter WHERE cause = 'cancelled_unexecuted' AND message LIKE 'gateway_timed_out (no answer): %'"))
                .isEqualTo(1);
    }

    @Test
    void an_unknown_outcome_is_left_to_the_resolver_and_never_tried_under_another_key() {
        psp.answersStatusQueries = false;
        psp.then(FakePsp.CAPTURE_AND_TIME_OUT);
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.takeWork()).isEmpty();

        psp.answersStatusQueries = true;
        Waiting.until(() -> process.resolver.runOnce() > 0 && books.state(id) == OperationState.SUCCEEDED);
        assertThat(psp.calls).hasSize(1);
        assertThat(psp.captures).hasSize(1);
    }

    @Test
    void what_stays_unknown_is_listed_as_unresolved_and_leaves_the_queue_by_itself() {
        psp.answersStatusQueries = false;
        psp.then(FakePsp.CAPTURE_AND_TIME_OUT);
        String id = books.accept("order-1");
        process.drain();
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.count("FROM dead_letter WHERE state = 'dead' AND cause = 'unresolved'") == 1;
        });
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);

        psp.answersStatusQueries = true;
        Waiting.until(() -> process.resolver.runOnce() > 0 && books.state(id) == OperationState.SUCCEEDED);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
        assertThat(books.count("FROM dead_letter WHERE state = 'settled'")).isEqualTo(1);
    }

    @Test
    void a_record_delivered_three_times_at_once_is_charged_once() throws Exception {
        String id = books.accept("order-1");
        var record = books.takeWork().getFirst();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            IntStream.range(0, 3).forEach(i -> threads.submit(() -> process.handle(record)));
        }
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.calls).hasSize(1);
    }

    @Test
    void a_record_of_an_earlier_step_is_dropped() {
        psp.then(FakePsp.FAIL);
        books.accept("order-1");
        var first = books.takeWork().getFirst();
        process.handle(first);
        process.handle(first);
        assertThat(psp.calls).hasSize(1);
        process.drain();
        process.handle(first);
        assertThat(psp.calls).hasSize(2);
    }

    @Test
    void forged_headers_change_nothing() {
        psp.then(FakePsp.FAIL);
        String id = books.accept("order-1");
        process.handle(books.takeWork().getFirst());
        var retry = books.takeWork().getFirst();
        for (String header : List.of("chargeonce-step", "chargeonce-attempt", "chargeonce-tier", "ce_time")) {
            for (byte[] value : new byte[][] {null, {}, {1}, {1, 2, 3}, new byte[9], "-1".getBytes(StandardCharsets.UTF_8),
                "99999999999".getBytes(StandardCharsets.UTF_8)}) {
                retry.headers().add(header, value);
            }
        }
        Waiting.until(() -> process.handle(retry) instanceof Verdict.Done);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.calls).hasSize(2);
    }

    @Test
    void a_retry_is_never_early_by_the_databases_clock() {
        psp.then(FakePsp.FAIL);
        String id = books.accept("order-1");
        process.handle(books.takeWork().getFirst());
        books.execute("UPDATE operation_state SET not_before = now() + interval '1 hour'");
        assertThat(process.handle(books.takeWork().getFirst())).isInstanceOfSatisfying(Verdict.NotBefore.class,
                verdict -> assertThat(verdict.pause()).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60)));
        assertThat(books.state(id)).isEqualTo(OperationState.SCHEDULED);
    }

    @Test
    void past_its_deadline_a_payment_is_not_charged_but_becomes_a_dead_letter() {
        String id = books.accept("order-1");
        books.execute("UPDATE operation_state SET charge_before = now() - interval '1 second'");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.count("FROM dead_letter WHERE cause = 'expired'")).isEqualTo(1);
        assertThat(psp.calls).isEmpty();
    }

    @Test
    void the_amount_is_taken_from_the_row_and_a_record_that_says_another_is_poison() {
        String id = books.accept("order-1");
        var honest = books.takeWork().getFirst();
        String forged = new String(honest.value(), StandardCharsets.UTF_8).replace("1299", "1");
        process.handle(new ConsumerRecord<>(honest.topic(), 0, 77, honest.key(), forged.getBytes(StandardCharsets.UTF_8)));
        assertThat(books.count("FROM dead_letter WHERE cause = 'differs_from_payment'")).isEqualTo(1);
        assertThat(psp.calls).isEmpty();
        process.handle(honest);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.captures).extracting(charge -> charge.money().minorUnits()).containsExactly(1299L);
    }

    @Test
    void a_record_whose_operation_stays_locked_comes_again_and_is_no_poison() {
        String id = books.accept("order-1");
        var record = books.takeWork().getFirst();
        Verdict whileHeld = books.database.inTransaction(connection -> {
            OperationTable.lock(connection, List.of(id));
            return process.handle(record);
        });
        assertThat(whileHeld).isInstanceOf(Verdict.NotBefore.class);
        assertThat(books.count("FROM dead_letter")).isZero();
        assertThat(process.handle(record)).isInstanceOf(Verdict.Done.class);
        assertThat(psp.captures).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"deadlock_detected", "serialization_failure", "query_canceled"})
    void a_record_whose_claim_others_were_in_the_way_of_comes_again_and_is_no_poison(String refusal) {
        books.execute("""
                CREATE FUNCTION be_in_the_way() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'others are in the way' USING ERRCODE = '%s'; END $$;
                CREATE TRIGGER refuses BEFORE INSERT ON payment_attempt EXECUTE FUNCTION be_in_the_way()
                """.formatted(refusal));
        books.accept("order-1");
        var record = books.takeWork().getFirst();
        assertThat(process.handle(record)).isInstanceOf(Verdict.NotBefore.class);
        assertThat(books.count("FROM dead_letter")).isZero();

        books.execute("DROP TRIGGER refuses ON payment_attempt");
        assertThat(process.handle(record)).isInstanceOf(Verdict.Done.class);
        assertThat(psp.captures).hasSize(1);
    }

    @Test
    void the_database_refuses_a_second_open_attempt() {
        psp.answersStatusQueries = false;
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        String id = books.accept("order-1");
        process.drain();
        // As if everything above the index had failed.
        books.rewrite(
                "UPDATE operation_state SET state = 'accepted', resolve_at = NULL, lease_token = NULL WHERE operation_id = '" + id + "'");
        var record = new ConsumerRecord<>(books.topics.requests(), 0, 5L, id.getBytes(StandardCharsets.UTF_8),
                io.chargeonce.ledger.Staging.work(books.topics, books.operation(id)).value().orElseThrow());
        process.handle(record);
        process.drain();
        assertThat(psp.calls).hasSize(1);
        assertThat(books.count("FROM payment_attempt")).isEqualTo(1);
        assertThat(books.count("FROM dead_letter WHERE cause = 'internal_error' AND had_open_attempt")).isEqualTo(1);
    }
}
