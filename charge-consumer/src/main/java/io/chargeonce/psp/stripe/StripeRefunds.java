package io.chargeonce.psp.stripe;

import com.stripe.StripeClient;
import com.stripe.exception.ApiException;
import com.stripe.exception.StripeException;
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
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Gives money back at Stripe in one call. The question is the list of the payment's refunds, where our key is in the
 * metadata; unlike search, that list shows a refund as soon as it exists.
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
        try {
            return send(refund);
        } catch (StripeException e) {
            return StripeErrors.whileRefunding(e, refund.pspReference());
        }
    }

    @Override
    public Outcome findOut(Refund refund) {
        try {
            Optional<Outcome> listed = listed(refund);
            if (listed.isPresent() || !refund.mayBeSent()) {
                return listed.orElseGet(() -> new Outcome.Unknown(UnknownCause.NOT_FOUND,
                        "Stripe lists no refund under this key", refund.pspReference()));
            }
            return send(refund);
        } catch (JdkHttpClient.FrozenFailure e) {
            return afterFrozenFailure(refund);
        } catch (StripeException e) {
            return StripeErrors.whileRefunding(e, refund.pspReference());
        }
    }

    /** The one execution is over and its failure frozen: if the list still shows nothing, nothing will ever be there. */
    private Outcome afterFrozenFailure(Refund refund) {
        try {
            return listed(refund).orElseGet(() -> new Outcome.Failed(FailureCause.PSP_UNWELL, "Stripe failed before it gave anything back"));
        } catch (StripeException e) {
            return StripeErrors.whileRefunding(e, refund.pspReference());
        }
    }

    private Outcome send(Refund refund) throws StripeException {
        var once = RawRequestOptions.builder().setIdempotencyKey(refund.key().value()).build();
        var answer = stripe.rawRequest(ApiResource.RequestMethod.POST, "/v1/refunds",
                new String(refund.request(), StandardCharsets.UTF_8), once);
        try {
            return read((com.stripe.model.Refund) stripe.deserialize(answer.body(), ApiMode.V1), refund);
        } catch (RuntimeException e) { // JSON that is no JSON, or of another object
            throw new ApiException("Stripe's answer is no refund", answer.requestId(), null, answer.code(), e);
        }
    }

    private Optional<Outcome> listed(Refund refund) throws StripeException {
        var params = RefundListParams.builder().setPaymentIntent(refund.capture()).setLimit(LONGEST_LIST).build();
        return stripe.v1().refunds().list(params).getData().stream()
                .filter(one -> one.getMetadata() != null && refund.key().value().equals(one.getMetadata().get("attempt_key")))
                .map(one -> read(one, refund)).findFirst();
    }

    private static Outcome read(com.stripe.model.Refund answer, Refund refund) {
        Optional<String> id = Optional.ofNullable(answer.getId());
        if (!speaksOf(refund, answer)) {
            return new Outcome.Unknown(UnknownCause.ANSWER_MISMATCH,
                    "Stripe answered about another amount, currency or payment: " + answer.getId(), id);
        }
        return switch (String.valueOf(answer.getStatus())) {
            case "succeeded" -> new Outcome.Charged(answer.getId());
            case "failed", "canceled" -> new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED,
                    "Stripe says %s: %s".formatted(answer.getStatus(), answer.getFailureReason()));
            default -> new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "Stripe says " + answer.getStatus(), id);
        };
    }

    private static boolean speaksOf(Refund refund, com.stripe.model.Refund answer) {
        return StripeMoney.isSaid(refund.money(), answer.getAmount(), answer.getCurrency())
                && refund.capture().equals(answer.getPaymentIntent());
    }
}
