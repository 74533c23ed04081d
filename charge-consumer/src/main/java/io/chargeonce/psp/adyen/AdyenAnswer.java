// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import java.util.Optional;

/** Reads what Adyen's answer to a payment says about the money. Pure. */
final class AdyenAnswer {

    private static final String AUTHORISED = "Authorised";

    private AdyenAnswer() {}

    static Outcome read(AdyenJson.Paid answer, Charge charge, AdyenJson.Amount asked) {
        Optional<String> id = Optional.ofNullable(answer.pspReference());
        if (answer.resultCode() == null) {
            return withoutResult(id);
        }
        boolean authorised = answer.resultCode().equals(AUTHORISED);
        if (!isAbout(answer, charge, asked, authorised)) {
            return new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH,
                    "Adyen answered about another amount, currency or payment: " + id.orElse("no id"), id);
        }
        return switch (answer.resultCode()) {
            case AUTHORISED -> new Outcome.Charged(id.orElseThrow());
            // Final according to Adyen's page of result codes: no money moved and none will. A decline is never sent again automatically,
            // which is the safe side if the acquirer had an error.
            case "Refused", "Error", "Cancelled" -> declined(answer, id);
            // Only the shopper could continue, at an address that was sent to no client.
            case "RedirectShopper", "IdentifyShopper", "ChallengeShopper", "AuthenticationFinished", "AuthenticationNotRequired" ->
                new Outcome.Declined("authentication_required", "the customer would have to authenticate", id);
            case "Received", "Pending", "PresentToShopper", "PartiallyAuthorised", "Success" ->
                new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "Adyen says " + answer.resultCode(), id);
            default -> withoutResult(id);
        };
    }

    private static Outcome withoutResult(Optional<String> id) {
        return new Outcome.Unknown(UnknownCause.ANSWER_UNREADABLE, "Adyen's answer has no known result code", id);
    }

    /** An answer that moves money must have all fields; other answers must at least not contradict them. */
    private static boolean isAbout(AdyenJson.Paid answer, Charge charge, AdyenJson.Amount asked, boolean authorised) {
        boolean sameReference = charge.key().value().equals(answer.merchantReference())
                || (!authorised && answer.merchantReference() == null);
        boolean sameAmount = asked.equals(answer.amount()) || (!authorised && answer.amount() == null);
        return sameReference && sameAmount && (!authorised || answer.pspReference() != null);
    }

    private static Outcome declined(AdyenJson.Paid answer, Optional<String> id) {
        String code = answer.refusalReasonCode() == null ? "without_reason" : answer.refusalReasonCode();
        String reason = answer.refusalReason() == null ? answer.resultCode() : answer.refusalReason();
        return new Outcome.Declined(RefusalReasons.declineCode(code), reason, id, RefusalReasons.advice(answer.additionalData()));
    }
}
