// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.client.NewPayment;
import io.chargeonce.client.NewRefund;
import java.util.Optional;

/**
 * One call to come.
 *
 * @param first     whether its key is new; a repeat must not script the PSP again
 * @param comesBack whether half of it is refunded
 * @param canceled  whether it is canceled at once
 * @param receipt   where its receipt goes
 */
record PlannedPurchase(TrafficMerchant merchant, String key, long amount, String currency, String card, PlannedOutcome outcome,
        boolean first, boolean comesBack, boolean canceled, Optional<String> receipt) {

    PlannedPurchase repeated() {
        return new PlannedPurchase(merchant, key, amount, currency, card, outcome, false, false, false, receipt);
    }

    PlannedPurchase withAmount(long other) {
        return new PlannedPurchase(merchant, key, other, currency, card, outcome, false, false, false, receipt);
    }

    /** By a mandate in place of the card. What is to fail at a PSP is booked. */
    PlannedPurchase byDebit() {
        PlannedOutcome end = outcome == PlannedOutcome.DECLINED ? outcome : PlannedOutcome.CHARGED;
        return new PlannedPurchase(merchant, key, amount, "EUR", end.mandate(merchant.name()), end, first, comesBack, canceled, receipt);
    }

    PlannedPurchase by(String method) {
        return new PlannedPurchase(merchant, key, amount, currency, method, outcome, first, comesBack, canceled, receipt);
    }

    NewPayment asPayment() {
        NewPayment payment = NewPayment.of(key, amount, currency, card).withReference(key);
        payment = card.startsWith("mandate_") ? payment.throughBankDebit() : payment;
        return receipt.isPresent() ? payment.withReceiptEmail(receipt.get()) : payment;
    }

    NewRefund half(String payment) {
        return NewRefund.ofPart(payment, Math.max(1, amount / 2), "half");
    }

    ClientCall ended(ClientCall.Result result, Optional<String> paymentId) {
        return new ClientCall(merchant.name(), key, new ClientCall.Content(amount, currency, card), result, paymentId);
    }
}
