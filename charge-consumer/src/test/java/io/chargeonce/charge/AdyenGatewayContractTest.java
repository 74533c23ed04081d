// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import com.adyen.model.checkout.Amount;
import com.adyen.model.checkout.CardDetails;
import com.adyen.model.checkout.CheckoutPaymentMethod;
import com.adyen.model.checkout.PaymentRequest;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.method.PspRules;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.adyen.AdyenGateway;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.adyen.AdyenOperation;
import io.chargeonce.sandbox.psp.Endpoint;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdyenGatewayContractTest extends GatewayContract {

    AdyenGatewayContractTest() {
        super(PspRules.ADYEN,
                AdyenSimulator.start(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.inMemory().storing("pm_card_visa", "APPROVED")),
                AdyenGatewayContractTest::gateway, io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.API_KEY);
    }

    private static Gateway gateway(AdyenSimulator adyen, String apiKey) {
        return new AdyenGateway(new AdyenSettings(apiKey, io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT,
                adyen.apiBase().toString(), CALL_TIMEOUT));
    }

    @Override
    protected List<Endpoint> callsOfAnAttempt() {
        return List.of(AdyenOperation.PAYMENT);
    }

    @Override
    protected Endpoint query() {
        return AdyenOperation.PAYMENT;
    }

    @Override
    protected String cardWithoutMoney() {
        return "stored_not_enough_balance";
    }

    @Override
    protected List<Fault> faultsOfItsOwn() {
        return List.of(new Fault.TransientBefore(), new Fault.TransientAfter());
    }

    /** A key repeats its first answer, so a wrong answer is never followed by a better one. */
    @Override
    protected boolean canBeAskedAbout(Fault fault) {
        return !(fault instanceof Fault.FailBefore || fault instanceof Fault.FailAfter || fault instanceof Fault.WrongAmount);
    }

    @Test
    void adyens_own_client_reads_in_a_request_what_it_would_have_written() throws Exception {
        Operation operation = books().operation(books().accept(order(), "pm_card_visa"));
        var payment = operation.accepted().payment();
        PspKey key = PspKey.derive(payment, "charge", "", AdyenGateway.PSP, 1);
        byte[] request = new AdyenGateway(new AdyenSettings("key", io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT,
                AdyenSettings.API_BASE, CALL_TIMEOUT)).render(operation, key);
        assertThat(PaymentRequest.fromJson(new String(request, StandardCharsets.UTF_8))).isEqualTo(new PaymentRequest()
                .merchantAccount(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT)
                .reference(key.value())
                .amount(new Amount().currency("EUR").value(1299L))
                .paymentMethod(new CheckoutPaymentMethod(
                        new CardDetails().type(CardDetails.TypeEnum.SCHEME).storedPaymentMethodId("pm_card_visa")))
                .shopperReference("pm_card_visa")
                .shopperInteraction(PaymentRequest.ShopperInteractionEnum.CONTAUTH)
                .recurringProcessingModel(PaymentRequest.RecurringProcessingModelEnum.CARDONFILE)
                .returnUrl("https://example.com/")
                .metadata(Map.of("payment_id", payment.value(), "attempt_key", key.value())));
    }

    @Test
    void transient_errors_are_sent_again_under_the_same_key_until_one_answer_counts() {
        psp().inject(FaultRule.once(new Fault.TransientBefore()).on(AdyenOperation.PAYMENT).times(4));
        String id = books().accept(order());
        settle(id);
        assertThat(books().state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books().operation(id).sequence()).isEqualTo(1);
        assertThat(captures(id)).hasSize(1);
    }

    @Test
    void a_payment_that_adyen_has_only_received_stays_unresolved() {
        String id = books().accept(order(), "stored_pending");
        process().drain();
        assertThat(books().state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books().operation(id).failureCause()).contains("still_processing");
        assertThat(captures(id)).isEmpty();
    }

    @Test
    void a_customer_that_adyen_cannot_name_is_never_sent_there() {
        String id = books().accept(order(), "pm_card_visa", new Money(1299, "EUR"), "7", "jane@example.com");
        settle(id);
        assertThat(books().operation(id).failureCause()).contains("no_route");
        assertThat(books().operation(id).sequence()).isZero();
    }

    @Test
    void a_card_that_adyen_does_not_know_is_poison_and_charges_nothing() {
        String id = books().accept(order(), "nobodys_card");
        settle(id);
        assertThat(books().state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books().operation(id).failureCause()).contains("request_refused");
        assertThat(books().operation(id).sequence()).isEqualTo(1);
    }
}
