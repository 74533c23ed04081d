// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.evidence;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import java.util.Optional;

/**
 * What one line of a statement or a settlement report says about one attempt. The same for every rail: a bank's camt line, a line of a
 * PSP's report.
 *
 * @param psp where the line comes from, as stored with the attempt
 * @param key the attempt: an EndToEndId, a merchant's reference
 */
public record MoneyLine(String psp, PspKey key, Said said) {

    public sealed interface Said {

        /**
         * The money moved.
         *
         * @param toUs      whether it came to us: a charge's does, a refund's leaves
         * @param reference the other side's own name of the booking
         */
        record Booked(Money money, boolean toUs, String reference) implements Said {}

        /**
         * Money that moved, or was about to, went back the way it came.
         *
         * @param toUs whether this line's money came to us: a returned refund's does
         * @param code why, as the other side says it
         */
        record Returned(Money money, boolean toUs, String reference, String code) implements Said {}

        /**
         * It was not executed, and under this key never will be.
         *
         * @param code empty if the other side gives no reason
         */
        record Rejected(String code, Optional<String> reference) implements Said {}

        /**
         * What carried it was refused whole, so nothing was executed, and that says nothing about this payment.
         *
         * @param code why; empty if the other side gives no reason
         */
        record NotExecuted(String code) implements Said {}
    }
}
