// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.method.PspRules;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StripeGatewayContractTest extends GatewayContract {

    StripeGatewayContractTest() {
        super(PspRules.STRIPE, StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory()),
                StripeGatewayContractTest::gateway, "sk_test_1");
    }

    private static Gateway gateway(StripeSimulator stripe, String apiKey) {
        return new StripeGateway(new StripeSettings(apiKey, stripe.apiBase().toString(), CALL_TIMEOUT));
    }

    @Override
    protected List<Endpoint> callsOfAnAttempt() {
        return List.of(StripeOperation.CREATE, StripeOperation.CONFIRM);
    }

    @Override
    protected Endpoint query() {
        return StripeOperation.RETRIEVE;
    }

    @Override
    protected Optional<Endpoint> refund() {
        return Optional.of(StripeOperation.REFUND);
    }

    @Override
    protected String cardWithoutMoney() {
        return "pm_card_visa_chargeDeclinedInsufficientFunds";
    }

    /** The intent can always be retrieved. */
    @Override
    protected boolean canBeAskedAbout(Fault fault) {
        return true;
    }

    @Test
    void a_frozen_500_after_the_capture_is_resolved_by_asking() {
        psp().inject(FaultRule.once(new Fault.FailAfter()).on(StripeOperation.CONFIRM));
        String id = books().accept(order());
        settle(id);
        assertThat(books().operation(id).sequence()).isEqualTo(1);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    void a_confirmation_that_always_fails_unexecuted_becomes_a_dead_letter_and_charges_nothing() {
        String id = books().accept(order());
        psp().inject(FaultRule.once(new Fault.FailBefore()).on(StripeOperation.CONFIRM).forMetadata("payment_id", id).always());
        // It is the payment's own failure, because the PSP is well for others.
        Waiting.until(() -> {
            settle(books().accept(order()));
            return books().state(id) == OperationState.DEAD;
        });
        assertThat(books().operation(id).sequence()).isEqualTo(4);
        assertThat(captures(id)).isEmpty();
    }

    @Test
    void a_card_saved_at_a_customer_is_charged_with_that_customer() {
        String id = books().accept(order(), "pm_of_jane", new Money(1299, "EUR"), "cus_jane", "jane@example.com");
        settle(id);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    void stripe_gets_its_own_customers_only_and_a_receipts_address_only_from_its_sender() {
        String stripes = books().accept(order(), "pm_of_jane", new Money(1299, "EUR"), "cus_jane", "jane@example.com");
        String ours = books().accept(order(), "pm_card_visa", new Money(1299, "EUR"), "customer 7", "jane@example.com");
        var key = new PspKey("k".repeat(26));
        assertThat(request(true, stripes, key)).contains("customer=cus_jane", "receipt_email=jane%40example.com");
        assertThat(request(false, stripes, key)).contains("customer=cus_jane").doesNotContain("jane%40example.com");
        assertThat(request(true, ours, key)).doesNotContain("customer=");
    }

    private String request(boolean receipts, String payment, PspKey key) {
        var gateway = new StripeGateway(new StripeSettings("sk_test_1", "http://127.0.0.1:9", CALL_TIMEOUT, Optional.empty(), receipts));
        return new String(gateway.render(books().operation(payment), key), StandardCharsets.UTF_8);
    }

    @Test
    void a_card_whose_customer_must_authenticate_is_declined() {
        String id = books().accept(order(), "pm_card_authenticationRequired");
        settle(id);
        assertThat(books().state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(books().operation(id).failureCause()).contains("authentication_required");
        assertThat(captures(id)).isEmpty();
    }

    @Test
    void an_amount_too_small_for_stripe_goes_to_another_psp_or_nowhere() {
        String id = books().accept(order(), "pm_card_visa", new Money(49, "EUR"));
        settle(id);
        assertThat(books().operation(id).failureCause()).contains("no_route");
        assertThat(books().operation(id).refusedBy()).containsExactly("stripe");
    }
}
