// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Locale;
import java.util.Optional;

/** Which declines of a merchant's payments go to another PSP, once and at once. Each value includes those before it. */
public enum DeclineFailover {
    NEVER,
    /** The issuer could not answer or could not process the request. */
    TECHNICAL,
    /** The issuer also refused without a reason. */
    SOFT;

    /** As settings and rows have it. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<DeclineFailover> fromTag(String tag) {
        for (DeclineFailover one : values()) {
            if (one.tag().equals(tag)) {
                return Optional.of(one);
            }
        }
        return Optional.empty();
    }
}
