// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import java.util.Arrays;
import java.util.Locale;

/** What a token may be used for. */
public enum Scope {
    /** To send payments, one by one and in batches, to cancel them, and to store and detach payment methods. */
    PAY,
    /** To give money back. */
    REFUND,
    /** To look at payments, refunds, disputes and payment methods. */
    READ,
    /** To manage the merchant's own webhook endpoints. */
    WEBHOOKS;

    /** As stored and typed. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is none of this name */
    public static Scope fromTag(String tag) {
        return Arrays.stream(values()).filter(scope -> scope.tag().equals(tag)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + tag + "' is not a scope: there are pay, refund, read and webhooks"));
    }
}
