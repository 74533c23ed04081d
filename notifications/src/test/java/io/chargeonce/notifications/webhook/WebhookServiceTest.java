// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static io.chargeonce.notifications.SenderFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.chargeonce.database.Database;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.notifications.SendResult;
import io.chargeonce.notifications.Tried;
import io.chargeonce.notifications.webhook.Receiver.Got;
import io.chargeonce.vault.Vault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The service over real Kafka, Postgres and HTTP, under its own role. */
class WebhookServiceTest {

    private static final List<Duration> AT_ONCE = List.of(Duration.ofMillis(100), Duration.ofMillis(100), Duration.ofMillis(100));

    private final Receiver receiver = new Receiver();
    private Hooks hooks;

    @BeforeEach
    void open() {
        hooks = new Hooks();
    }

    @AfterEach
    void close() throws Exception {
        receiver.close();
        hooks.close();
    }

    private String state(String endpoint) {
        return hooks
                .text("SELECT string_agg(state || ' ' || attempts || ' ' || coalesce(last_error, ''), ', ' ORDER BY state, attempts) FROM "
                        + "webhook_delivery WHERE endpoint_id = '" + endpoint + "'");
    }

    @Test
    void an_outcome_becomes_one_signed_request_whose_facts_come_from_the_row() throws Exception {
        var endpoint = hooks.endpoint("acme", receiver.url());
        hooks.start(hooks.settings());
        String payment = hooks.settled("acme", "succeeded");
        hooks.publish(payment);
        eventually(() -> assertThat(receiver.got()).hasSize(1));

        Got got = receiver.got().getFirst();
        got.verify(endpoint.secret());
        assertThat(got.webhookId()).matches("msg_[0-9a-f]{32}");
        // The record on the topic says another amount and another merchant.
        assertThat(got.body()).matches("\\{\"type\" : \"payment.succeeded\", \"timestamp\" : \"2[0-9T:.-]+Z\", \"data\" : "
                + "\\{\"payment_id\":\"%1$s\",\"id\":\"%1$s\",\"kind\":\"charge\",\"status\":\"succeeded\",\"amount\":1299,"
                        .formatted(payment)
                + "\"currency\":\"EUR\",\"revision\":2}}");
        assertThat(got.body()).doesNotContain("secret");
        eventually(() -> assertThat(state(endpoint.id())).isEqualTo("delivered 1 "));
    }

    @Test
    void a_repeated_a_forged_and_a_foreign_record_deliver_nothing_more() {
        var endpoint = hooks.endpoint("acme", receiver.url());
        hooks.start(hooks.settings());
        String payment = hooks.settled("acme", "declined");
        String open = hooks.accepted("acme");
        for (int copy = 0; copy < 5; copy++) {
            hooks.publish(payment);
        }
        hooks.publish(open);
        hooks.publish("no such operation");
        hooks.publish(hooks.settled("globex", "succeeded"));
        String last = hooks.settled("acme", "succeeded");
        IntStream.range(0, 20).forEach(everyPartition -> hooks.publish(last));
        eventually(() -> assertThat(receiver.got()).hasSize(2));
        eventually(() -> assertThat(state(endpoint.id())).isEqualTo("delivered 1 , delivered 1 "));
        assertThat(receiver.got()).extracting(Got::body).noneMatch(body -> body.contains(open))
                .anyMatch(body -> body.contains("\"status\":\"declined\"") && body.contains("\"decline_code\":\"insufficient_funds\""));
    }

    @Test
    void an_endpoint_gets_only_the_events_that_it_wants_and_nothing_from_before_it_was_added() {
        String before = hooks.settled("acme", "succeeded");
        var declines = hooks.endpoint("acme", receiver.url(), "payment.declined");
        hooks.start(hooks.settings());
        hooks.publish(before);
        hooks.publish(hooks.settled("acme", "succeeded"));
        String declined = hooks.settled("acme", "declined");
        hooks.publish(declined);
        eventually(() -> assertThat(receiver.got()).hasSize(1));
        assertThat(receiver.got().getFirst().body()).contains(declined);
        assertThat(hooks.text("SELECT count(*) FROM webhook_delivery WHERE endpoint_id = '" + declines.id() + "'")).isEqualTo("1");
    }

    @Test
    void a_failed_delivery_is_tried_again_under_its_id_until_it_is_dead_and_redelivered_by_command() {
        receiver.behaves(Receiver.answer(503));
        var endpoint = hooks.endpoint("acme", receiver.url());
        hooks.start(hooks.settings().withPace(AT_ONCE, Duration.ofSeconds(5), 8, 2));
        hooks.publish(hooks.settled("acme", "succeeded"));
        eventually(() -> assertThat(state(endpoint.id())).isEqualTo("dead 4 status_503"));
        assertThat(receiver.got()).hasSize(4).extracting(Got::webhookId).containsOnly(receiver.got().getFirst().webhookId());

        receiver.behaves(Receiver.answer(200));
        String id = receiver.got().getFirst().webhookId();
        assertThat(hooks.webhook("deliveries", "--state", "dead", "--json").out()).contains("\"webhook_id\":\"" + id + "\"",
                "\"last_status\":503", "\"attempts\":4");
        assertThat(hooks.webhook("redeliver", endpoint.id()).out()).contains("Would send 1 dead");
        assertThat(state(endpoint.id())).startsWith("dead");
        assertThat(hooks.webhook("redeliver", endpoint.id(), "--yes").exit()).isZero();
        eventually(() -> assertThat(state(endpoint.id())).isEqualTo("delivered 1 "));
        assertThat(receiver.got()).hasSize(5).extracting(Got::webhookId).containsOnly(id);
    }

    @Test
    void both_secrets_sign_while_one_replaces_the_other() throws Exception {
        var endpoint = hooks.endpoint("acme", receiver.url());
        hooks.start(hooks.settings());
        String renewed = hooks.webhook("rotate", endpoint.id(), "--overlap", "1h").out().strip();
        hooks.publish(hooks.settled("acme", "succeeded"));
        eventually(() -> assertThat(receiver.got()).hasSize(1));
        receiver.got().getFirst().verify(endpoint.secret());
        receiver.got().getFirst().verify(renewed);

        String last = hooks.webhook("rotate", endpoint.id(), "--overlap", "0s").out().strip();
        hooks.publish(hooks.settled("acme", "succeeded"));
        eventually(() -> assertThat(receiver.got()).hasSize(2));
        receiver.got().getLast().verify(last);
        assertThatThrownBy(() -> receiver.got().getLast().verify(renewed)).isInstanceOf(WebhookVerificationException.class);
        assertThat(hooks.text("SELECT count(*) FROM webhook_secret WHERE encode(sealed_secret, 'escape') LIKE '%whsec_%'")).isEqualTo("0");
    }

    @Test
    void endpoints_that_hang_delay_no_other() throws Exception {
        var hanging = new CountDownLatch(1);
        try (var silent = new Receiver().behaves(exchange -> await(hanging))) {
            IntStream.range(0, 6).forEach(each -> hooks.endpoint("globex", silent.url()));
            var endpoint = hooks.endpoint("acme", receiver.url());
            // Of eight slots, six are for endpoints that have not failed: those that hang fill them all.
            hooks.start(hooks.settings().withPace(List.of(Duration.ofMillis(10)), Duration.ofMinutes(10), 8, 1));
            IntStream.range(0, 5).forEach(each -> hooks.publish(hooks.settled("globex", "succeeded")));
            eventually(() -> assertThat(silent.got()).hasSize(6));
            IntStream.range(0, 20).forEach(each -> hooks.publish(hooks.settled("acme", "succeeded")));
            eventually(() -> assertThat(hooks.text("SELECT count(*) FROM webhook_delivery WHERE state = 'delivered' AND endpoint_id = '"
                    + endpoint.id() + "'")).isEqualTo("20"));
            assertThat(silent.got()).hasSize(6);
            hanging.countDown();
        }
    }

    @Test
    void endpoints_that_answer_late_delay_no_other_once_they_are_known_for_it() throws Exception {
        var hangs = new AtomicBoolean();
        var hanging = new CountDownLatch(1);
        var answered = ConcurrentHashMap.<String>newKeySet();
        try (var late = new Receiver().behaves(exchange -> {
            if (hangs.get()) {
                await(hanging);
            } else {
                Receiver.work(Duration.ofMillis(1_200));
                answered.add(exchange.getRequestURI().getQuery());
            }
            Receiver.answer(200).handle(exchange);
        })) {
            IntStream.range(0, 10).forEach(each -> hooks.endpoint("globex", late.url() + "?" + each));
            var endpoint = hooks.endpoint("acme", receiver.url());
            IntStream.range(0, 30).forEach(each -> hooks.publish(hooks.settled("globex", "succeeded")));
            // Three slots are for those who answer at once, one is for the others, and four slow tries may leave their slots.
            hooks.start(hooks.settings().withPace(Hooks.NEVER_AGAIN, Duration.ofMinutes(10), 4, 1));
            eventually(() -> assertThat(answered).hasSize(10));
            int before = late.got().size();
            hangs.set(true);
            eventually(() -> assertThat(late.got().size()).isGreaterThanOrEqualTo(before + 5));
            IntStream.range(0, 20).forEach(each -> hooks.publish(hooks.settled("acme", "succeeded")));
            eventually(() -> assertThat(hooks.text("SELECT count(*) FROM webhook_delivery WHERE state = 'delivered' AND endpoint_id = '"
                    + endpoint.id() + "'")).isEqualTo("20"));
            hanging.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void an_endpoint_that_fails_for_days_is_disabled_its_merchant_is_told_and_nothing_is_forgotten() throws Exception {
        receiver.behaves(Receiver.answer(500));
        try (var other = new Receiver()) {
            var endpoint = hooks.endpoint("acme", receiver.url());
            hooks.endpoint("acme", other.url(), "refund.purged");
            hooks.start(hooks.settings());
            hooks.publish(hooks.settled("acme", "succeeded"));
            eventually(() -> assertThat(state(endpoint.id())).isEqualTo("waiting 1 status_500"));
            hooks.execute("UPDATE webhook_endpoint SET failing_since = failing_since - interval '5 days' WHERE failing_since IS NOT NULL");

            eventually(() -> assertThat(state(endpoint.id())).isEqualTo("dead 1 endpoint_disabled"));
            eventually(() -> assertThat(other.got()).hasSize(1));
            assertThat(other.got().getFirst().body()).contains("endpoint.disabled", endpoint.id());
            assertThat(hooks.text("SELECT actor || ' ' || action || ' ' || session_role FROM audit_record WHERE resource_id = '"
                    + endpoint.id() + "' ORDER BY audit_id DESC"))
                    .isEqualTo("webhook-sender webhook_endpoint.disabled chargeonce_webhooks");
            assertThat(hooks.webhook("list").out()).contains("disabled after failure");

            hooks.publish(hooks.settled("acme", "declined"));
            eventually(() -> assertThat(state(endpoint.id())).isEqualTo("dead 0 endpoint_disabled, dead 1 endpoint_disabled"));
            receiver.behaves(Receiver.answer(200));
            assertThat(hooks.webhook("redeliver", endpoint.id(), "--yes").exit()).isOne();
            assertThat(hooks.webhook("enable", endpoint.id()).out()).contains("It has 2 dead deliveries");
            assertThat(hooks.webhook("redeliver", endpoint.id(), "--yes").exit()).isZero();
            eventually(() -> assertThat(state(endpoint.id())).isEqualTo("delivered 1 , delivered 1 "));
        }
    }

    @Test
    void an_endpoint_that_answers_410_is_disabled_at_once_and_one_that_asks_for_time_gets_it() throws Exception {
        try (var other = new Receiver()) {
            receiver.behaves(Receiver.answer(410));
            other.behaves(exchange -> {
                exchange.getResponseHeaders().set("Retry-After", "7200");
                Receiver.answer(429).handle(exchange);
            });
            var gone = hooks.endpoint("acme", receiver.url(), "payment.succeeded");
            var busy = hooks.endpoint("acme", other.url(), "payment.succeeded");
            hooks.start(hooks.settings());
            hooks.publish(hooks.settled("acme", "succeeded"));
            eventually(() -> assertThat(state(gone.id())).isEqualTo("dead 1 endpoint_disabled"));
            assertThat(receiver.got()).hasSize(1);
            assertThat(hooks.text("SELECT reason FROM audit_record WHERE resource_id = '" + gone.id() + "' ORDER BY audit_id DESC"))
                    .isEqualTo("it answered 410 Gone");
            // The usual pause is an hour.
            eventually(
                    () -> assertThat(hooks.text("SELECT due_at > now() + interval '110 minutes' FROM webhook_delivery WHERE endpoint_id = '"
                            + busy.id() + "' AND event_type = 'payment.succeeded'")).isEqualTo("t"));
            assertThat(hooks.text("SELECT event_type FROM webhook_delivery WHERE endpoint_id = '" + busy.id()
                    + "' AND event_type <> 'payment.succeeded'")).isEqualTo("endpoint.disabled");
        }
    }

    @Test
    void two_processes_send_each_webhook_once_while_its_secret_changes() throws Exception {
        var endpoint = hooks.endpoint("acme", receiver.url());
        hooks.start(hooks.settings());
        hooks.start(hooks.settings());
        IntStream.range(0, 30).forEach(each -> hooks.publish(hooks.settled("acme", "succeeded")));
        String renewed = hooks.webhook("rotate", endpoint.id(), "--overlap", "1h").out().strip();
        IntStream.range(0, 30).forEach(each -> hooks.publish(hooks.settled("acme", "succeeded")));
        eventually(() -> assertThat(hooks.text("SELECT count(*) FROM webhook_delivery WHERE state = 'delivered'")).isEqualTo("60"));
        assertThat(receiver.got()).hasSize(60).extracting(Got::webhookId).doesNotHaveDuplicates();
        for (Got got : receiver.got()) {
            got.verify(endpoint.secret());
        }
        receiver.got().getLast().verify(renewed);
    }

    @Test
    void what_was_sent_and_not_recorded_is_sent_again_under_the_same_id() throws Exception {
        var endpoint = hooks.endpoint("acme", receiver.url());
        String payment = hooks.settled("acme", "succeeded");
        var table = new DeliveryTable(hooks.database("chargeonce_webhooks"));
        hooks.execute("SELECT stage_webhooks(ARRAY['" + payment + "'])");
        // A process that dies after it has sent: its claim is all that is left.
        List<Delivery> claimed = table.claim(DeliveryTable.Lane.SOUND, Set.of(), "", Map.of(), 4, 100, 4, Duration.ofMillis(1));
        assertThat(claimed).hasSize(1);
        hooks.start(hooks.settings());
        eventually(() -> assertThat(state(endpoint.id())).isEqualTo("delivered 2 "));
        assertThat(receiver.got().getFirst().webhookId()).isEqualTo(claimed.getFirst().id());
        receiver.got().getFirst().verify(endpoint.secret());
    }

    @Test
    void a_claim_keeps_others_from_a_delivery_until_it_ends_and_endpoints_take_turns() {
        var first = hooks.endpoint("acme", receiver.url());
        var second = hooks.endpoint("acme", receiver.url());
        var database = hooks.database("chargeonce_webhooks");
        var table = new DeliveryTable(database);
        IntStream.range(0, 3).forEach(each -> hooks.execute("SELECT stage_webhooks(ARRAY['" + hooks.settled("acme", "succeeded") + "'])"));
        var sound = DeliveryTable.Lane.SOUND;
        var minute = Duration.ofMinutes(1);
        var one = table.claim(sound, Set.of(), "", Map.of(), 1, 100, 1, minute).getFirst();
        var two = table.claim(sound, Set.of(), one.endpoint(), Map.of(), 1, 100, 1, minute).getFirst();
        assertThat(List.of(one.endpoint(), two.endpoint())).containsExactlyInAnyOrder(first.id(), second.id());
        // Its share is in use, so only the other one gets more.
        assertThat(table.claim(sound, Set.of(), "", Map.of(first.id(), 2), 2, 100, 10, minute)).extracting(Delivery::endpoint)
                .containsOnly(second.id()).hasSize(2);
        assertThat(table.claim(sound, Set.of(), "", Map.of(), 10, 100, 10, minute)).hasSize(2);
        assertThat(table.claim(sound, Set.of(), "", Map.of(), 10, 100, 10, minute)).isEmpty();
    }

    @Test
    void a_late_result_of_an_earlier_claim_changes_nothing_but_a_delivery_counts() {
        var endpoint = hooks.endpoint("acme", receiver.url());
        var database = hooks.database("chargeonce_webhooks");
        var table = new DeliveryTable(database);
        hooks.execute("SELECT stage_webhooks(ARRAY['" + hooks.settled("acme", "succeeded") + "'])");
        Delivery early = table.claim(DeliveryTable.Lane.SOUND, Set.of(), "", Map.of(), 1, 100, 1, Duration.ZERO).getFirst();
        Delivery late = table.claim(DeliveryTable.Lane.SOUND, Set.of(), "", Map.of(), 1, 100, 1, Duration.ofMinutes(1)).getFirst();
        assertThat(late.attempt()).isEqualTo(2);
        record(database, new Tried<>(early, SendResult.of(Result.FAILED, "timed_out"), "dead", Duration.ZERO));
        assertThat(state(endpoint.id())).isEqualTo("waiting 2 ");
        record(database, new Tried<>(early, SendResult.delivered(200), "delivered", Duration.ZERO));
        assertThat(state(endpoint.id())).isEqualTo("delivered 2 ");
        record(database, new Tried<>(late, SendResult.of(Result.FAILED, "timed_out"), "waiting", Duration.ZERO));
        assertThat(state(endpoint.id())).isEqualTo("delivered 2 ");
    }

    private static void record(Database database, Tried<Delivery> tried) {
        database.inTransaction(connection -> new DeliveryTable(database).record(connection, List.of(tried)));
    }

    @Test
    void a_test_event_goes_the_same_way_and_the_command_tells_the_answer() {
        var failing = new AtomicBoolean();
        receiver.behaves(exchange -> Receiver.answer(failing.get() ? 404 : 200).handle(exchange));
        var endpoint = hooks.endpoint("acme", receiver.url());
        hooks.start(hooks.settings());
        assertThat(hooks.webhook("test", endpoint.id()).out()).contains("Delivered msg_", "answered 200");
        failing.set(true);
        var refused = hooks.webhook("test", endpoint.id());
        assertThat(refused.exit()).isOne();
        assertThat(refused.err()).contains("was not delivered: status_404");
        receiver.behaves(Receiver.answer(410));
        assertThat(hooks.webhook("test", endpoint.id()).err()).contains("was not delivered: status_410. The endpoint is disabled now")
                .doesNotContain("tried again");
        assertThat(hooks.webhook("test", endpoint.id()).err()).contains("no enabled endpoint has that id");
        assertThat(hooks.webhook("redeliver", endpoint.id())).satisfies(called -> {
            assertThat(called.exit()).isOne();
            assertThat(called.out()).isEmpty();
            assertThat(called.err()).contains("a disabled one gets nothing");
        });
    }

    @Test
    void without_the_key_nothing_is_sent_and_no_try_is_counted() {
        var endpoint = hooks.endpoint("acme", receiver.url());
        hooks.start(new WebhookSettings(hooks.settings().pipeline(), Vault.WITHOUT_KEY));
        hooks.publish(hooks.settled("acme", "succeeded"));
        eventually(() -> assertThat(state(endpoint.id())).isEqualTo("waiting 0 secret_unreadable"));
        assertThat(receiver.got()).isEmpty();
        assertThat(hooks.text("SELECT failing_since FROM webhook_endpoint")).isEqualTo("null");
    }

    @Test
    void a_secret_that_cannot_be_opened_leaves_the_others_to_sign() throws Exception {
        var endpoint = hooks.endpoint("acme", receiver.url());
        hooks.execute("INSERT INTO webhook_secret (endpoint_id, sealed_secret) VALUES ('%s', 'lost')".formatted(endpoint.id()));
        hooks.start(hooks.settings());
        hooks.publish(hooks.settled("acme", "succeeded"));
        eventually(() -> assertThat(receiver.got()).hasSize(1));
        receiver.got().getFirst().verify(endpoint.secret());
    }
}
