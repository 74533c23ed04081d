// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
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
})
sealed interface Answer {
    /** An intent, with its latest charge in full if the client asked to expand it. */
    record Intent(PaymentIntent intent, Optional<Charge> expandedCharge) implements Answer {}

    record Charged(Charge charge) implements Answer {}

    record Refunded(Refund refund) implements Answer {}

    record Failure(ApiError error, Optional<PaymentIntent> intent) implements Answer {}

    /** A list, or a search result, which has a page number instead of a cursor. */
    record Page(String url, List<Answer> items, boolean hasMore, Optional<Integer> nextSearchPage, boolean search)
            implements
                Answer {}

    static Answer error(ApiError error, Optional<PaymentIntent> intent) {
        return new Failure(error, intent);
    }

    default int status() {
        return this instanceof Failure(ApiError error, Optional<PaymentIntent> ignored) ? error.status() : 200;
    }
}
