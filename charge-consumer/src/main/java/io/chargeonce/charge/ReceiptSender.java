// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import java.util.Locale;

/** Who sends the customer a receipt: only one sender, or customers get two. */
public enum ReceiptSender {
    /** The PSP that took the money, if it sends receipts, to the address in {@code receipt_email}. */
    PSP,
    /** The merchant, based on the outcomes; no PSP gets the address. */
    MERCHANT,
    /** The receipts service of this pipeline, by mail; no PSP gets the address. */
    CHARGEONCE;

    /** As in the setting. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
