// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Outbox;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both services over a real broker, a real Postgres and a Stripe simulator: a payment on its way through every tier. */
class RetryTiersTest {

    private final String url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
    private final Topics topics = new Topics("test-" + UUID.randomUUID());
    private final StripeSimulator stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
    private final Meters meters = Meters.of("test");
    private final List<AutoCloseable> services = new ArrayList<>();
    private Database database;

    private void start(List<Duration> tiers) {
        database = Database.open(url, "postgres", "", 2);
        String kafka = TestStack.kafka().bootstrapServers();
        try (var admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            new TopicPlan(topics, tiers.size(), 3, Optional.empty()).create(admin);
        }
        var pipeline = new PipelineSettings(url, "postgres", "", kafka, Optional.empty(), topics.prefix(), tiers, Optional.empty());
        var settings =
                new ChargeSettings(pipeline, List.of(new StripeSettings("sk_test_1", stripe.apiBase().toString(), Duration.ofSeconds(5))),
                        100, Duration.ofSeconds(30), Duration.ofSeconds(1), List.of(Duration.ofMillis(200)), Duration.ofMinutes(1),
                        Optional.empty(),
                        ChargeSettings.Pace.USUAL);
        services.add(ChargeService.start(settings, meters));
        services.add(RetryService.start(settings, meters));
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable service : services) {
            service.close();
        }
        database.close();
        meters.close();
        stripe.close();
    }

    private static List<Duration> tiers(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(tier -> Duration.ofMillis(100 + 100 * tier)).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void a_payment_that_fails_once_for_each_tier_waits_in_each_and_is_captured_once(int count) {
        List<Duration> tiers = tiers(count);
        start(tiers);
        stripe.inject(FaultRule.once(new Fault.FailBefore()).on(io.chargeonce.sandbox.stripe.StripeOperation.CONFIRM).times(count));
        String id = accept("order-1");
        awaitState(id, OperationState.SUCCEEDED);
        assertThat(stripe.movements()).hasSize(1);

        List<Instant> sent = sentAt(id);
        assertThat(sent).hasSize(count + 1);
        for (int tier = 0; tier < count; tier++) {
            assertThat(Duration.between(sent.get(tier), sent.get(tier + 1))).isGreaterThanOrEqualTo(tiers.get(tier));
        }
    }

    @Test
    void what_waits_in_a_tier_does_not_hold_up_the_main_topic() {
        start(List.of(Duration.ofMillis(200), Duration.ofMillis(300), Duration.ofSeconds(5)));
        stripe.inject(FaultRule.once(new Fault.FailBefore()).on(io.chargeonce.sandbox.stripe.StripeOperation.CONFIRM)
                .forMetadata("reference", "slow").always());
        String slow = accept("slow");
        String fast = accept("fast");
        awaitState(fast, OperationState.SUCCEEDED);
        assertThat(state(slow)).isNotIn(OperationState.SUCCEEDED, OperationState.DEAD);
        awaitState(slow, OperationState.DEAD);
    }

    private String accept(String key) {
        String id = PaymentId.derive("acme", new IdempotencyKey(key)).value();
        database.inTransaction(connection -> {
            try (var insert = connection.prepareStatement("""
                    INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency,
                                           payment_method, reference, charge_within_s)
                    VALUES (?, ?, 'charge', 'acme', ?, 1299, 'EUR', 'pm_card_visa', ?, 86400)
                    """)) {
                insert.setString(1, id);
                insert.setString(2, id);
                insert.setString(3, key);
                insert.setString(4, key);
                insert.executeUpdate();
            }
            Operation operation = OperationTable.find(connection, id).orElseThrow();
            Outbox.stage(connection, List.of(Staging.work(topics, operation)));
            return null;
        });
        return id;
    }

    private void awaitState(String id, OperationState state) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> state(id) == state);
    }

    private OperationState state(String id) {
        return database.withConnection(connection -> OperationTable.find(connection, id).orElseThrow().state());
    }

    private List<Instant> sentAt(String id) {
        return database.withConnection(connection -> {
            var times = new ArrayList<Instant>();
            try (var select = connection.prepareStatement("SELECT sent_at FROM payment_attempt WHERE payment_id = ? ORDER BY sequence")) {
                select.setString(1, id);
                try (var rows = select.executeQuery()) {
                    while (rows.next()) {
                        times.add(rows.getObject(1, OffsetDateTime.class).toInstant());
                    }
                }
            }
            return times;
        });
    }
}
