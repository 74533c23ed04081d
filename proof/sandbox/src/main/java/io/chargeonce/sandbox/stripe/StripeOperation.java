// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.Route;
import io.chargeonce.sandbox.psp.Endpoint;
import java.util.Locale;
import java.util.Set;

/** The endpoints that exist, with the parameters that each of them knows. The names are those that fault rules use. */
public enum StripeOperation implements Endpoint {
    CREATE("POST", "/v1/payment_intents", Known.CREATE),
    SEARCH("GET", "/v1/payment_intents/search", Set.of("query", "limit", "page", "expand")),
    LIST("GET", "/v1/payment_intents", Set.of("limit", "starting_after", "customer", "expand")),
    CONFIRM("POST", "/v1/payment_intents/([^/]+)/confirm", Known.CONFIRM),
    CANCEL("POST", "/v1/payment_intents/([^/]+)/cancel", Set.of("cancellation_reason", "expand")),
    RETRIEVE("GET", "/v1/payment_intents/([^/]+)", Set.of("client_secret", "expand")),
    UPDATE("POST", "/v1/payment_intents/([^/]+)", Known.UPDATE),
    REFUND("POST", "/v1/refunds", Set.of("amount", "charge", "payment_intent", "reason", "metadata", "expand")),
    LIST_REFUNDS("GET", "/v1/refunds", Set.of("payment_intent", "charge", "limit", "starting_after", "expand")),
    RETRIEVE_REFUND("GET", "/v1/refunds/([^/]+)", Set.of("expand")),
    RETRIEVE_DISPUTE("GET", "/v1/disputes/([^/]+)", Set.of("expand")),
    LIST_CHARGES("GET", "/v1/charges", Set.of("payment_intent", "customer", "limit", "starting_after", "expand")),
    RETRIEVE_CHARGE("GET", "/v1/charges/([^/]+)", Set.of("expand")),
    LIST_BALANCE("GET", "/v1/balance_transactions", Set.of("created", "type", "limit", "starting_after", "expand"));

    final Route route;
    final Set<String> parameters;

    StripeOperation(String method, String path, Set<String> parameters) {
        this.route = Route.of(method, path);
        this.parameters = parameters;
    }

    @Override
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean writes() {
        return route.method().equals("POST");
    }

    private static final class Known {
        private static final Set<String> CREATE = Set.of("amount", "currency", "confirm", "customer", "description",
                "metadata", "payment_method", "payment_method_types", "automatic_payment_methods", "receipt_email",
                "return_url", "off_session", "error_on_requires_action", "capture_method", "confirmation_method",
                "statement_descriptor", "statement_descriptor_suffix", "setup_future_usage", "transfer_group",
                "use_stripe_sdk", "expand");
        private static final Set<String> CONFIRM = Set.of("payment_method", "payment_method_types", "receipt_email",
                "return_url", "off_session", "error_on_requires_action", "capture_method", "setup_future_usage",
                "use_stripe_sdk", "expand");
        private static final Set<String> UPDATE = Set.of("amount", "currency", "customer", "description", "metadata",
                "payment_method", "payment_method_types", "receipt_email", "statement_descriptor",
                "statement_descriptor_suffix", "setup_future_usage", "transfer_group", "capture_method", "expand");
    }
}
