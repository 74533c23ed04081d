// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import com.adyen.model.checkout.Amount;
import com.adyen.model.checkout.PaymentResponse;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import java.util.Optional;

/** Reads what Adyen's answer to a payment says about the money. Pure. */
final class AdyenAnswer {

    private AdyenAnswer() {}

    static Outcome read(PaymentResponse answer, Charge charge, Amount asked) {
        Optional<String> id = Optional.ofNullable(answer.getPspReference());
        if (answer.getResultCode() == null) {
            return new Outcome.Unknown(UnknownCause.ANSWER_UNREADABLE, "Adyen's answer has no known result code", id);
        }
        boolean authorised = answer.getResultCode() == PaymentResponse.ResultCodeEnum.AUTHORISED;
        if (!isAbout(answer, charge, asked, authorised)) {
            return new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH,
                    "Adyen answered about another amount, currency or payment: " + id.orElse("no id"), id);
        }
        return switch (answer.getResultCode()) {
            case AUTHORISED -> new Outcome.Charged(id.orElseThrow());
            // Final according to Adyen's page of result codes: no money moved and none will. A decline is never sent again automatically,
            // which is the safe side if the acquirer had an error.
            case REFUSED, ERROR, CANCELLED -> declined(answer, id);
            // Only the shopper could continue, at an address that was sent to no client.
            case REDIRECTSHOPPER, IDENTIFYSHOPPER, CHALLENGESHOPPER, AUTHENTICATIONFINISHED, AUTHENTICATIONNOTREQUIRED ->
                new Outcome.Declined("authentication_required", "the customer would have to authenticate", id);
            case RECEIVED, PENDING, PRESENTTOSHOPPER, PARTIALLYAUTHORISED, SUCCESS ->
                new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "Adyen says " + answer.getResultCode(), id);
        };
    }

    /** An answer that moves money must have all fields; other answers must at least not contradict them. */
    private static boolean isAbout(PaymentResponse answer, Charge charge, Amount asked, boolean authorised) {
        boolean sameReference = charge.key().value().equals(answer.getMerchantReference())
                || (!authorised && answer.getMerchantReference() == null);
        boolean sameAmount = asked.equals(answer.getAmount()) || (!authorised && answer.getAmount() == null);
        return sameReference && sameAmount && (!authorised || answer.getPspReference() != null);
    }

    private static Outcome declined(PaymentResponse answer, Optional<String> id) {
        String code = answer.getRefusalReasonCode() == null ? "without_reason" : answer.getRefusalReasonCode();
        String reason = answer.getRefusalReason() == null ? answer.getResultCode().toString() : answer.getRefusalReason();
        return new Outcome.Declined(RefusalReasons.declineCode(code), reason, id, RefusalReasons.advice(answer.getAdditionalData()));
    }
}
