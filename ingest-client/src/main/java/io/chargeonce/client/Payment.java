// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.util.Optional;

/**
 * A payment as it stands now.
 *
 * @param status         {@code accepted}, {@code processing}, {@code succeeded}, {@code declined}, {@code refunded},
 *                       {@code partially_refunded}, {@code needs_attention}, {@code purged}, {@code canceling} or {@code canceled}; a
 *                       later server may have others
 * @param amount         in the currency's minor units
 * @param amountRefunded likewise
 * @param declineCode    why the card was declined
 * @param purgeFinal     whether a purge promises that the payment was not charged and will not be; without a purge false
 */
public record Payment(String id, String status, long amount, String currency, long amountRefunded, Optional<String> declineCode,
        boolean purgeFinal) {

    /** Whether the merchant has the money, or had it before a refund. */
    public boolean isCharged() {
        return switch (status) {
            case "succeeded", "refunded", "partially_refunded" -> true;
            default -> false;
        };
    }

    /** Whether the charge has come to its end: charged, declined, canceled, or purged for good. What needs attention waits for a person. */
    public boolean hasEnded() {
        return isCharged() || status.equals("declined") || status.equals("canceled") || purgeFinal;
    }
}
