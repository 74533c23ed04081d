// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Database;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.loop.LoopSettings;
import io.chargeonce.kafka.loop.RecordLoop;
import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.Gateways;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a person has paused is not sent, and waits without counting attempts. */
class HoldsTest {

    private static EngineFixture books;
    private final FakePsp first = new FakePsp("first");
    private final FakePsp second = new FakePsp("second");

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void forget() {
        books.forget();
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private static void hold(String kind, String name, String action) {
        books.execute("""
                INSERT INTO hold (kind, name, action, reason, held_by, since, until)
                SELECT '%s', '%s', '%s', 'a test', 'ann', clock_timestamp(), clock_timestamp() + interval '1 hour'
                """.formatted(kind, name, action));
    }

    private static void resume() {
        books.execute("DELETE FROM hold");
    }

    private static void handleOnce(EngineFixture.Process process) {
        process.holds.runOnce();
        books.takeWork().forEach(record -> Waiting.until(() -> process.handle(record) instanceof Verdict.Done));
    }

    private static void goesOn(EngineFixture.Process process, String id) {
        resume();
        process.holds.runOnce();
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    private static void assertWaitsUncounted(String id, String cause) {
        assertThat(books.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(books.operation(id).failureCause()).contains(cause);
        assertThat(books.operation(id).progress().countedAttempts()).isZero();
    }

    @Test
    void a_paused_psp_gets_no_attempt_and_the_next_one_of_the_routes_does() {
        var process = books.process(first, second);
        hold("psp", "first", "pause");
        String id = books.accept("order-1");
        handleOnce(process);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.calls).isEmpty();
        assertThat(second.calls).hasSize(1);
    }

    @Test
    void what_only_a_paused_psp_takes_is_parked_without_an_attempt_until_it_is_resumed() {
        var process = books.process(first);
        hold("psp", "first", "pause");
        String id = books.accept("order-1");
        for (int round = 0; round < 5; round++) {
            handleOnce(process);
            assertWaitsUncounted(id, "psp_paused");
        }
        assertThat(books.count("FROM payment_attempt")).isZero();
        assertThat(books.operation(id).failureMessage()).contains("psp first is paused by ann");
        assertThat(books.text("SELECT psps_awaited(operation_state)::text FROM operation_state")).as("as people count it")
                .isEqualTo("{first}");
        assertThat(process.meters.get("chargeonce.hold").tags("kind", "psp", "name", "first", "action", "pause").gauge().value()).isOne();
        goesOn(process, id);
        assertThat(first.calls).hasSize(1);
        assertThat(process.meters.find("chargeonce.hold").gauge()).isNull();
    }

    @Test
    void a_paused_psp_gets_no_probe_even_if_no_other_is_well() {
        var now = new AtomicReference<>(Instant.now());
        var process = books.process(now::get, Duration.ofMillis(1), Routes.parse("method= -> first,second"),
                first, second);
        first.otherwise = FakePsp.REFUSE_CONNECTION;
        second.otherwise = FakePsp.REFUSE_CONNECTION;
        for (int i = 0; i < 30; i++) {
            books.accept("broken-" + i);
        }
        handleOnce(process);
        hold("psp", "first", "pause");
        first.calls.clear();
        for (int i = 0; i < 5; i++) {
            now.updateAndGet(time -> time.plusSeconds(3));
            handleOnce(process);
        }
        assertThat(first.calls).isEmpty();
        assertThat(books.text("SELECT string_agg(DISTINCT failure_message, '') FROM operation_state WHERE failure_cause = 'psp_paused'"))
                .contains("psp first is paused by ann, and no other PSP is well");
    }

    @Test
    void an_unknown_outcome_at_a_paused_psp_is_still_asked_about() {
        var process = books.process(first);
        first.then(FakePsp.CAPTURE_AND_TIME_OUT);
        first.answersStatusQueries = false;
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        hold("psp", "first", "pause");
        process.holds.runOnce();
        first.answersStatusQueries = true;
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.state(id) == OperationState.SUCCEEDED;
        });
        assertThat(first.calls).hasSize(1);
    }

    @Test
    void a_refund_waits_while_the_psp_that_has_its_money_is_paused() {
        var process = books.process(first, second);
        String id = books.accept("order-1");
        process.drain();
        hold("psp", "first", "pause");
        books.refund(id, OptionalLong.empty(), "");
        handleOnce(process);
        assertThat(first.refunds.calls).isEmpty();
        assertThat(books.text("SELECT failure_cause FROM operation_now WHERE kind = 'refund'")).isEqualTo("psp_paused");
        goesOn(process, id);
        assertThat(books.refunded(id)).isEqualTo(1299);
    }

    @Test
    void a_forced_psp_gets_payments_although_its_breaker_is_open_and_its_outage_counts_no_attempt() {
        var process = books.unforgivingProcess(first);
        first.otherwise = FakePsp.REFUSE_CONNECTION;
        for (int i = 0; i < 30; i++) {
            books.accept("broken-" + i);
        }
        handleOnce(process);
        int before = first.calls.size();
        handleOnce(process);
        assertThat(first.calls).as("the breaker is open").hasSize(before);
        hold("psp", "first", "force");
        handleOnce(process);
        assertThat(first.calls.size()).isGreaterThanOrEqualTo(before + 30);
        assertThat(books.count("FROM operation_state WHERE counted_attempts > 0")).isZero();
        first.otherwise = FakePsp.SUCCEED;
        process.drain();
        assertThat(books.count("FROM operation_state WHERE state = 'succeeded'")).isEqualTo(30);
    }

    @Test
    void a_paused_merchants_payments_wait_and_another_merchants_pause_concerns_them_not() {
        var process = books.process(first);
        hold("merchant", "globex", "pause");
        String other = books.accept("order-1");
        handleOnce(process);
        assertThat(books.state(other)).isEqualTo(OperationState.SUCCEEDED);
        hold("merchant", "acme", "pause");
        String id = books.accept("order-2");
        handleOnce(process);
        handleOnce(process);
        assertWaitsUncounted(id, "merchant_paused");
        assertThat(first.calls).hasSize(1);
        goesOn(process, id);
    }

    @Test
    void a_payment_under_way_when_its_merchant_is_paused_does_not_go_on_to_the_next_psp() {
        var process = books.process(first, second);
        first.then((psp, charge) -> {
            hold("merchant", "acme", "pause");
            process.holds.runOnce();
            return FakePsp.REFUSE_CONNECTION.charge(psp, charge);
        });
        String id = books.accept("order-1");
        handleOnce(process);
        assertThat(second.calls).isEmpty();
        handleOnce(process);
        assertWaitsUncounted(id, "merchant_paused");
        assertThat(second.calls).isEmpty();
        goesOn(process, id);
    }

    @Test
    void a_deadline_that_passes_during_a_pause_ends_the_payment_and_it_is_never_charged_late() {
        var process = books.process(first);
        hold("merchant", "acme", "pause");
        String id = books.accept("order-1");
        handleOnce(process);
        books.execute("UPDATE operation_state SET charge_before = now() - interval '1 second'");
        handleOnce(process);
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.count("FROM dead_letter WHERE cause = 'expired'")).isEqualTo(1);
        assertThat(first.calls).isEmpty();
    }

    @Test
    void a_process_that_stood_still_reads_what_was_paused_meanwhile_before_it_claims() {
        var now = new AtomicReference<>(Instant.now());
        var process = books.process(now::get, Duration.ofMillis(200), Routes.parse("-> first"), first);
        process.holds.runOnce();
        hold("psp", "first", "pause");
        String id = books.accept("order-1");
        now.updateAndGet(time -> time.plusSeconds(2));
        process.handle(books.takeWork().getFirst());
        assertWaitsUncounted(id, "psp_paused");
        assertThat(first.calls).isEmpty();
    }

    @Test
    void a_process_that_starts_obeys_what_was_paused_before() {
        hold("psp", "first", "pause");
        String id = books.accept("order-1");
        books.process(first).handle(books.takeWork().getFirst());
        assertWaitsUncounted(id, "psp_paused");
    }

    @Test
    void while_postgres_is_away_the_last_known_holds_stay() {
        Database database = Database.openForService(books.url, "postgres", "", 1);
        var holds = new KnownHolds(database, new Gateways(List.of(first), Duration.ofSeconds(1), InstantSource.system(),
                new SimpleMeterRegistry()), InstantSource.system(), new SimpleMeterRegistry());
        hold("tier", "1", "pause");
        hold("merchant", "acme", "pause");
        holds.runOnce();
        resume();
        database.close();
        assertThatThrownBy(holds::runOnce).isInstanceOf(RuntimeException.class);
        assertThat(holds.isTierPaused(1)).isTrue();
        assertThat(holds.isTierPaused(2)).isFalse();
        assertThat(holds.ofMerchant("acme")).isPresent();
    }

    @Test
    void a_hold_ends_by_itself_by_the_databases_clock() {
        var process = books.process(first);
        hold("psp", "first", "pause");
        books.execute("UPDATE hold SET since = since - interval '2 hours', until = now()");
        String id = books.accept("order-1");
        handleOnce(process);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void a_paused_tier_holds_what_is_on_its_topic_and_nothing_that_a_person_sent_to_the_main_one() {
        var process = books.process(first);
        first.then(FakePsp.REFUSE_CONNECTION);
        String id = books.accept("order-1");
        handleOnce(process);
        hold("tier", "1", "pause");
        process.holds.runOnce();
        var record = books.takeWork().getFirst();
        Waiting.until(() -> books.count("FROM operation_state WHERE not_before < now()") == 1);
        assertThat(process.handle(record)).isEqualTo(Verdict.notBefore(Duration.ofSeconds(1)));
        assertThat(first.calls).hasSize(1);
        process.handle(new org.apache.kafka.clients.consumer.ConsumerRecord<>(books.topics.requests(), 0, 0, record.key(), record.value()));
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void a_paused_tiers_loop_starts_nothing_and_calls_nothing_late_until_it_is_resumed() {
        var kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
        try (var admin = Admin.create(kafka.clientProperties())) {
            new TopicPlan(books.topics, 3, Optional.of((short) 1)).create(admin);
        }
        var process = books.process(first);
        first.then(FakePsp.REFUSE_CONNECTION);
        String id = books.accept("order-1");
        hold("tier", "1", "pause");
        handleOnce(process);
        var meters = new SimpleMeterRegistry();
        String topic = books.topics.retry(1);
        var settings = LoopSettings.of(topic, Set.of(topic), 10).withHold(() -> process.holds.isTierPaused(1));
        try (var relay =
                new OutboxRelay(books.charging, Staging::request, new ProducerSettings(kafka, "test")::newProducer, "/chargeonce",
                        new SimpleMeterRegistry());
             var loop = new RecordLoop(settings, new ConsumerSettings(kafka, books.topics.groupOfTier(1), GroupProtocol.CONSUMER),
                     DueTimes.immediately(), process.handler, InstantSource.system(), meters).start()) {
            relay.start();
            Waiting.until(() -> meters.get("chargeonce.loop.buffered").gauge().value() == 1);
            assertThat(meters.get("chargeonce.loop.overdue").gauge().value()).isZero();
            assertThat(meters.get("chargeonce.loop.overdue.age.seconds").gauge().value()).isZero();
            assertThat(loop.problem()).isEmpty();
            assertThat(first.calls).hasSize(1);
            resume();
            process.holds.runOnce();
            Waiting.until(() -> books.state(id) == OperationState.SUCCEEDED);
        }
        assertThat(first.calls).hasSize(2);
    }
}
