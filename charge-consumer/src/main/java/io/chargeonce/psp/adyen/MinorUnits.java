// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import com.adyen.model.checkout.Amount;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspUnits;
import java.util.Optional;

/** Money as Adyen's own types say it. */
final class MinorUnits {

    private MinorUnits() {}

    /** Empty for an amount that cannot be said to Adyen at all. */
    static Optional<Amount> of(Money money) {
        var value = PspUnits.ADYEN.of(money);
        return value.isPresent() ? Optional.of(new Amount().currency(money.currency()).value(value.getAsLong())) : Optional.empty();
    }

    /** What Adyen says, in ISO 4217's minor units; empty for what is no amount of a payment. */
    static Optional<Money> from(long value, String currency) {
        return PspUnits.ADYEN.from(value, currency);
    }
}
