// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.adyen.model.checkout.PaymentCancelRequest;
import com.adyen.model.checkout.PaymentRefundResponse;
import com.adyen.model.checkout.PaymentResponse;
import com.adyen.model.checkout.PaymentReversalRequest;
import com.adyen.model.checkout.StandalonePaymentCancelRequest;
import com.adyen.service.exception.ApiException;
import io.chargeonce.sandbox.psp.Movement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ModificationsTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T10:00:00Z"));
    private final AdyenSimulator simulator = AdyenSimulator.start(AdyenSimulatorSettings.inMemory().clock(now::get));
    private final Shopper shopper = new Shopper(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @Test
    void a_refund_is_received_first_and_moves_money_when_it_is_due() throws Exception {
        PaymentResponse paid = shopper.pay(1299, "p");
        PaymentRefundResponse received = shopper.refund(paid, 300, "r1");
        assertThat(received.getStatus()).isEqualTo(PaymentRefundResponse.StatusEnum.RECEIVED);
        assertThat(received.getPaymentPspReference()).isEqualTo(paid.getPspReference());
        assertThat(received.getReference()).isEqualTo("refund-1");
        assertThat(refunded()).isZero();
        assertThat(result().success()).isTrue();
        assertThat(simulator.movements().getLast()).satisfies(refund -> {
            assertThat(refund.kind()).isEqualTo(Movement.Kind.REFUND);
            assertThat(refund.id()).isEqualTo(received.getPspReference());
            assertThat(refund.payment()).isEqualTo(paid.getPspReference());
            assertThat(refund.reference()).contains("refund-1");
            assertThat(refund.amount()).isEqualTo(300);
        });
    }

    @Test
    void the_same_key_refunds_once() throws Exception {
        PaymentResponse paid = shopper.pay(1299, "p");
        assertThat(shopper.refund(paid, 300, "r1")).isEqualTo(shopper.refund(paid, 300, "r1"));
        assertThat(result().success()).isTrue();
        assertThat(refunded()).isEqualTo(300);
    }

    @Test
    void no_more_is_refunded_than_was_captured() throws Exception {
        PaymentResponse paid = shopper.pay(1000, "p");
        shopper.refund(paid, 600, "r1");
        assertThat(result().success()).isTrue();
        shopper.refund(paid, 600, "r2");
        assertThat(result()).isEqualTo(new Modification.Result(false, "Insufficient balance on payment"));
        assertThat(refunded()).isEqualTo(600);
    }

    @Test
    void a_refund_may_fail_after_it_was_received() throws Exception {
        shopper.refund(shopper.pay(1000, Shopper.card("refund failed")), 100, "r1");
        assertThat(result().success()).isFalse();
        assertThat(refunded()).isZero();
    }

    @Test
    void a_reversal_gives_back_all_that_is_left() throws Exception {
        PaymentResponse paid = shopper.pay(1000, "p");
        shopper.refund(paid, 600, "r1");
        result();
        shopper.modifications.refundOrCancelPayment(paid.getPspReference(),
                new PaymentReversalRequest().merchantAccount(AdyenSimulatorSettings.MERCHANT_ACCOUNT));
        assertThat(result().success()).isTrue();
        assertThat(refunded()).isEqualTo(1000);
    }

    @Test
    void a_captured_payment_is_not_cancelled_by_its_id_or_by_its_reference() throws Exception {
        PaymentResponse paid = shopper.pay(1000, "p");
        shopper.modifications.cancelAuthorisedPaymentByPspReference(paid.getPspReference(),
                new PaymentCancelRequest().merchantAccount(AdyenSimulatorSettings.MERCHANT_ACCOUNT));
        assertThat(result().success()).isFalse();
        var received = shopper.modifications.cancelAuthorisedPayment(new StandalonePaymentCancelRequest()
                .merchantAccount(AdyenSimulatorSettings.MERCHANT_ACCOUNT).paymentReference("order-1").reference("cancel-1"));
        assertThat(received.getPaymentReference()).isEqualTo("order-1");
        assertThat(result()).isEqualTo(new Modification.Result(false, "Transaction has already been captured"));
        assertThat(refunded()).isZero();
    }

    @Test
    void a_cancel_of_an_unused_reference_is_received_and_changes_nothing() throws Exception {
        shopper.modifications.cancelAuthorisedPayment(new StandalonePaymentCancelRequest()
                .merchantAccount(AdyenSimulatorSettings.MERCHANT_ACCOUNT).paymentReference("never"));
        assertThat(result()).isEqualTo(new Modification.Result(false, "Original payment not found"));
    }

    @Test
    void a_refund_of_an_unknown_payment_is_refused_at_once() {
        PaymentResponse unknown = new PaymentResponse().pspReference("0000000000000000");
        ApiException refused = catchThrowableOfType(ApiException.class, () -> shopper.refund(unknown, 1, "r1"));
        assertThat(refused.getError().getErrorCode()).isEqualTo("167");
    }

    /** Lets the lag pass and gives what came of the latest modification. */
    private Modification.Result result() {
        now.updateAndGet(time -> time.plus(Duration.ofSeconds(1)));
        return await().until(() -> simulator.modifications().getLast().result(), result -> result.isPresent()).orElseThrow();
    }

    private long refunded() {
        return simulator.counts().refunded().getOrDefault("eur", 0L);
    }
}
