// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

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
import java.net.http.HttpResponse;
import java.util.Objects;
import java.util.Optional;

/**
 * Gives money back at Adyen. Adyen only receives the refund, executes it later, and reports the result by webhook. Until then the refund
 * stays unknown. A refund that Adyen has received is not sent again, because the answer would be the same.
 */
final class AdyenRefunds implements RefundGateway {

    private final AdyenHttp http;
    private final String merchantAccount;

    AdyenRefunds(AdyenHttp http, String merchantAccount) {
        this.http = http;
        this.merchantAccount = merchantAccount;
    }

    @Override
    public byte[] render(Operation refund, Capture capture, PspKey key) {
        return MinorUnits.of(refund.accepted().request().money())
                .map(amount -> AdyenRequest.refund(key, amount, merchantAccount)).orElse(AdyenRequest.NONE);
    }

    @Override
    public Outcome refund(Refund refund) {
        Optional<AdyenJson.Amount> amount = MinorUnits.of(refund.money());
        if (amount.isEmpty()) {
            return new Outcome.Failed(FailureCause.REQUEST_REFUSED, "Adyen gives back whole %s only, not %s; nothing was sent"
                    .formatted(refund.money().currency(), refund.money()));
        }
        if (refund.lease().hasEnded()) {
            return Lease.notSent();
        }
        try {
            HttpResponse<String> answer = send(refund);
            return AdyenErrors.isOne(answer) ? AdyenErrors.whileSending(answer) : read(answer, refund, amount.get());
        } catch (IOException e) {
            return AdyenErrors.whileSending(e);
        }
    }

    @Override
    public Outcome findOut(Refund refund) {
        Optional<AdyenJson.Amount> amount = MinorUnits.of(refund.money());
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
            HttpResponse<String> answer = send(refund);
            return AdyenErrors.isOne(answer) ? AdyenErrors.whileAsking(answer, refund.pspReference())
                    : read(answer, refund, amount.get());
        } catch (IOException e) {
            return AdyenErrors.whileAsking(e, refund.pspReference());
        }
    }

    private HttpResponse<String> send(Refund refund) throws IOException {
        return http.post("/payments/" + refund.capture() + "/refunds", refund.request(), refund.key());
    }

    private static Outcome read(HttpResponse<String> answer, Refund refund, AdyenJson.Amount amount) {
        return AdyenJson.read(answer.body(), AdyenJson.Received.class)
                .filter(received -> received.status() != null && received.pspReference() != null)
                .map(received -> read(received, refund, amount)).orElseGet(
                        () -> new Outcome.Unknown(UnknownCause.ANSWER_UNREADABLE, "Adyen's answer is not a refund", refund.pspReference()));
    }

    private static Outcome read(AdyenJson.Received answer, Refund refund, AdyenJson.Amount amount) {
        boolean isAboutIt = amount.equals(answer.amount()) && refund.key().value().equals(answer.reference())
                && Objects.equals(refund.capture(), answer.paymentPspReference());
        // Without its reference: the id of another refund must not be taken for ours.
        return isAboutIt ? received(answer.pspReference())
                : new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH, "Adyen answered about another amount, currency or payment: "
                        + answer.pspReference(), Optional.empty());
    }

    private static Outcome received(String reference) {
        return new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "Adyen has received it, and its webhook will report the result",
                Optional.of(reference));
    }
}
