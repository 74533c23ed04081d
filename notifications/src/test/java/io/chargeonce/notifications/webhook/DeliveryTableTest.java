// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Database;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.notifications.SendResult;
import io.chargeonce.notifications.Tried;
import io.chargeonce.notifications.webhook.DeliveryTable.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who has a claim decides, whatever happens to the others. */
class DeliveryTableTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static Hooks hooks;
    private static Database database;
    private static DeliveryTable table;

    @BeforeAll
    static void open() {
        hooks = new Hooks();
        database = hooks.database("chargeonce_webhooks");
        table = new DeliveryTable(database);
    }

    @AfterAll
    static void close() throws Exception {
        hooks.close();
    }

    @AfterEach
    void removeAll() {
        hooks.execute("DELETE FROM webhook_delivery; DELETE FROM webhook_secret; DELETE FROM webhook_endpoint");
    }

    private static String endpoint(String merchant) {
        return hooks.endpoint(merchant, "https://hooks.example/").id();
    }

    private static void stage(String merchant) {
        hooks.execute("SELECT stage_webhooks(ARRAY['" + hooks.settled(merchant, "succeeded") + "'])");
    }

    private static List<Delivery> claim(Duration claim) {
        return Stream.of(Lane.values()).flatMap(lane -> table.claim(lane, Set.of(), "", Map.of(), 100, 1_000, 1_000, claim).stream())
                .toList();
    }

    private static void record(Delivery delivery, SendResult answer, String state) {
        database.inTransaction(connection -> table.record(connection, List.of(new Tried<>(delivery, answer, state, Duration.ofHours(1)))));
    }

    private static String state() {
        return hooks.text("SELECT string_agg(concat_ws(' ', state, attempts, last_error), ', ') FROM webhook_delivery");
    }

    private static final SendResult FAILED = SendResult.of(Result.FAILED, "timed_out");
    private static final SendResult DELIVERED = SendResult.delivered(200);

    @Test
    void a_failure_from_before_a_redelivery_says_nothing_about_it() {
        endpoint("acme");
        stage("acme");
        Delivery before = claim(MINUTE).getFirst();
        assertThat(hooks.webhook("redeliver", before.id()).exit()).isZero();
        record(before, FAILED, "dead");
        assertThat(state()).isEqualTo("waiting 0");
        Delivery after = claim(MINUTE).getFirst();
        assertThat(after.attempt()).isEqualTo(before.attempt());
        record(before, FAILED, "dead");
        assertThat(state()).isEqualTo("waiting 1");
        record(after, FAILED, "waiting");
        assertThat(state()).isEqualTo("waiting 1 timed_out");
    }

    @Test
    void of_a_refund_that_failed_after_its_success_both_are_told_once() {
        endpoint("acme");
        String payment = hooks.settled("acme", "succeeded");
        String refund = "payment-" + payment + "-refund";
        hooks.execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                       charge_within_s)
                SELECT '%1$s', payment_id, 'refund', merchant_id, '%1$s', 1, currency, payment_method, 86400
                  FROM operation WHERE operation_id = '%2$s';
                SET session_replication_role = replica;
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, request,
                                             request_sha256, sent_at, key_valid_until, psp_reference, decided_at)
                VALUES ('key', '%1$s', '%2$s', 'refund', 1, 1, 'stripe', 'succeeded', '', sha256(''), now(), now(), 're_1',
                        now() + interval '1 second');
                UPDATE operation_state SET state = 'failed', step = 3, psp = 'stripe', psp_reference = 're_1',
                                           settled_at = now() + interval '2 seconds' WHERE operation_id = '%1$s'
                """.formatted(refund, payment));
        for (int repeat = 0; repeat < 2; repeat++) {
            hooks.execute("SELECT stage_webhooks(ARRAY['" + refund + "'])");
        }
        assertThat(hooks.text("SELECT string_agg(event_type || ' ' || (body::json #>> '{data,status}') || ' ' "
                + "|| (body::json #>> '{data,revision}'), ', ' ORDER BY event_type DESC) FROM webhook_delivery"))
                .isEqualTo("refund.succeeded succeeded 2, refund.failed failed 3");
    }

    @Test
    void a_cancel_and_the_reversal_of_what_was_captured_later_are_each_sent_once() {
        endpoint("acme");
        String payment = hooks.accepted("acme");
        hooks.execute("""
                UPDATE operation_state SET state = 'canceled', step = 2, cancel_requested_at = now() WHERE operation_id = '%1$s';
                SELECT stage_webhooks(ARRAY['%1$s'])""".formatted(payment));
        assertThat(hooks.text("SELECT count(*) FROM webhook_delivery")).as("charge has not published it yet").isEqualTo("0");
        hooks.execute("""
                UPDATE operation_state SET settled_at = now() WHERE operation_id = '%1$s';
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                                       payment_method, charge_within_s)
                SELECT 'attempt-k-reversal', payment_id, 'reversal', 'k', merchant_id, 'k', amount, currency, payment_method, 86400
                  FROM operation WHERE operation_id = '%1$s';
                SET session_replication_role = replica;
                UPDATE operation_state SET state = 'succeeded', step = 2, psp = 'stripe', psp_reference = 're_1', settled_at = now()
                 WHERE operation_id = 'attempt-k-reversal'""".formatted(payment));
        for (int repeat = 0; repeat < 2; repeat++) {
            hooks.execute("SELECT stage_webhooks(ARRAY['%s', 'attempt-k-reversal'])".formatted(payment));
        }
        assertThat(hooks.text("SELECT string_agg(event_type || ' ' || (body::json #>> '{data,status}') || ' ' "
                + "|| (body::json #>> '{data,amount}'), ', ' ORDER BY event_type) FROM webhook_delivery"))
                .isEqualTo("payment.canceled canceled 1299, reversal.succeeded succeeded 1299");
    }

    @Test
    void each_change_of_a_dispute_is_told_once_to_who_wants_it_and_its_payment_is_not_told_again() {
        hooks.endpoint("acme", "https://hooks.example/", "dispute.opened", "dispute.lost");
        String payment = hooks.settled("acme", "succeeded");
        hooks.execute("""
                INSERT INTO dispute (psp, reference, payment_id, amount, currency, reason, stage, stage_rank, final, funds, funds_rank,
                                     refundable, answered, due_by, revision)
                VALUES ('stripe', 'du_1', '%s', 700, 'EUR', 'secret words', 'opened', 20, false, 'taken', 1, false, false,
                        '2030-01-20T00:00:00Z', 1)""".formatted(payment));
        for (int repeat = 0; repeat < 2; repeat++) {
            hooks.execute("SELECT stage_webhooks('{stripe/du_1}')");
        }
        hooks.execute("UPDATE dispute SET stage = 'lost', stage_rank = 31, final = true, revision = 2");
        hooks.execute("SELECT stage_webhooks('{stripe/du_1}')");
        assertThat(hooks.text("SELECT string_agg(event_type || ' ' || (body::json ->> 'data'), ', ' ORDER BY event_type DESC) "
                + "FROM webhook_delivery"))
                .isEqualTo(("dispute.opened {\"payment_id\":\"%1$s\",\"id\":\"du_1\",\"kind\":\"dispute\",\"status\":\"opened\","
                        + "\"amount\":700,\"currency\":\"EUR\",\"funds\":\"taken\",\"due_by\":\"2030-01-20T00:00:00.000Z\","
                        + "\"revision\":1}, "
                        + "dispute.lost {\"payment_id\":\"%1$s\",\"id\":\"du_1\",\"kind\":\"dispute\",\"status\":\"lost\","
                        + "\"amount\":700,\"currency\":\"EUR\",\"funds\":\"taken\",\"revision\":2}").formatted(payment));
        hooks.execute("DELETE FROM dispute");
    }

    @Test
    void a_redelivery_is_sent_even_if_an_earlier_try_succeeds_late() {
        endpoint("acme");
        stage("acme");
        Delivery before = claim(MINUTE).getFirst();
        hooks.webhook("redeliver", before.id());
        record(before, DELIVERED, "delivered");
        assertThat(state()).isEqualTo("waiting 0");
        assertThat(claim(MINUTE)).hasSize(1);
        record(before, DELIVERED, "delivered");
        assertThat(state()).isEqualTo("delivered 1");
    }

    @Test
    void a_try_that_did_not_count_leaves_its_number_to_no_late_one() {
        endpoint("acme");
        stage("acme");
        Delivery frozen = claim(Duration.ZERO).getFirst();
        Delivery uncounted = claim(MINUTE).getFirst();
        record(uncounted, SendResult.of(Result.NOT_SENT, "secret_unreadable"), "waiting");
        assertThat(state()).isEqualTo("waiting 1 secret_unreadable");
        record(frozen, FAILED, "dead");
        assertThat(state()).isEqualTo("waiting 1 secret_unreadable");
    }

    @Test
    void an_outdated_try_says_nothing_about_its_endpoint() {
        endpoint("acme");
        stage("acme");
        Delivery frozen = claim(Duration.ZERO).getFirst();
        Delivery now = claim(MINUTE).getFirst();
        var gone = SendResult.of(Result.FAILED, 410, "status_410");
        record(frozen, gone, "waiting");
        assertThat(endpointState()).isEqualTo("well");
        record(now, gone, "waiting");
        assertThat(endpointState()).isEqualTo("failing failing");
    }

    private static String endpointState() {
        return hooks.text("SELECT concat_ws(' ', CASE WHEN failing_since IS NULL THEN 'well' ELSE 'failing' END, disabled_by) "
                + "FROM webhook_endpoint");
    }

    @Test
    void a_claim_moves_no_entry_of_an_index() {
        endpoint("acme");
        stage("acme");
        String due = hooks.text("SELECT due_at FROM webhook_delivery");
        assertThat(claim(MINUTE)).hasSize(1);
        assertThat(hooks.text("SELECT due_at FROM webhook_delivery")).isEqualTo(due);
        assertThat(hooks.text("""
                SELECT count(*) FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
                 WHERE indrelid = 'webhook_delivery'::regclass AND attname IN ('attempts', 'fence', 'claimed_until')""")).isEqualTo("0");
    }

    @Test
    void a_merchant_that_removes_and_adds_an_endpoint_sends_no_more_tests_to_its_address() {
        var answers = new ArrayList<String>();
        for (int i = 0; i < 4; i++) {
            String added = endpoint("acme");
            for (int test = 0; test < 9; test++) {
                answers.add(hooks.text("SELECT stage_test_webhook(NULL, '" + added + "')"));
            }
            assertThat(hooks.webhook("remove", added, "--yes").exit()).isZero();
        }
        assertThat(answers.subList(0, 30)).allMatch(id -> id.startsWith("msg_"));
        assertThat(answers.subList(30, answers.size())).containsOnly("too_many");
    }

    @Test
    void what_arrived_is_delivered_though_its_endpoint_was_disabled_meanwhile() {
        String endpoint = endpoint("acme");
        stage("acme");
        stage("acme");
        List<Delivery> inFlight = claim(MINUTE);
        hooks.webhook("disable", endpoint);
        assertThat(table.endOfDisabled(10)).isEqualTo(2);
        record(inFlight.getFirst(), FAILED, "waiting");
        assertThat(state()).isEqualTo("dead 1 endpoint_disabled, dead 1 endpoint_disabled");
        record(inFlight.getFirst(), DELIVERED, "delivered");
        record(inFlight.getFirst(), FAILED, "dead");
        assertThat(hooks.text("SELECT state FROM webhook_delivery WHERE webhook_id = '" + inFlight.getFirst().id() + "'"))
                .isEqualTo("delivered");
    }

    @Test
    void what_happens_while_an_endpoint_is_disabled_is_kept_and_redelivered_by_command() {
        String endpoint = endpoint("acme");
        hooks.webhook("disable", endpoint);
        stage("acme");
        assertThat(state()).isEqualTo("dead 0 endpoint_disabled");
        hooks.webhook("enable", endpoint);
        assertThat(claim(MINUTE)).isEmpty();
        assertThat(hooks.webhook("redeliver", endpoint, "--yes").exit()).isZero();
        assertThat(claim(MINUTE)).hasSize(1);
    }

    @Test
    void everything_since_a_time_is_redelivered_by_command() {
        String endpoint = endpoint("acme");
        stage("acme");
        record(claim(MINUTE).getFirst(), DELIVERED, "delivered");
        assertThat(hooks.webhook("redeliver", endpoint, "--since", "2020-01-01T00:00:00Z").out()).contains("Would send 0 deliveries");
        hooks.execute("UPDATE webhook_delivery SET ended_at = now() - interval '11 minutes'");
        assertThat(hooks.webhook("redeliver", endpoint, "--since", "2020-01-01T00:00:00Z").out()).contains("Would send 1 delivery of");
        assertThat(hooks.webhook("redeliver", endpoint, "--since", "2020-01-01T00:00:00Z", "--until", "2020-01-02T00:00:00Z", "--yes")
                .exit()).isOne();
        assertThat(claim(MINUTE)).isEmpty();
        assertThat(hooks.webhook("redeliver", endpoint, "--since", "2020-01-01T00:00:00Z", "--yes").exit()).isZero();
        assertThat(claim(MINUTE)).hasSize(1);
        assertThat(hooks.text("SELECT count(*) FROM audit_record WHERE action = 'webhook.redelivered' AND resource_id = '" + endpoint
                + "'")).isEqualTo("1");

        assertThat(hooks.webhook("redeliver", "msg_x", "--since", "2020-01-01T00:00:00Z").exit()).isEqualTo(2);
        assertThat(hooks.webhook("redeliver", endpoint, "--until", "2020-01-01T00:00:00Z").exit()).isEqualTo(2);
        assertThat(hooks.webhook("redeliver", endpoint, "--since", "soon").exit()).isEqualTo(2);
    }

    @Test
    void when_an_endpoint_works_again_after_an_hour_its_merchants_endpoints_get_an_event() {
        String failing = endpoint("acme");
        String other = endpoint("acme");
        endpoint("globex");
        String events = "SELECT string_agg(endpoint_id, ' ' ORDER BY endpoint_id) FROM webhook_delivery "
                + "WHERE event_type = 'endpoint.recovered' AND body LIKE '%" + failing + "%failing_since%'";
        stage("acme");
        Delivery sent = claim(MINUTE).stream().filter(delivery -> delivery.endpoint().equals(failing)).findFirst().orElseThrow();

        record(sent, FAILED, "waiting");
        hooks.execute("UPDATE webhook_endpoint SET failing_since = now() - interval '59 minutes' WHERE failing_since IS NOT NULL");
        record(sent, DELIVERED, "delivered");
        assertThat(hooks.text(events)).as("after a short failure").isEqualTo("null");

        hooks.execute("UPDATE webhook_endpoint SET failing_since = now() - interval '61 minutes', failed_at = now() WHERE endpoint_id = '"
                + failing + "'");
        record(sent, DELIVERED, "delivered");
        record(sent, DELIVERED, "delivered");
        assertThat(hooks.text(events)).isEqualTo(Stream.of(failing, other).sorted().collect(Collectors.joining(" ")));
    }

    @Test
    void a_removed_endpoint_is_forgotten_with_its_last_delivery_and_a_late_result_harms_nothing() {
        String endpoint = endpoint("acme");
        stage("acme");
        Delivery inFlight = claim(MINUTE).getFirst();
        assertThat(hooks.webhook("remove", endpoint).exit()).isEqualTo(2);
        assertThat(hooks.webhook("remove", endpoint, "--yes").exit()).isZero();
        assertThat(hooks.webhook("remove", endpoint, "--yes").exit()).isOne();
        assertThat(hooks.webhook("enable", endpoint).exit()).isOne();
        assertThat(hooks.webhook("list").out()).doesNotContain(endpoint);
        stage("acme");
        table.endOfDisabled(10);
        table.forget(Duration.ofDays(30), 10);
        assertThat(state()).isEqualTo("dead 1 endpoint_disabled");
        hooks.execute("UPDATE webhook_delivery SET ended_at = now() - interval '31 days'");
        assertThat(table.forget(Duration.ofDays(30), 10)).isOne();
        assertThat(hooks.text("SELECT count(*) FROM webhook_endpoint")).isEqualTo("0");
        record(inFlight, DELIVERED, "delivered");
        record(inFlight, SendResult.of(Result.FAILED, 410, "status_410"), "dead");
    }

    /** What fails for a merchant when our own way to the internet does. */
    private static String failing(String merchant) {
        String endpoint = endpoint(merchant);
        hooks.execute("UPDATE webhook_endpoint SET failing_since = now() - interval '6 days', failed_at = now() WHERE endpoint_id = '"
                + endpoint + "'");
        return endpoint;
    }

    @Test
    void what_waits_for_an_endpoint_that_does_not_fail_is_overdue() {
        String endpoint = endpoint("acme");
        stage("acme");
        assertThat(table.backlog().get("overdue.seconds")).isBetween(0.0, 60.0);
        hooks.execute("UPDATE webhook_delivery SET due_at = now() - interval '1 hour'");
        assertThat(table.backlog().get("overdue.seconds")).isBetween(3_500.0, 4_000.0);
        hooks.execute("UPDATE webhook_endpoint SET failing_since = now(), failed_at = now() WHERE endpoint_id = '" + endpoint + "'");
        assertThat(table.backlog().get("overdue.seconds")).as("one that fails delays only itself").isZero();
    }

    @Test
    void an_endpoint_that_fails_for_three_times_as_long_is_disabled_whatever_the_others_do() {
        List<String> failing = List.of(failing("acme"), failing("globex"), failing("initech"));
        hooks.execute(
                "UPDATE webhook_endpoint SET failing_since = now() - interval '16 days' WHERE endpoint_id = '" + failing.get(1) + "'");
        assertThat(table.disableFailing(Duration.ofDays(5))).containsExactly(failing.get(1));
    }

    private static void reached(String merchant) {
        String endpoint = endpoint(merchant);
        stage(merchant);
        hooks.execute("UPDATE webhook_delivery SET state = 'delivered', ended_at = now() WHERE endpoint_id = '" + endpoint + "'");
    }

    @Test
    void while_most_merchants_are_not_reached_no_endpoint_is_disabled_and_its_time_begins_again() {
        List<String> failing = List.of(failing("acme"), failing("globex"), failing("initech"), failing("initech"));
        // It gets nothing, so it says nothing.
        IntStream.range(0, 5).forEach(each -> endpoint("hooli"));
        assertThat(table.disableFailing(Duration.ofDays(5))).isEmpty();
        assertThat(table.backlog()).containsEntry("merchants.tried", 3.0).containsEntry("merchants.unreached", 3.0);

        reached("hooli");
        hooks.execute("UPDATE webhook_endpoint SET failing_since = NULL, failed_at = NULL WHERE merchant_id = 'globex'");
        stage("globex");
        hooks.execute("UPDATE webhook_delivery SET state = 'delivered', ended_at = now() WHERE state = 'waiting'");
        assertThat(table.backlog()).containsEntry("merchants.tried", 4.0).containsEntry("merchants.unreached", 2.0);
        assertThat(table.disableFailing(Duration.ofDays(5))).isEmpty();
        hooks.execute("UPDATE webhook_endpoint SET excused_at = now() - interval '5 days 1 hour'");
        assertThat(table.disableFailing(Duration.ofDays(5))).containsExactlyInAnyOrder(failing.get(0), failing.get(2), failing.get(3));
    }

    @Test
    void many_endpoints_of_one_merchant_or_two_merchants_are_no_sign_that_the_fault_is_ours() {
        List<String> wrong = IntStream.range(0, 5).mapToObj(each -> failing("acme")).toList();
        reached("globex");
        reached("initech");
        assertThat(table.disableFailing(Duration.ofDays(5))).containsExactlyInAnyOrderElementsOf(wrong);
        removeAll();
        List<String> all = List.of(failing("acme"), failing("globex"));
        assertThat(table.disableFailing(Duration.ofDays(5))).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void two_processes_claim_each_delivery_once() throws Exception {
        IntStream.range(0, 5).forEach(each -> endpoint("acme"));
        IntStream.range(0, 20).forEach(each -> stage("acme"));
        Callable<List<String>> process = () -> {
            var all = new ArrayList<String>();
            List<Delivery> some;
            do {
                some = table.claim(Lane.SOUND, Set.of(), "", Map.of(), 3, 1_000, 7, MINUTE);
                all.addAll(some.stream().map(Delivery::id).toList());
            } while (!some.isEmpty());
            return all;
        };
        try (var threads = Executors.newFixedThreadPool(3)) {
            List<String> claimed = threads.invokeAll(List.of(process, process, process)).stream().map(Future::resultNow)
                    .flatMap(List::stream).toList();
            assertThat(claimed).doesNotHaveDuplicates();
            assertThat(claimed.size() + claim(MINUTE).size()).isEqualTo(100);
        }
    }

    @Test
    void however_many_endpoints_a_merchant_has_they_leave_room_for_others() {
        IntStream.range(0, 12).forEach(each -> endpoint("acme"));
        IntStream.range(0, 4).forEach(each -> stage("acme"));
        assertThat(table.claim(Lane.SOUND, Set.of(), "", Map.of(), 8, 24, 96, MINUTE)).hasSize(24);
    }

    @Test
    void a_merchant_has_at_most_twenty_endpoints_and_an_endpoint_five_secrets() {
        String endpoint = endpoint("globex");
        IntStream.range(0, 19).forEach(each -> endpoint("globex"));
        assertThat(hooks.webhook("add", "--merchant", "globex", "--url", "https://hooks.example/").err()).contains("20 endpoints");
        IntStream.range(0, 4).forEach(each -> assertThat(hooks.webhook("rotate", endpoint).exit()).isZero());
        assertThat(hooks.webhook("rotate", endpoint).err()).contains("five valid secrets");
        assertThat(hooks.webhook("rotate", endpoint, "--overlap", "0s").exit()).isZero();
        stage("globex");
        assertThat(claim(MINUTE)).filteredOn(delivery -> delivery.endpoint().equals(endpoint)).first()
                .satisfies(delivery -> assertThat(delivery.sealedSecrets()).hasSize(1));
    }
}
