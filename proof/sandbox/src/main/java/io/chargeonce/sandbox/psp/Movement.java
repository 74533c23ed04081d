// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Money that really moved: the truth that all other records are checked against.
 *
 * @param payment   the PSP's id of the payment that it belongs to
 * @param reference the merchant's own name for the movement, where the PSP takes one
 * @param amount    as the PSP counts it
 * @param value     the same as a decimal number of the currency, by the PSP's own table: {@code 12.99}
 */
public record Movement(Kind kind, String id, String payment, Optional<String> reference, long amount, String currency,
        Map<String, String> metadata, Instant at, Optional<String> idempotencyKey, String value) {
    /** A return takes a capture back, at the wish of who paid. */
    public enum Kind { CAPTURE, REFUND, RETURN }

    /** How the ledger writes a currency: in lower case at every PSP. */
    public static String currency(String code) {
        return code.toLowerCase(Locale.ROOT);
    }

    public Movement {
        metadata = Metadata.copy(metadata);
    }
}
