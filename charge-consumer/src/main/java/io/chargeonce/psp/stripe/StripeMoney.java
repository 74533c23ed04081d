// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspUnits;

/** Money in Stripe's units. */
final class StripeMoney {

    private StripeMoney() {}

    /** An amount that Stripe has no unit for is not sent there: routing and the acceptance of refunds ensure that. */
    static long toSend(Money money) {
        return PspUnits.STRIPE.of(money).orElseThrow(() -> new IllegalStateException("Bug! Stripe has no unit for " + money));
    }

    /** Whether Stripe's amount and currency are this money; either may be missing in its answer. */
    static boolean isSaid(Money money, Long amount, String currency) {
        var expected = PspUnits.STRIPE.of(money);
        return amount != null && expected.isPresent() && expected.getAsLong() == amount && money.currency().equalsIgnoreCase(currency);
    }
}
