// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.List;
import java.util.Optional;

/** What Stripe answers to the key of an account that owns nothing: our payments, payment methods and customers do not exist there. */
final class AnotherAccount {
    private AnotherAccount() {}

    static StripeAnswer answer(StripeCall call) {
        return switch (call.operation()) {
            case CREATE -> missing("PaymentMethod", call.form().text("payment_method").orElse(""), "payment_method", 400);
            case CONFIRM, CANCEL, RETRIEVE, UPDATE -> missing("payment_intent", call.target(), "intent", 404);
            case RETRIEVE_REFUND -> missing("refund", call.target(), "id", 404);
            case RETRIEVE_CHARGE -> missing("charge", call.target(), "id", 404);
            case REFUND, LIST_REFUNDS -> missing("payment_intent", call.form().text("payment_intent").orElse(""), "payment_intent", 404);
            case SEARCH -> new StripeAnswer.Page(call.path(), List.of(), false, Optional.empty(), true);
            case LIST, LIST_CHARGES, LIST_BALANCE -> new StripeAnswer.Page(call.path(), List.of(), false, Optional.empty(), false);
        };
    }

    private static StripeAnswer missing(String what, String id, String param, int status) {
        return Parameters.missing(what, id, param, status).answer();
    }
}
