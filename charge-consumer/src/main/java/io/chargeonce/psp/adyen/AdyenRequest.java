// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Initiator;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.method.PspToken;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;

/** The requests to Adyen. Pure. */
final class AdyenRequest {

    /** The API requires one. A payment with stored details redirects no shopper, so it is never used. */
    private static final String RETURN_URL = "https://example.com/";
    /** Of an amount that Adyen cannot express. It is sent nowhere. */
    static final byte[] NONE = "{}".getBytes(StandardCharsets.UTF_8);

    private AdyenRequest() {}

    /**
     * A payment with details that the merchant has stored at Adyen, under the customer's name or, without one, the token's own. The shopper
     * is not there to type anything in.
     */
    static byte[] payment(Operation operation, PspToken token, PspKey key, AdyenJson.Amount amount, String merchantAccount) {
        var accepted = operation.accepted();
        var request = accepted.request();
        ObjectNode payment = begin(key, amount, merchantAccount)
                .put("shopperReference", token.customer().orElse(token.method()))
                .put("shopperInteraction", "ContAuth")
                .put("recurringProcessingModel", model(request.initiator().orElse(Initiator.CUSTOMER)))
                .put("returnUrl", RETURN_URL);
        payment.putObject("paymentMethod").put("type", "scheme").put("storedPaymentMethodId", token.method());
        payment.putObject("metadata").put("payment_id", accepted.payment().value()).put("attempt_key", key.value());
        request.reference().ifPresent(reference -> payment.put("merchantOrderReference", reference));
        return AdyenJson.MAPPER.writeValueAsBytes(payment);
    }

    static byte[] refund(PspKey key, AdyenJson.Amount amount, String merchantAccount) {
        return AdyenJson.MAPPER.writeValueAsBytes(begin(key, amount, merchantAccount));
    }

    private static ObjectNode begin(PspKey key, AdyenJson.Amount amount, String merchantAccount) {
        ObjectNode request = AdyenJson.MAPPER.createObjectNode().put("merchantAccount", merchantAccount).put("reference", key.value());
        request.putObject("amount").put("currency", amount.currency()).put("value", amount.value());
        return request;
    }

    private static String model(Initiator initiator) {
        return switch (initiator) {
            case CUSTOMER -> "CardOnFile";
            case SCHEDULED -> "Subscription";
            case UNSCHEDULED -> "UnscheduledCardOnFile";
        };
    }
}
