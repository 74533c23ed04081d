// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.math.BigDecimal;
import java.util.Currency;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * An amount to move, in the currency's minor units (1299 EUR is 12.99 €; 1299 JPY is 1,299 ¥).
 *
 * @param minorUnits 1 to 999,999,999,999
 * @param currency   an ISO 4217 code in upper case
 */
public record Money(long minorUnits, String currency) {

    public static final long SMALLEST = 1;
    public static final long LARGEST = 999_999_999_999L;

    private static final Map<String, Integer> DECIMALS = Currency.getAvailableCurrencies().stream().collect(
            Collectors.toUnmodifiableMap(Currency::getCurrencyCode, currency -> Math.max(0, currency.getDefaultFractionDigits())));

    public Money {
        if (minorUnits < SMALLEST || minorUnits > LARGEST) {
            throw new IllegalArgumentException(
                    "an amount is %d to %d minor units, not %d".formatted(SMALLEST, LARGEST, minorUnits));
        }
        if (!isCurrency(currency)) {
            throw new IllegalArgumentException("'%s' is not an ISO 4217 currency code in upper case".formatted(currency));
        }
    }

    public static boolean isCurrency(String code) {
        return code != null && DECIMALS.containsKey(code);
    }

    /** Every currency of ISO 4217, with the number of its decimals. */
    public static Map<String, Integer> currencies() {
        return DECIMALS;
    }

    /** Reads an amount in the currency's main unit, such as {@code 12.99}; empty if it is no amount of a payment. */
    public static Optional<Money> ofDecimal(BigDecimal amount, String currency) {
        if (!isCurrency(currency)) {
            return Optional.empty();
        }
        try {
            long minor = amount.movePointRight(decimals(currency)).longValueExact();
            return minor < SMALLEST || minor > LARGEST ? Optional.empty() : Optional.of(new Money(minor, currency));
        } catch (ArithmeticException hasASmallerUnit) {
            return Optional.empty();
        }
    }

    /** How many digits follow the decimal point, from ISO 4217. */
    int decimals() {
        return decimals(currency);
    }

    static int decimals(String currency) {
        return DECIMALS.get(currency);
    }

    /** As shown to people: {@code 12.99 EUR}, {@code 1299 JPY}. */
    @Override
    public String toString() {
        return format(minorUnits, currency);
    }

    /** Formats a sum, which may be zero or larger than one payment's amount. */
    public static String format(long minorUnits, String currency) {
        return BigDecimal.valueOf(minorUnits, decimals(currency)).toPlainString() + " " + currency;
    }
}
