// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspUnits;
import java.util.Optional;

/** Money as Adyen counts it. */
final class MinorUnits {

    private MinorUnits() {}

    /** Empty for an amount that Adyen cannot express. */
    static Optional<AdyenJson.Amount> of(Money money) {
        var value = PspUnits.ADYEN.of(money);
        return value.isPresent() ? Optional.of(new AdyenJson.Amount(money.currency(), value.getAsLong())) : Optional.empty();
    }

    /** Converts Adyen's number to ISO 4217's minor units; empty if it is no amount of a payment. */
    static Optional<Money> from(long value, String currency) {
        return PspUnits.ADYEN.from(value, currency);
    }
}
