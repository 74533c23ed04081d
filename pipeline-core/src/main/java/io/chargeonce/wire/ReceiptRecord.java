// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

/**
 * The value on the receipts topic: a success whose customer gets a receipt. It has no address: that is in the payment's row, where it can
 * be erased.
 *
 * @param operationId the payment's id, for a charge
 * @param kind        {@code charge} or {@code refund}
 */
public record ReceiptRecord(String type, int version, String paymentId, String operationId, String kind, String merchant, long amount,
        String currency) {

    public static final String TYPE = "payment.receipt";
    public static final int VERSION = 1;
}
