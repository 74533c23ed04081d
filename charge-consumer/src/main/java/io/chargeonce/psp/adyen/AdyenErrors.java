// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.http.PspHttp;
import io.chargeonce.psp.http.WireFailure;
import io.chargeonce.text.RetryAfterHeader;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Optional;

/**
 * Reads what an error that answered a request says about the money. An error describes the send that it answers: an error that proves that
 * a first send was not executed proves nothing about that send when a repeat gets it.
 */
final class AdyenErrors {

    /** "request already processed or in progress": documented with status 422 and with 409. */
    private static final String IN_PROGRESS = "704";

    private AdyenErrors() {}

    static boolean isOne(HttpResponse<String> answer) {
        return answer.statusCode() / 100 != 2;
    }

    private static Optional<AdyenJson.Refusal> refusal(HttpResponse<String> e) {
        return AdyenJson.read(e.body(), AdyenJson.Refusal.class);
    }

    /** The connection failed or broke during the first send of the attempt. */
    static Outcome whileSending(IOException e) {
        return WireFailure.notSent(e)
                .<Outcome>map(cause -> new Outcome.Failed(cause, describe(e)))
                .orElseGet(() -> new Outcome.Unknown(WireFailure.unknown(e), describe(e), Optional.empty()));
    }

    /** The first send of the attempt was answered with an error. */
    static Outcome whileSending(HttpResponse<String> e) {
        return switch (e.statusCode()) {
            case 429 -> new Outcome.Failed(FailureCause.RATE_LIMITED, describe(e), RetryAfterHeader.in(e.headers().map()));
            case 401, 403 -> new Outcome.Failed(FailureCause.CREDENTIAL_REFUSED, describe(e));
            case 400, 422 -> saysWhy(e) ? new Outcome.Failed(FailureCause.REQUEST_REFUSED, describe(e)) : unknown(e, Optional.empty());
            default -> unknown(e, Optional.empty());
        };
    }

    /**
     * The status query did not arrive, or was refused: we know as little as before. A token, a permission or the API's version may have
     * changed since the first send, and Adyen does not mark an answer that it repeats.
     */
    static Outcome whileAsking(IOException e, Optional<String> reference) {
        return new Outcome.Unknown(WireFailure.unknown(e), describe(e), reference);
    }

    static Outcome whileAsking(HttpResponse<String> e, Optional<String> reference) {
        return unknown(e, reference);
    }

    /** Adyen is asked with the request itself, which may not be sent any more. */
    static String cannotBeAsked(PspKey key) {
        return "Adyen could only be asked by sending the request again, and it may not be sent any more: look for the reference %s in its "
                .formatted(key) + "Customer Area";
    }

    private static Outcome unknown(HttpResponse<String> e, Optional<String> reference) {
        UnknownCause cause = isInProgress(e) ? UnknownCause.KEY_IN_USE
                : e.statusCode() < 400 ? UnknownCause.ANSWER_UNREADABLE : UnknownCause.PSP_ERROR;
        return new Outcome.Unknown(cause, describe(e), reference);
    }

    /** Adyen itself says that the request is wrong, not a server on the way to it. */
    private static boolean saysWhy(HttpResponse<String> e) {
        return refusal(e).isPresent() && !saysTransient(e) && !isInProgress(e);
    }

    private static boolean isInProgress(HttpResponse<String> e) {
        return refusal(e).filter(refusal -> IN_PROGRESS.equals(refusal.errorCode())).isPresent();
    }

    /** Documented: after such an error the request may be sent again under the same key. It is no answer to the key. */
    private static boolean saysTransient(HttpResponse<String> e) {
        return e.headers().allValues("transient-error").contains("true");
    }

    private static String describe(IOException e) {
        return PspHttp.words("Adyen", e);
    }

    private static String describe(HttpResponse<String> e) {
        String said = refusal(e).map(refusal -> "%s (%s)".formatted(refusal.message(), refusal.errorCode())).orElse("nothing readable");
        return "Adyen answered %d%s: %s".formatted(e.statusCode(), saysTransient(e) ? ", for the moment" : "", said);
    }
}
