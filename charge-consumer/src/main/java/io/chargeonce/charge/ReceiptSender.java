// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import java.util.Locale;

/** Who mails the customer a receipt: one sender, or customers get two. */
public enum ReceiptSender {
    /** The PSP that took the money, if it mails receipts, to the address in {@code receipt_email}. */
    PSP,
    /** The merchant, from the outcomes; no PSP learns the address. */
    MERCHANT;

    /** As in the setting. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
