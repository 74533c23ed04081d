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
    @JsonSubTypes.Type(value = Answer.Intent.class, name = "intent"),
    @JsonSubTypes.Type(value = Answer.Charged.class, name = "charge"),
    @JsonSubTypes.Type(value = Answer.Refunded.class, name = "refund"),
    @JsonSubTypes.Type(value = Answer.Failure.class, name = "error"),
    @JsonSubTypes.Type(value = Answer.Page.class, name = "page"),
    @JsonSubTypes.Type(value = Answer.Booked.class, name = "balance_transaction"),
})
sealed interface Answer extends PspAnswer {
    /** The version of the API for a client that names none. */
    String VERSION = "2026-07-29.dahlia";

    /** An intent, with its latest charge in full if the client asked to expand it. */
    record Intent(PaymentIntent intent, Optional<Charge> expandedCharge) implements Answer {}

    record Charged(Charge charge) implements Answer {}

    record Refunded(Refund refund) implements Answer {}

    /** @param expanded whether the charge or refund is shown in full */
    record Booked(String id, Movement movement, boolean expanded) implements Answer {}

    record Failure(ApiError error, Optional<PaymentIntent> intent) implements Answer {}

    /** A list, or a search result, which has a page number instead of a cursor. */
    record Page(String url, List<Answer> items, boolean hasMore, Optional<Integer> nextSearchPage, boolean search)
            implements
                Answer {}

    /** Shows an intent that this request has made or changed. */
    static Executed<Change, Answer> changed(PaymentIntent intent) {
        return Executed.of(new Intent(intent, Optional.empty()), Change.of(intent));
    }

    static Answer error(ApiError error) {
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
