// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.database.Sql;
import io.chargeonce.ledger.RetryBudget;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.psp.adyen.AdyenGateway;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Payments by stored methods, at simulators that refuse a token with another customer than its own. */
class StoredMethodsTest {

    private static EngineFixture books;
    private static StripeSimulator stripe;
    private static AdyenSimulator adyen;
    private static AdyenGateway adyenGateway;
    private static final AtomicInteger ORDERS = new AtomicInteger();
    private EngineFixture.Process process;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
        adyen = AdyenSimulator.start(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.inMemory());
        adyenGateway = new AdyenGateway(new AdyenSettings(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.API_KEY,
                io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT, adyen.apiBase().toString(),
                GatewayContract.CALL_TIMEOUT));
    }

    @BeforeEach
    void open() {
        stripe.removeRules();
        adyen.removeRules();
        process = books.forget().process(Routes.parse("-> stripe,adyen"),
                new StripeGateway(new StripeSettings("sk_test_1", stripe.apiBase().toString(), GatewayContract.CALL_TIMEOUT)),
                adyenGateway);
    }

    @AfterAll
    static void close() throws Exception {
        stripe.close();
        adyen.close();
        books.close();
    }

    /** A payment that no other test has, for the simulators remember them. */
    private static String order() {
        return "order-" + ORDERS.incrementAndGet();
    }

    private void settle(String id) {
        Waiting.until(() -> {
            process.drain();
            process.resolver.runOnce();
            return books.operation(id).settledAt().isPresent() || books.state(id) == OperationState.DEAD;
        });
    }

    private static List<Movement> captures(List<Movement> of, String id) {
        return of.stream().filter(move -> id.equals(move.metadata().get("payment_id"))).toList();
    }

    private static void stripeFailsFor(String id) {
        stripe.inject(FaultRule.once(new Fault.FailBefore()).on(io.chargeonce.sandbox.stripe.StripeOperation.CREATE)
                .forMetadata("payment_id", id).always());
    }

    @Test
    void each_psp_gets_its_own_token_with_its_own_customer() {
        String method = books.store("jane", "stripe", "adyen");
        String first = books.accept(order(), method);
        settle(first);
        assertThat(captures(stripe.movements(), first)).hasSize(1);

        String second = books.accept(order(), method);
        stripeFailsFor(second);
        settle(second);
        assertThat(captures(adyen.movements(), second)).hasSize(1);
        assertThat(books.operation(second).sequence()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"accepted,2", "scheduled,2", "parked,2", "processing,2", "succeeded,0", "declined,0", "dead,0", "purged,0", "canceled,0"})
    void charge_gets_the_tokens_only_of_what_an_attempt_may_be_made_from(String state, long tokens) {
        String id = books.accept(order(), books.store("jane", "stripe", "adyen"));
        books.rewrite("UPDATE operation_state SET state = '" + state + "', lease_token = gen_random_uuid(), cancel_requested_at = now(), "
                + "resolve_at = CASE WHEN '" + state + "' = 'processing' THEN now() END");
        long read = books.charging.withConnection(connection -> Sql.one(connection, "SELECT count(*) FROM tokens_of('{" + id + "}')",
                row -> row.getLong(1)));
        assertThat(read).isEqualTo(tokens);
    }

    @Test
    void a_psp_without_a_token_gets_nothing_although_the_routes_name_it_first() {
        String id = books.accept(order(), books.store("joe", "adyen"));
        settle(id);
        assertThat(captures(adyen.movements(), id)).hasSize(1);
        assertThat(books.operation(id).sequence()).isEqualTo(1);
    }

    @Test
    void a_method_with_no_token_of_its_routes_has_no_route() {
        String id = books.accept(order(), books.store("kim", "stripe-uk"));
        settle(id);
        assertThat(books.operation(id).failureCause()).contains("no_route");
        assertThat(books.operation(id).sequence()).isZero();
    }

    @Test
    void a_payment_whose_method_was_detached_is_declined_and_sent_nowhere() {
        String method = books.store("jane", "stripe", "adyen");
        String id = books.accept(order(), method);
        books.execute("SELECT detach_payment_method('acme', '%s')".formatted(method));
        settle(id);
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(id).failureCause()).contains("payment_method_detached");
        assertThat(books.operation(id).sequence()).isZero();
        assertThat(books.count("FROM payment_method_token")).isZero();
    }

    @Test
    void an_attempt_that_was_made_before_its_method_was_detached_is_queried_with_the_same_bytes() {
        String method = books.store("joe", "adyen");
        adyen.inject(FaultRule.once(new Fault.AnswerLost()).on(io.chargeonce.sandbox.adyen.AdyenOperation.PAYMENT).times(2));
        String id = books.accept(order(), method);
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        books.execute("SELECT detach_payment_method('acme', '%s')".formatted(method));
        settle(id);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(captures(adyen.movements(), id)).hasSize(1);
    }

    @Test
    void an_attempt_that_failed_is_followed_by_none_once_its_method_is_detached() {
        String method = books.store("jane", "stripe");
        String id = books.accept(order(), method);
        stripeFailsFor(id);
        process.handle(books.takeWork(id).getFirst());
        assertThat(books.operation(id).tier()).isEqualTo(1);
        books.execute("SELECT detach_payment_method('acme', '%s')".formatted(method));
        process.drain();
        assertThat(books.operation(id).failureCause()).contains("payment_method_detached");
        assertThat(books.operation(id).sequence()).isEqualTo(1);
    }

    @Test
    void another_merchants_method_pays_for_nobody_else() {
        books.execute("INSERT INTO merchant (merchant_id) VALUES ('globex')");
        String foreign = "pmt_" + "a".repeat(26);
        books.execute("""
                SELECT store_payment_method('globex', '%s', 'g', sha256('g'), ARRAY['stripe'], ARRAY['cus_jane'], ARRAY['pm_of_jane'])
                """.formatted(foreign));
        String id = books.accept(order(), foreign);
        settle(id);
        assertThat(books.operation(id).failureCause()).contains("payment_method_detached");
        assertThat(stripe.movements()).noneMatch(move -> id.equals(move.metadata().get("payment_id")));
    }

    @Test
    void a_detach_waits_for_the_claim_that_has_read_the_tokens() throws Exception {
        String method = books.store("jane", "stripe");
        String id = books.accept(order(), method);
        CompletableFuture<Void> detached = books.charging.inTransaction(connection -> {
            StoredTokens.read(connection, List.of(books.operation(id)));
            var detaching = CompletableFuture.runAsync(() -> books.execute(
                    "SET lock_timeout = '20s'; SELECT detach_payment_method('acme', '%s'); RESET lock_timeout".formatted(method)));
            Waiting.until(() -> books.count("FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%detach_payment_method%' "
                    + "AND pid <> pg_backend_pid()") == 1);
            assertThat(detaching).isNotDone();
            return detaching;
        });
        detached.get(20, TimeUnit.SECONDS);
        assertThat(books.count("FROM payment_method_token")).isZero();
    }

    @ParameterizedTest
    @CsvSource({"NULL, CardOnFile", "'customer', CardOnFile", "'scheduled', Subscription", "'unscheduled', UnscheduledCardOnFile"})
    void adyen_gets_who_started_the_charge(String initiator, String model) {
        String id = PaymentId.derive("acme", new IdempotencyKey("order-" + model + initiator.length())).value();
        books.execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                                       initiator, customer, charge_within_s)
                VALUES ('%1$s', '%1$s', 'charge', 'acme', 'order', 1299, 'EUR', 'stored_approved', %2$s, 'jane', 86400)
                """.formatted(id, initiator.equals("NULL") ? "NULL" : "'" + initiator + "'"));
        String request = new String(adyenGateway.render(books.operation(id), new PspKey("k".repeat(26))), StandardCharsets.UTF_8);
        assertThat(request).contains("\"recurringProcessingModel\":\"" + model + "\"", "\"shopperInteraction\":\"ContAuth\"",
                "\"shopperReference\":\"jane\"", "\"storedPaymentMethodId\":\"stored_approved\"");
    }

    @Test
    void declines_of_one_method_count_once_together_at_whatever_psp() {
        String method = books.store("jane", "stripe", "adyen");
        String other = books.store("joe", "adyen");
        var request = books.operation(books.accept(order(), method)).accepted().request();
        var another = books.operation(books.accept(order(), other)).accepted().request();
        boolean[] granted = books.database.inTransaction(connection -> new boolean[] {
            RetryBudget.take(connection, request, 1), RetryBudget.take(connection, request, 1),
            RetryBudget.take(connection, another, 1)});
        assertThat(granted).containsExactly(true, false, true);
    }
}
