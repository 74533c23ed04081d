// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import com.adyen.model.RequestOptions;
import com.adyen.model.checkout.Amount;
import com.adyen.model.checkout.PaymentRefundRequest;
import com.adyen.model.checkout.PaymentRefundResponse;
import com.adyen.service.exception.ApiException;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * Gives money back at Adyen. Adyen only receives the refund, executes it later, and reports the result by webhook. Until then the refund
 * stays unknown. A refund that Adyen has received is not sent again, because the answer would be the same.
 */
final class AdyenRefunds implements RefundGateway {

    /** Posts a body under a key and returns the answer's body. */
    interface Post {
        String send(String path, String body, RequestOptions options) throws IOException, ApiException;
    }

    private final Post post;
    private final String merchantAccount;

    AdyenRefunds(Post post, String merchantAccount) {
        this.post = post;
        this.merchantAccount = merchantAccount;
    }

    @Override
    public byte[] render(Operation refund, Capture capture, PspKey key) {
        return MinorUnits.of(refund.accepted().request().money()).map(amount -> json(amount, key)).orElse("{}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private String json(Amount amount, PspKey key) {
        try {
            return new PaymentRefundRequest().merchantAccount(merchantAccount).amount(amount).reference(key.value()).toJson();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Bug! A refund cannot be written as JSON", e);
        }
    }

    @Override
    public Outcome refund(Refund refund) {
        Optional<Amount> amount = MinorUnits.of(refund.money());
        if (amount.isEmpty()) {
            return new Outcome.Failed(FailureCause.REQUEST_REFUSED, "Adyen gives back whole %s only, not %s; nothing was sent"
                    .formatted(refund.money().currency(), refund.money()));
        }
        if (refund.lease().hasEnded()) {
            return Lease.notSent();
        }
        try {
            return send(refund, amount.get());
        } catch (IOException e) {
            return AdyenErrors.whileSending(e);
        } catch (ApiException e) {
            return AdyenErrors.whileSending(e);
        }
    }

    @Override
    public Outcome findOut(Refund refund) {
        Optional<Amount> amount = MinorUnits.of(refund.money());
        if (amount.isEmpty()) {
            return new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "Adyen has no such amount, so nothing was ever sent");
        }
        if (!refund.mayBeSent()) {
            return refund.pspReference().map(AdyenRefunds::received).orElseGet(() -> new Outcome.Unknown(
                    UnknownCause.CANNOT_BE_ASKED, AdyenErrors.cannotBeAsked(refund.key()), Optional.empty()));
        }
        if (refund.lease().hasEnded()) {
            return Lease.notAsked(refund.pspReference());
        }
        try {
            return send(refund, amount.get());
        } catch (IOException e) {
            return AdyenErrors.whileAsking(e, refund.pspReference());
        } catch (ApiException e) {
            return AdyenErrors.whileAsking(e, refund.pspReference());
        }
    }

    private Outcome send(Refund refund, Amount amount) throws IOException, ApiException {
        String answer = post.send("/payments/" + refund.capture() + "/refunds", new String(refund.request(), StandardCharsets.UTF_8),
                new RequestOptions().idempotencyKey(refund.key().value()));
        try {
            return read(PaymentRefundResponse.fromJson(answer), refund, amount);
        } catch (JsonProcessingException e) {
            return new Outcome.Unknown(UnknownCause.ANSWER_UNREADABLE, "Adyen's answer is not a refund", refund.pspReference());
        }
    }

    private static Outcome read(PaymentRefundResponse answer, Refund refund, Amount amount) {
        if (answer == null || answer.getStatus() == null || answer.getPspReference() == null) {
            return new Outcome.Unknown(UnknownCause.ANSWER_UNREADABLE, "Adyen's answer is not a refund", refund.pspReference());
        }
        boolean isAboutIt = amount.equals(answer.getAmount()) && refund.key().value().equals(answer.getReference())
                && Objects.equals(refund.capture(), answer.getPaymentPspReference());
        // Without its reference: the id of another refund must not be taken for ours.
        return isAboutIt ? received(answer.getPspReference())
                : new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH, "Adyen answered about another amount, currency or payment: "
                        + answer.getPspReference(), Optional.empty());
    }

    private static Outcome received(String reference) {
        return new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "Adyen has received it, and its webhook will report the result",
                Optional.of(reference));
    }
}
