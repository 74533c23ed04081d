// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Executed;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspAnswer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An answer as the objects it shows, each at the moment of the answer. Its JSON is a pure function of it, so an answer that is
 * kept for replay costs a few references instead of a kilobyte of text, and is byte for byte the same each time.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "shows")
@JsonSubTypes({
    @JsonSubTypes.Type(value = StripeAnswer.Intent.class, name = "intent"),
    @JsonSubTypes.Type(value = StripeAnswer.Charged.class, name = "charge"),
    @JsonSubTypes.Type(value = StripeAnswer.Refunded.class, name = "refund"),
    @JsonSubTypes.Type(value = StripeAnswer.Disputed.class, name = "dispute"),
    @JsonSubTypes.Type(value = StripeAnswer.Failure.class, name = "error"),
    @JsonSubTypes.Type(value = StripeAnswer.Page.class, name = "page"),
    @JsonSubTypes.Type(value = StripeAnswer.Booked.class, name = "balance_transaction"),
})
sealed interface StripeAnswer extends PspAnswer {
    /** The version of the API for a client that names none. */
    String VERSION = "2026-07-29.dahlia";

    /** An intent, with its latest charge in full if the client asked to expand it. */
    record Intent(PaymentIntent intent, Optional<StripeCharge> expandedCharge) implements StripeAnswer {}

    record Charged(StripeCharge charge) implements StripeAnswer {}

    record Refunded(StripeRefund refund) implements StripeAnswer {}

    record Disputed(StripeDispute dispute) implements StripeAnswer {}

    /** @param expanded whether the charge or refund is shown in full */
    record Booked(String id, Movement movement, boolean expanded) implements StripeAnswer {}

    record Failure(ApiError error, Optional<PaymentIntent> intent) implements StripeAnswer {}

    /** A list, or a search result, which has a page number instead of a cursor. */
    record Page(String url, List<StripeAnswer> items, boolean hasMore, Optional<Integer> nextSearchPage, boolean search)
            implements
                StripeAnswer {}

    /** Shows an intent that this request has made or changed. */
    static Executed<StripeChange, StripeAnswer> changed(PaymentIntent intent) {
        return Executed.of(new Intent(intent, Optional.empty()), StripeChange.of(intent));
    }

    static StripeAnswer error(ApiError error) {
        return new Failure(error, Optional.empty());
    }

    @Override
    default int status() {
        return this instanceof Failure(ApiError error, Optional<PaymentIntent> ignored) ? error.status() : 200;
    }

    @Override
    default HttpAnswer.Full to(HttpRequest request, Optional<String> requestId) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "application/json");
        headers.put("Request-Id", requestId.orElseThrow());
        headers.put("Stripe-Version", request.header("stripe-version").orElse(VERSION));
        request.header("idempotency-key").ifPresent(key -> headers.put("Idempotency-Key", key));
        int status = status();
        if (status == 401) {
            headers.put("WWW-Authenticate", "Basic realm=\"Stripe\"");
        }
        if (status == 409) {
            headers.put("Stripe-Should-Retry", "true");
        } else if (status >= 400 && status < 429) {
            headers.put("Stripe-Should-Retry", "false");
        }
        return new HttpAnswer.Full(status, headers, AnswerJson.render(this));
    }
}
