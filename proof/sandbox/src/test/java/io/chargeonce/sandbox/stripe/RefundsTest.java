// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.stripe.exception.InvalidRequestException;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import com.stripe.model.Refund;
import com.stripe.param.RefundCreateParams;
import com.stripe.param.RefundListParams;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RefundsTest {
    private final StripeSimulator simulator = StripeSimulator.start(StripeSimulatorSettings.inMemory());
    private final Customer customer = new Customer(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @Test
    void a_refund_without_an_amount_gives_everything_back() throws StripeException {
        PaymentIntent paid = customer.pay(1000, "p");
        Refund refund = refund(paid, 0, "r1");
        assertThat(refund.getStatus()).isEqualTo("succeeded");
        assertThat(refund.getAmount()).isEqualTo(1000);
        assertThat(customer.stripe.v1().charges().retrieve(paid.getLatestCharge()).getRefunded()).isTrue();
        assertThat(customer.stripe.v1().refunds().retrieve(refund.getId()).getPaymentIntent()).isEqualTo(paid.getId());
        assertThat(simulator.counts().refunded()).containsEntry("eur", 1000L);
    }

    @Test
    void partial_refunds_never_exceed_the_charge() throws StripeException {
        PaymentIntent paid = customer.pay(1000, "p");
        refund(paid, 600, "r1");
        InvalidRequestException tooMuch =
                catchThrowableOfType(InvalidRequestException.class, () -> refund(paid, 401, "r2"));
        assertThat(tooMuch.getStatusCode()).isEqualTo(400);
        refund(paid, 400, "r3");
        assertThat(catchThrowableOfType(InvalidRequestException.class, () -> refund(paid, 1, "r4")).getCode())
                .isEqualTo("charge_already_refunded");
        assertThat(customer.stripe.v1().refunds().list(RefundListParams.builder().setPaymentIntent(paid.getId()).build())
                .getData()).extracting(Refund::getAmount).containsExactly(400L, 600L);
        assertThat(simulator.counts().refunded()).containsEntry("eur", 1000L);
    }

    @Test
    void simultaneous_refunds_never_exceed_the_charge() throws Exception {
        PaymentIntent paid = customer.pay(1000, "p");
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            String key = "r" + i;
            calls.add(() -> succeeds(paid, key));
        }
        long succeeded = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Boolean> call : threads.invokeAll(calls)) {
                succeeded += call.get() ? 1 : 0;
            }
        }
        assertThat(succeeded).isEqualTo(10);
        assertThat(simulator.counts().refunded()).containsEntry("eur", 1000L);
    }

    @Test
    void the_same_key_refunds_once() throws StripeException {
        PaymentIntent paid = customer.pay(1000, "p");
        assertThat(refund(paid, 100, "r1").getId()).isEqualTo(refund(paid, 100, "r1").getId());
        assertThat(simulator.counts().refunds()).isEqualTo(1);
    }

    @Test
    void what_was_not_charged_cannot_be_refunded() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        assertThat(catchThrowableOfType(InvalidRequestException.class, () -> refund(intent, 0, "r1")).getMessage())
                .contains("does not have a successful charge to refund");
    }

    private boolean succeeds(PaymentIntent paid, String key) {
        try {
            return refund(paid, 100, key).getStatus().equals("succeeded");
        } catch (StripeException e) {
            return false;
        }
    }

    private Refund refund(PaymentIntent paid, long amount, String key) throws StripeException {
        RefundCreateParams.Builder params = RefundCreateParams.builder().setPaymentIntent(paid.getId());
        if (amount > 0) {
            params.setAmount(amount);
        }
        return customer.stripe.v1().refunds().create(params.build(), Customer.key(key));
    }
}
