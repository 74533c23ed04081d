package io.chargeonce.psp.adyen;

import com.adyen.service.exception.ApiException;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.http.RetryAfter;
import io.chargeonce.psp.http.WireFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * What an error of Adyen's client says about the money. An error describes the send that it answers: what proves that the
 * first send was not executed proves nothing about it when a repeat gets it.
 */
final class AdyenErrors {

    /** "request already processed or in progress": documented with status 422 and with 409. */
    private static final String IN_PROGRESS = "704";

    private AdyenErrors() {}

    /** The connection failed or broke while the attempt was sent for the first time. */
    static Outcome whileSending(IOException e) {
        return WireFailure.notSent(e)
                .<Outcome>map(cause -> new Outcome.Failed(cause, describe(e)))
                .orElseGet(() -> new Outcome.Unknown(WireFailure.unknown(e), describe(e), Optional.empty()));
    }

    /** The attempt was answered with an error when it was sent for the first time. */
    static Outcome whileSending(ApiException e) {
        return switch (e.getStatusCode()) {
            case 429 -> new Outcome.Failed(FailureCause.RATE_LIMITED, describe(e), retryAfter(e));
            case 401, 403 -> new Outcome.Failed(FailureCause.CREDENTIAL_REFUSED, describe(e));
            default -> ofTheKey(e, Optional.empty());
        };
    }

    private static Optional<Duration> retryAfter(ApiException e) {
        return e.getResponseHeaders() == null ? Optional.empty() : RetryAfter.in(e.getResponseHeaders());
    }

    /** Asking did not get through: we know as little as before. */
    static Outcome whileAsking(IOException e, Optional<String> reference) {
        return new Outcome.Unknown(WireFailure.unknown(e), describe(e), reference);
    }

    static Outcome whileAsking(ApiException e, Optional<String> reference) {
        return switch (e.getStatusCode()) {
            case 429, 401, 403 -> new Outcome.Unknown(UnknownCause.PSP_ERROR, describe(e), reference);
            default -> ofTheKey(e, reference);
        };
    }

    /** Answers that hold for the key, whichever of its sends they are given to. */
    private static Outcome ofTheKey(ApiException e, Optional<String> reference) {
        if (e.getError() != null && IN_PROGRESS.equals(e.getError().getErrorCode())) {
            return new Outcome.Unknown(UnknownCause.KEY_IN_USE, describe(e), reference);
        }
        boolean refused = (e.getStatusCode() == 400 || e.getStatusCode() == 422) && e.getError() != null
                && !saysTransient(e);
        if (refused) {
            return new Outcome.Failed(FailureCause.REQUEST_REFUSED, describe(e));
        }
        return new Outcome.Unknown(e.getStatusCode() < 400 ? UnknownCause.ANSWER_UNREADABLE : UnknownCause.PSP_ERROR,
                describe(e), reference);
    }

    /** Documented: such an error may be sent again under the same key. It is no answer to the key. */
    private static boolean saysTransient(ApiException e) {
        return e.getResponseHeaders() != null && e.getResponseHeaders().entrySet().stream()
                .filter(header -> "transient-error".equalsIgnoreCase(header.getKey()))
                .anyMatch(header -> header.getValue().contains("true"));
    }

    private static String describe(IOException e) {
        return "no answer from Adyen: " + e;
    }

    private static String describe(ApiException e) {
        String said = e.getError() == null ? "nothing that can be read"
                : "%s (%s)".formatted(e.getError().getMessage(), e.getError().getErrorCode());
        return "Adyen answered %d%s: %s".formatted(e.getStatusCode(), saysTransient(e) ? ", for the moment" : "", said);
    }
}
