// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.http.Route;
import io.chargeonce.sandbox.psp.Endpoint;
import java.util.Locale;

/** The endpoints of Checkout API v71 that exist, all of them POST. The names are those that fault rules use. */
public enum AdyenOperation implements Endpoint {
    PAYMENT("/v71/payments", "AUTHORISATION"),
    CANCEL_BY_REFERENCE("/v71/cancels", "TECHNICAL_CANCEL"),
    CANCEL("/v71/payments/([^/]+)/cancels", "CANCELLATION"),
    REVERSAL("/v71/payments/([^/]+)/reversals", "CANCEL_OR_REFUND"),
    REFUND("/v71/payments/([^/]+)/refunds", "REFUND");

    final Route route;
    /** What the webhook with its result is called. */
    final String eventCode;

    AdyenOperation(String path, String eventCode) {
        this.route = Route.of("POST", path);
        this.eventCode = eventCode;
    }

    @Override
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
