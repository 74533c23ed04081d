// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import com.adyen.model.checkout.Amount;
import com.adyen.model.checkout.CardDetails;
import com.adyen.model.checkout.CheckoutPaymentMethod;
import com.adyen.model.checkout.PaymentRequest;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.PspKey;
import java.util.Map;

/** The payment that is asked of Adyen. Pure. */
final class AdyenRequest {

    /** The API wants one; a payment with stored details never sends anybody away, so nobody returns. */
    private static final String RETURN_URL = "https://example.com/";

    private AdyenRequest() {}

    /**
     * A payment with details that the merchant has stored at Adyen: under the customer's name or, where the merchant names no
     * customer, under the token's own.
     */
    static String json(Operation operation, PspKey key, Amount amount, String merchantAccount) {
        var accepted = operation.accepted();
        var asked = accepted.request();
        var card = new CardDetails().type(CardDetails.TypeEnum.SCHEME).storedPaymentMethodId(asked.paymentMethod());
        var payment = new PaymentRequest()
                .merchantAccount(merchantAccount)
                .reference(key.value())
                .amount(amount)
                .paymentMethod(new CheckoutPaymentMethod(card))
                .shopperReference(asked.customer().orElse(asked.paymentMethod()))
                .shopperInteraction(PaymentRequest.ShopperInteractionEnum.CONTAUTH)
                .recurringProcessingModel(PaymentRequest.RecurringProcessingModelEnum.CARDONFILE)
                .returnUrl(RETURN_URL)
                .metadata(Map.of("payment_id", accepted.payment().value(), "attempt_key", key.value()));
        asked.reference().ifPresent(payment::merchantOrderReference);
        try {
            return payment.toJson();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Bug! A payment request cannot be written as JSON", e);
        }
    }
}
