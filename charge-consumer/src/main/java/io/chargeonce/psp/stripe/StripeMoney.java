// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspUnits;

/** Money as Stripe's API says it. */
final class StripeMoney {

    private StripeMoney() {}

    /** An amount that Stripe has no unit for is not sent there: routing and the acceptance of refunds see to it. */
    static long toSend(Money money) {
        return PspUnits.STRIPE.of(money).orElseThrow(() -> new IllegalStateException("Bug! Stripe cannot be asked for " + money));
    }

    /** Whether Stripe's amount and currency are this money; either may be missing in its answer. */
    static boolean isSaid(Money money, Long amount, String currency) {
        var expected = PspUnits.STRIPE.of(money);
        return amount != null && expected.isPresent() && expected.getAsLong() == amount && money.currency().equalsIgnoreCase(currency);
    }
}
