// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.report;

import io.chargeonce.payment.PspKey;
import io.chargeonce.settlement.BookedLine;
import java.util.Optional;

/** One line of a settlement report. */
public sealed interface Entry {

    /**
     * @param charge the attempt that the refund gives back, if the line does not name the refund's own
     */
    record Booked(BookedLine line, Optional<PspKey> charge) implements Entry {}

    /**
     * No movement that we asked for: a fee, a payout, a chargeback.
     *
     * @param what in the PSP's words
     */
    record Other(String what) implements Entry {}

    /** @param number of the line, from 1 */
    record Unreadable(long number, String why) implements Entry {}
}
