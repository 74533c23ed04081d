// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import com.stripe.exception.CardException;
import com.stripe.exception.StripeException;
import com.stripe.model.StripeError;
import io.chargeonce.payment.DeclineAdvice;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.http.WireFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Reads what an error of Stripe's client says about the money. The same error means less during preparation, a step that moves no money,
 * than during confirmation, where only a request that provably never ran is a failure.
 */
final class StripeErrors {

    /** Stripe's error codes for payments that our account there cannot take, but another PSP may. */
    private static final Set<String> REFUSED_HERE = Set.of("country_unsupported", "payment_method_currency_mismatch",
            "payment_method_not_available", "payment_method_unsupported_type", "account_country_invalid_address", "amount_too_small",
            "amount_too_large");

    private StripeErrors() {}

    /** Creating the intent failed. No process has its id, so none can have confirmed it. */
    static Outcome whilePreparing(StripeException e) {
        if (isIdempotencyError(e)) {
            return new Outcome.Unknown(UnknownCause.KEY_MISMATCH, describe(e), Optional.empty());
        }
        if (isInUse(e)) {
            return new Outcome.Unknown(UnknownCause.KEY_IN_USE, describe(e), Optional.empty());
        }
        return neverExecuted(e).orElseGet(() -> new Outcome.Failed(whyNotPrepared(e), describe(e)));
    }

    private static FailureCause whyNotPrepared(StripeException e) {
        boolean isFinal = status(e) / 100 == 4 && mayBeRepeated(e).map(again -> !again).orElse(isInvalid(e));
        if (!isFinal) {
            return FailureCause.PSP_UNWELL;
        }
        return REFUSED_HERE.contains(String.valueOf(e.getCode())) ? FailureCause.REFUSED_BY_THIS_PSP : FailureCause.REQUEST_REFUSED;
    }

    /** Confirming the intent failed: it may have been charged, unless the error proves otherwise. */
    static Outcome whileConfirming(StripeException e, String intent) {
        return neverExecuted(e).orElseGet(() -> new Outcome.Unknown(unknownCause(e), describe(e), Optional.of(intent)));
    }

    /**
     * The status query failed, or the repeated send: we know as little as before. Another account's key, a permission or an API version may
     * have changed since the first send, so not even a refusal says anything about that one.
     *
     * @param reference the intent or the refund, if Stripe has returned its id
     */
    static Outcome whileAsking(StripeException e, Optional<String> reference) {
        return new Outcome.Unknown(unknownCause(e), describe(e), reference);
    }

    /** The first send of a refund failed: it may have been executed, unless the error proves otherwise. */
    static Outcome whileRefunding(StripeException e) {
        if (isIdempotencyError(e)) {
            return new Outcome.Unknown(UnknownCause.KEY_MISMATCH, describe(e), Optional.empty());
        }
        // A header that forbids a repeat proves nothing about the money; one that allows a repeat says that this was no final answer.
        return neverExecuted(e).orElseGet(() -> isInvalid(e) && !mayBeRepeated(e).orElse(false)
                ? new Outcome.Failed(FailureCause.REQUEST_REFUSED, describe(e))
                : new Outcome.Unknown(unknownCause(e), describe(e), Optional.empty()));
    }

    /** A decline, or a refusal of a kind that always comes before execution. */
    private static Optional<Outcome> neverExecuted(StripeException e) {
        if (e instanceof CardException) {
            return Optional.of(new Outcome.Declined(declineCode(e), describe(e), intentOf(e), advice(e.getStripeError())));
        }
        return WireFailure.notSent(e.getCause()).or(() -> switch (status(e)) {
            case 429 -> isInUse(e) ? Optional.empty() : Optional.of(FailureCause.RATE_LIMITED);
            case 401, 403 -> Optional.of(FailureCause.CREDENTIAL_REFUSED);
            default -> Optional.empty();
        }).map(cause -> new Outcome.Failed(cause, describe(e), retryAfter(e)));
    }

    private static Optional<Duration> retryAfter(StripeException e) {
        return e instanceof JdkHttpClient.TooMany tooMany ? Optional.of(tooMany.retryAfter()) : Optional.empty();
    }

    private static UnknownCause unknownCause(StripeException e) {
        if (isIdempotencyError(e)) {
            return UnknownCause.KEY_MISMATCH;
        }
        if (e.getCause() instanceof IOException) {
            return WireFailure.unknown(e.getCause());
        }
        if (isInUse(e)) {
            return UnknownCause.KEY_IN_USE;
        }
        // A truncated 200 surfaces as an ApiException with status 200.
        return status(e) >= 200 && status(e) < 400 ? UnknownCause.ANSWER_UNREADABLE : UnknownCause.PSP_ERROR;
    }

    static DeclineAdvice advice(StripeError error) {
        return error == null ? DeclineAdvice.NONE
                : new DeclineAdvice(Optional.ofNullable(error.getAdviceCode()), Optional.ofNullable(error.getNetworkDeclineCode()));
    }

    /**
     * Another request is using the same key or the same object, and may be one of ours that charges right now. It comes as 409, or as 429
     * with the code {@code lock_timeout}, which unlike any other 429 says nothing about our account's rate.
     */
    private static boolean isInUse(StripeException e) {
        return status(e) == 409 || status(e) == 429 && JdkHttpClient.LOCK_TIMEOUT.equals(e.getCode());
    }

    private static boolean isInvalid(StripeException e) {
        return status(e) == 400 || status(e) == 404 || status(e) == 422;
    }

    /**
     * Whether Stripe itself says that a repeat may get another answer. If it does not say, the status decides, as in
     * docs.stripe.com/error-low-level.
     */
    private static Optional<Boolean> mayBeRepeated(StripeException e) {
        return Optional.ofNullable(e.getStripeError()).map(StripeError::getLastResponse)
                .flatMap(response -> response.headers().firstValue("Stripe-Should-Retry"))
                .filter(word -> word.equals("true") || word.equals("false")).map(Boolean::valueOf);
    }

    private static boolean isIdempotencyError(StripeException e) {
        return e.getStripeError() != null && "idempotency_error".equals(e.getStripeError().getType());
    }

    private static String declineCode(StripeException e) {
        if (e instanceof CardException && e.getStripeError() != null && e.getStripeError().getDeclineCode() != null) {
            return e.getStripeError().getDeclineCode();
        }
        return e.getCode() == null ? "card_error" : e.getCode();
    }

    private static Optional<String> intentOf(StripeException e) {
        return Optional.ofNullable(e.getStripeError()).map(error -> error.getPaymentIntent()).map(intent -> intent.getId());
    }

    private static int status(StripeException e) {
        return e.getStatusCode() == null ? 0 : e.getStatusCode();
    }

    private static String describe(StripeException e) {
        String said = e.getStripeError() != null && e.getStripeError().getMessage() != null
                ? e.getStripeError().getMessage() : String.valueOf(e.getMessage());
        return status(e) == 0 ? said : "Stripe answered %d: %s".formatted(status(e), said.lines().findFirst().orElse(""));
    }
}
