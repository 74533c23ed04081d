// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.stripe.StripeClient;
import com.stripe.exception.ApiConnectionException;
import com.stripe.net.RequestOptions;
import com.stripe.param.PaymentIntentCreateParams;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeOperation;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PspSimulatorsTest {

    @RegisterExtension
    static final PspSimulators psps = new PspSimulators();

    @RegisterExtension
    final PspSimulators ownOfEachTest = new PspSimulators();

    private static void pay(PspSimulators at, String key) throws Exception {
        var stripe = StripeClient.builder().setApiKey(PspSimulators.STRIPE_KEY).setApiBase(at.stripe().apiBase().toString())
                .setMaxNetworkRetries(0).build();
        stripe.v1().paymentIntents().create(PaymentIntentCreateParams.builder().setAmount(1299L).setCurrency("eur")
                .setPaymentMethod("pm_card_visa").addPaymentMethodType("card").setConfirm(true).build(),
                RequestOptions.builder().setIdempotencyKey(key).build());
    }

    @Test
    @Order(1)
    void a_payment_whose_answer_was_lost_is_in_the_ledger_and_its_repeat_charges_nothing() throws Exception {
        psps.stripe().inject(FaultRule.once(new Fault.AnswerLost()).on(StripeOperation.CREATE));
        assertThatThrownBy(() -> pay(psps, "order-1")).isInstanceOf(ApiConnectionException.class);
        assertThat(psps.captures()).hasSize(1);
        pay(psps, "order-1");
        assertThat(psps.captures()).singleElement().satisfies(capture -> assertThat(capture.amount()).isEqualTo(1299));
    }

    @Test
    @Order(2)
    void a_fault_is_set() {
        psps.stripe().inject(FaultRule.once(new Fault.AnswerLost()).always());
    }

    @Test
    @Order(3)
    void a_fault_of_the_test_before_has_ended() throws Exception {
        int before = psps.captures().size();
        pay(psps, "order-2");
        assertThat(psps.captures()).hasSize(before + 1);
    }

    @Test
    @Order(4)
    void simulators_of_one_test_know_nothing_of_the_others() throws Exception {
        pay(ownOfEachTest, "order-1");
        assertThat(ownOfEachTest.captures()).hasSize(1);
        assertThat(ownOfEachTest.stripe().port()).isNotEqualTo(psps.stripe().port());
        assertThat(ownOfEachTest.adyen().movements()).isEmpty();
    }
}
