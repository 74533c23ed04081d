package io.chargeonce.charge;

/** Who mails the customer a receipt: one sender, or customers get two. */
public enum ReceiptSender {
    /** The PSP that took the money, if it mails receipts, to the address in {@code receipt_email}. */
    PSP("psp"),
    /** The merchant, from the outcomes; no PSP learns the address. */
    MERCHANT("merchant");

    private final String text;

    ReceiptSender(String text) {
        this.text = text;
    }

    /** As in a setting. */
    @Override
    public String toString() {
        return text;
    }
}
