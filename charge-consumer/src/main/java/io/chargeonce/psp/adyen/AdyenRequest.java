// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import com.adyen.model.checkout.Amount;
import com.adyen.model.checkout.CardDetails;
import com.adyen.model.checkout.CheckoutPaymentMethod;
import com.adyen.model.checkout.PaymentRequest;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Initiator;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.method.PspToken;
import java.util.Map;

/** The payment request to Adyen. Pure. */
final class AdyenRequest {

    /** The API requires one. A payment with stored details redirects no shopper, so it is never used. */
    private static final String RETURN_URL = "https://example.com/";

    private AdyenRequest() {}

    /**
     * A payment with details that the merchant has stored at Adyen, under the customer's name or, without one, the token's own. The shopper
     * is not there to type anything in.
     */
    static String json(Operation operation, PspToken token, PspKey key, Amount amount, String merchantAccount) {
        var accepted = operation.accepted();
        var request = accepted.request();
        var card = new CardDetails().type(CardDetails.TypeEnum.SCHEME).storedPaymentMethodId(token.method());
        var payment = new PaymentRequest()
                .merchantAccount(merchantAccount)
                .reference(key.value())
                .amount(amount)
                .paymentMethod(new CheckoutPaymentMethod(card))
                .shopperReference(token.customer().orElse(token.method()))
                .shopperInteraction(PaymentRequest.ShopperInteractionEnum.CONTAUTH)
                .recurringProcessingModel(model(request.initiator().orElse(Initiator.CUSTOMER)))
                .returnUrl(RETURN_URL)
                .metadata(Map.of("payment_id", accepted.payment().value(), "attempt_key", key.value()));
        request.reference().ifPresent(payment::merchantOrderReference);
        try {
            return payment.toJson();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Bug! A payment request cannot be written as JSON", e);
        }
    }

    private static PaymentRequest.RecurringProcessingModelEnum model(Initiator initiator) {
        return switch (initiator) {
            case CUSTOMER -> PaymentRequest.RecurringProcessingModelEnum.CARDONFILE;
            case SCHEDULED -> PaymentRequest.RecurringProcessingModelEnum.SUBSCRIPTION;
            case UNSCHEDULED -> PaymentRequest.RecurringProcessingModelEnum.UNSCHEDULEDCARDONFILE;
        };
    }
}
