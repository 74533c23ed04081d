// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import com.adyen.Client;
import com.adyen.Config;
import com.adyen.enums.Environment;
import com.adyen.model.RequestOptions;
import com.adyen.model.checkout.Amount;
import com.adyen.model.checkout.CardDetails;
import com.adyen.model.checkout.CheckoutPaymentMethod;
import com.adyen.model.checkout.PaymentRefundRequest;
import com.adyen.model.checkout.PaymentRefundResponse;
import com.adyen.model.checkout.PaymentRequest;
import com.adyen.model.checkout.PaymentResponse;
import com.adyen.service.checkout.ModificationsApi;
import com.adyen.service.checkout.PaymentsApi;
import com.adyen.service.exception.ApiException;
import java.io.IOException;
import java.net.URI;
import java.util.Map;

/** A shopper who pays through Adyen's own Java client, over its own HTTP client. */
final class Shopper {
    final PaymentsApi payments;
    final ModificationsApi modifications;

    Shopper(AdyenSimulator simulator) {
        this(simulator.apiBase(), AdyenSimulatorSettings.API_KEY);
    }

    Shopper(URI apiBase, String apiKey) {
        var client = new Client(new Config().apiKey(apiKey).environment(Environment.TEST));
        this.payments = new PaymentsApi(client, apiBase.toString());
        this.modifications = new ModificationsApi(client, apiBase.toString());
    }

    static CardDetails card(String holderName) {
        return new CardDetails().type(CardDetails.TypeEnum.SCHEME).holderName(holderName)
                .encryptedCardNumber("test_4111111145551142").encryptedExpiryMonth("test_03")
                .encryptedExpiryYear("test_2030").encryptedSecurityCode("test_737");
    }

    static CardDetails stored(String id) {
        return new CardDetails().type(CardDetails.TypeEnum.SCHEME).storedPaymentMethodId(id);
    }

    static PaymentRequest payment(long amount, CardDetails card) {
        return new PaymentRequest().merchantAccount(AdyenSimulatorSettings.MERCHANT_ACCOUNT).reference("order-1")
                .amount(new Amount().currency("EUR").value(amount)).paymentMethod(new CheckoutPaymentMethod(card))
                .shopperReference("shopper-1").returnUrl("https://example.com/").metadata(Map.of("payment_id", "pay_1"));
    }

    static RequestOptions key(String key) {
        return new RequestOptions().idempotencyKey(key);
    }

    PaymentResponse pay(long amount, CardDetails card) throws IOException, ApiException {
        return payments.payments(payment(amount, card));
    }

    PaymentResponse pay(long amount, String key) throws IOException, ApiException {
        return payments.payments(payment(amount, card("A Shopper")), key(key));
    }

    PaymentRefundResponse refund(PaymentResponse paid, long amount, String key) throws IOException, ApiException {
        return modifications.refundCapturedPayment(paid.getPspReference(), new PaymentRefundRequest()
                .merchantAccount(AdyenSimulatorSettings.MERCHANT_ACCOUNT).amount(new Amount().currency("EUR").value(amount))
                .reference("refund-1"), key(key));
    }
}
