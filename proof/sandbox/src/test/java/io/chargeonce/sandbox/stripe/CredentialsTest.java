// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.stripe.StripeClient;
import com.stripe.exception.InvalidRequestException;
import com.stripe.exception.PermissionException;
import com.stripe.exception.StripeException;
import com.stripe.param.PaymentIntentSearchParams;
import com.stripe.param.RefundListParams;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the wrong key sees: the account of another owner, or nothing at all. */
class CredentialsTest {

    private final StripeSimulator simulator = StripeSimulator.start(StripeSimulatorSettings.inMemory());
    private final Customer customer = new Customer(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    private StripeClient withKey(String key) {
        return StripeClient.builder().setApiKey(key).setApiBase(simulator.apiBase().toString()).setMaxNetworkRetries(0).build();
    }

    @Test
    void another_accounts_key_finds_no_payment_and_no_list_of_its_refunds_and_an_empty_search() throws StripeException {
        String id = customer.pay(1299, "order-1").getId();
        StripeClient stranger = withKey("sk_test_stranger");
        assertMissing(404, () -> stranger.v1().paymentIntents().retrieve(id));
        assertMissing(404, () -> stranger.v1().paymentIntents().cancel(id));
        assertMissing(404, () -> stranger.v1().refunds().list(RefundListParams.builder().setPaymentIntent(id).build()));
        assertMissing(400, () -> stranger.v1().paymentIntents().create(Customer.payment(1299, "pm_card_visa").build()));
        var search = PaymentIntentSearchParams.builder().setQuery("metadata['payment_id']:'pay_1'").build();
        assertThat(stranger.v1().paymentIntents().search(search).getData()).isEmpty();
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_key_without_permissions_gets_403_everywhere() throws StripeException {
        String id = customer.pay(1299, "order-1").getId();
        StripeClient restricted = withKey("rk_test_unpermitted");
        assertThatThrownBy(() -> restricted.v1().paymentIntents().retrieve(id)).isInstanceOf(PermissionException.class);
        assertThatThrownBy(() -> restricted.v1().refunds().list(RefundListParams.builder().setPaymentIntent(id).build()))
                .isInstanceOf(PermissionException.class);
    }

    @Test
    void the_refunds_of_a_payment_that_does_not_exist_are_an_error_and_no_empty_list() {
        assertMissing(404, () -> customer.stripe.v1().refunds().list(RefundListParams.builder().setPaymentIntent("pi_none").build()));
    }

    @Test
    void a_refusal_can_be_asked_for_at_a_status_query_too_and_is_not_frozen() throws StripeException {
        String id = customer.create(1299, "pm_card_visa", "key").getId();
        simulator.inject(FaultRule.once(new Fault.Refused(403)).on(StripeOperation.RETRIEVE));
        assertThatThrownBy(() -> customer.retrieve(id)).isInstanceOf(PermissionException.class);
        assertThat(customer.retrieve(id).getId()).isEqualTo(id);
        simulator.inject(FaultRule.once(new Fault.Refused(400)).on(StripeOperation.CREATE));
        assertThatThrownBy(() -> customer.create(1299, "pm_card_visa", "key")).isInstanceOf(InvalidRequestException.class);
        assertThat(customer.create(1299, "pm_card_visa", "key").getId()).isEqualTo(id);
    }

    private static void assertMissing(int status, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(InvalidRequestException.class, e -> {
            assertThat(e.getStatusCode()).isEqualTo(status);
            assertThat(e.getCode()).isEqualTo("resource_missing");
        });
    }
}
