// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import com.stripe.StripeClient;
import com.stripe.exception.ApiException;
import com.stripe.exception.StripeException;
import com.stripe.model.StripeCollection;
import com.stripe.net.ApiMode;
import com.stripe.net.ApiResource;
import com.stripe.net.FormEncoder;
import com.stripe.net.RawRequestOptions;
import com.stripe.param.RefundCreateParams;
import com.stripe.param.RefundListParams;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Gives money back at Stripe in one call. The status query is the list of the payment's refunds, with our key in the metadata. Unlike
 * search, that list shows a refund as soon as it exists.
 */
final class StripeRefunds implements RefundGateway {

    private static final long LONGEST_LIST = 100;

    private final StripeClient stripe;

    StripeRefunds(StripeClient stripe) {
        this.stripe = stripe;
    }

    @Override
    public byte[] render(Operation refund, Capture capture, PspKey key) {
        var accepted = refund.accepted();
        var params = RefundCreateParams.builder()
                .setPaymentIntent(capture.reference())
                .setAmount(StripeMoney.toSend(accepted.request().money()))
                .putMetadata("payment_id", accepted.payment().value())
                .putMetadata("operation_id", refund.id())
                .putMetadata("attempt_key", key.value());
        return FormEncoder.createQueryString(params.build().toMap()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome refund(Refund refund) {
        if (refund.lease().hasEnded()) {
            return Lease.notSent();
        }
        try {
            return send(refund);
        } catch (StripeException e) {
            return StripeErrors.whileRefunding(e);
        }
    }

    @Override
    public Outcome findOut(Refund refund) {
        Outcome listed = listed(refund);
        return refund.mayBeSent() && isNotFound(listed) ? again(refund) : listed;
    }

    /**
     * Sends it once more. While Stripe remembers the key, it repeats its first answer. After it has forgotten the key, the list would show
     * a refund that was executed under it. After this send the key is in use again, so a stalled worker's send cannot be a second refund.
     * If Stripe had returned the refund's id and no longer lists it, that contradicts this: it is left to a person.
     */
    @Override
    public Outcome fence(Refund refund) {
        return refund.pspReference().isEmpty() ? again(refund) : RefundGateway.super.fence(refund);
    }

    /** It may be the first send that arrives. */
    @Override
    public boolean fenceMayExecute() {
        return true;
    }

    private Outcome again(Refund refund) {
        if (refund.lease().hasEnded()) {
            return Lease.notAsked(refund.pspReference());
        }
        try {
            return send(refund);
        } catch (JdkHttpClient.FrozenFailure e) {
            // The only execution has ended and its failure is frozen: if the list still shows no refund, there will never be one.
            Outcome listed = listed(refund);
            return isNotFound(listed) ? new Outcome.Failed(FailureCause.PSP_UNWELL, "Stripe failed before it refunded anything") : listed;
        } catch (StripeException e) {
            return StripeErrors.whileAsking(e, refund.pspReference());
        }
    }

    private Outcome send(Refund refund) throws StripeException {
        var once = RawRequestOptions.builder().setIdempotencyKey(refund.key().value()).build();
        var answer = stripe.rawRequest(ApiResource.RequestMethod.POST, "/v1/refunds",
                new String(refund.request(), StandardCharsets.UTF_8), once);
        try {
            return read((com.stripe.model.Refund) stripe.deserialize(answer.body(), ApiMode.V1), refund);
        } catch (RuntimeException e) { // not JSON, or another object
            throw new ApiException("Stripe's answer is not a refund", answer.requestId(), null, answer.code(), e);
        }
    }

    private Outcome listed(Refund refund) {
        var params = RefundListParams.builder().setPaymentIntent(refund.capture()).setLimit(LONGEST_LIST).build();
        try {
            StripeCollection<com.stripe.model.Refund> list = stripe.v1().refunds().list(params);
            return list.getData().stream()
                    .filter(one -> one.getMetadata() != null && refund.key().value().equals(one.getMetadata().get("attempt_key")))
                    .map(one -> read(one, refund)).findFirst().orElseGet(() -> notListed(list, refund));
        } catch (StripeException e) {
            return StripeErrors.whileAsking(e, refund.pspReference());
        }
    }

    private static Outcome notListed(StripeCollection<com.stripe.model.Refund> list, Refund refund) {
        return Boolean.TRUE.equals(list.getHasMore())
                ? new Outcome.Unknown(UnknownCause.PSP_ERROR, ("this payment has more refunds than one list shows: look for the metadata "
                        + "attempt_key %s in Stripe's dashboard").formatted(refund.key()), refund.pspReference())
                : new Outcome.Unknown(UnknownCause.NOT_FOUND, "Stripe lists no refund under this key", refund.pspReference());
    }

    private static boolean isNotFound(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown && unknown.cause() == UnknownCause.NOT_FOUND;
    }

    private static Outcome read(com.stripe.model.Refund answer, Refund refund) {
        Optional<String> id = Optional.ofNullable(answer.getId());
        if (!isAbout(refund, answer)) {
            return new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH,
                    "Stripe answered about another amount, currency or payment: " + answer.getId(), id);
        }
        return switch (String.valueOf(answer.getStatus())) {
            case "succeeded" -> new Outcome.Charged(answer.getId());
            case "failed" -> new Outcome.Failed(FailureCause.REFUND_FAILED, "Stripe says failed: " + answer.getFailureReason());
            case "canceled" -> new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "Stripe says canceled: " + answer.getFailureReason());
            default -> new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "Stripe says " + answer.getStatus(), id);
        };
    }

    private static boolean isAbout(Refund refund, com.stripe.model.Refund answer) {
        return StripeMoney.isSaid(refund.money(), answer.getAmount(), answer.getCurrency())
                && refund.capture().equals(answer.getPaymentIntent());
    }
}
