package io.chargeonce.psp.adyen;

import com.adyen.model.checkout.Amount;
import io.chargeonce.payment.Money;
import java.util.Optional;

/** Money as Adyen counts it: in ISO 4217's minor units but for the four currencies that its page of currency codes names. */
final class MinorUnits {

    private MinorUnits() {}

    /** Empty for an amount that cannot be said to Adyen at all, because it has no decimals for it. */
    static Optional<Amount> of(Money money) {
        return switch (money.currency()) {
            // Two decimals at Adyen, none in ISO 4217.
            case "CLP", "ISK" -> Optional.of(amount(money, money.minorUnits() * 100));
            // No decimals at Adyen, two in ISO 4217.
            case "CVE", "IDR" -> money.minorUnits() % 100 == 0
                    ? Optional.of(amount(money, money.minorUnits() / 100)) : Optional.empty();
            default -> Optional.of(amount(money, money.minorUnits()));
        };
    }

    /** What Adyen says, in ISO 4217's minor units. */
    static Money from(Amount amount) {
        return new Money(switch (amount.getCurrency()) {
            case "CLP", "ISK" -> amount.getValue() / 100;
            case "CVE", "IDR" -> amount.getValue() * 100;
            default -> amount.getValue();
        }, amount.getCurrency());
    }

    private static Amount amount(Money money, long value) {
        return new Amount().currency(money.currency()).value(value);
    }
}
