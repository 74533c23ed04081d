// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How each PSP counts money: by its own list of currencies, which differs from ISO 4217 for some. Amounts are converted where the two
 * differ. An amount for which the PSP has no unit cannot be sent to it. Pure.
 */
public enum PspUnits {

    /** https://docs.stripe.com/currencies: zero-decimal currencies, special cases, and three decimals with a last digit of 0. */
    STRIPE(new Table()
            .with(2, 1, """
                    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CNY COP CRC
                    CVE CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD KES KGS KHR KYD
                    KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP
                    PKR PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD STD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UYU UZS
                    WST XCD YER ZAR ZMW""")
            .with(0, 1, "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF")
            .with(2, 100, "ISK UGX")
            .with(3, 10, "BHD JOD KWD OMR TND")),

    /** https://docs.adyen.com/development-resources/currency-codes: four of them are marked there as different from the standard. */
    ADYEN(new Table()
            .with(2, 1, """
                    AED ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNY COP CRC CUP
                    CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR ISK JMD KES KGS KHR KYD
                    KZT LAK LBP LKR MAD MDL MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR
                    PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SVC SZL THB TOP TRY TTD TWD TZS UAH USD UYU UZS VES
                    WST XCD YER ZAR ZMW""")
            .with(0, 1, "CVE DJF GNF IDR JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF")
            .with(3, 1, "BHD IQD JOD KWD LYD OMR TND")),

    /** SEPA direct debits are in euro. */
    BANK(new Table().with(2, 1, "EUR"));

    /**
     * @param decimals the decimals of the PSP's unit
     * @param step     every amount in that unit is a multiple of it
     */
    private record Unit(int decimals, long step) {}

    private static final class Table {
        private final Map<String, Unit> units = new HashMap<>();

        Table with(int decimals, long step, String currencies) {
            Arrays.stream(currencies.split("\\s+")).forEach(currency -> units.put(currency, new Unit(decimals, step)));
            return this;
        }
    }

    /** A PSP's unit may be smaller than ours, so its number may be larger than the largest amount. */
    private static final long LARGEST_SAID = Money.LARGEST * 1000;
    /** What SEPA's files can say, 999999999.99 EUR: a bank refuses a whole file for one item of more. */
    public static final long LARGEST_DEBIT = 99_999_999_999L;

    private final Map<String, Unit> units;

    PspUnits(Table table) {
        this.units = Collections.unmodifiableMap(table.units);
    }

    /** By the name stored with an attempt, such as {@code stripe} or {@code stripe-uk}; empty for a PSP without a table. */
    public static Optional<PspUnits> named(String psp) {
        String kind = psp.split("-", 2)[0];
        return Arrays.stream(values()).filter(one -> one.name().toLowerCase(Locale.ROOT).equals(kind)).findFirst();
    }

    /** Whether the PSP of this name takes the currency and has a unit for the amount. One without a table takes everything. */
    public static boolean canSay(String psp, Money money) {
        return named(psp).map(units -> units.canSay(money)).orElse(true);
    }

    /** Whether each PSP that takes cards can express this amount, so that it does not matter which of them gets it. */
    public static boolean allCanSay(Money money) {
        return Arrays.stream(values()).filter(psp -> psp != BANK).allMatch(psp -> psp.canSay(money));
    }

    /** Whether any PSP can express this amount. */
    public static boolean anyCanSay(Money money) {
        return Arrays.stream(values()).anyMatch(psp -> psp.canSay(money));
    }

    public boolean canSay(Money money) {
        return of(money).isPresent();
    }

    /** The amount in the PSP's units; empty if the PSP does not take the currency, or has no such small unit. */
    public OptionalLong of(Money money) {
        Unit unit = units.get(money.currency());
        if (unit == null || this == BANK && money.minorUnits() > LARGEST_DEBIT) {
            return OptionalLong.empty();
        }
        OptionalLong value = rescaled(money.minorUnits(), money.decimals(), unit.decimals);
        return value.isPresent() && value.getAsLong() % unit.step == 0 ? value : OptionalLong.empty();
    }

    /** Converts a PSP's number to ISO 4217's minor units; empty if it is no amount of a payment. */
    public Optional<Money> from(long value, String currency) {
        Unit unit = units.get(currency);
        if (unit == null || value < Money.SMALLEST || value > LARGEST_SAID) {
            return Optional.empty();
        }
        OptionalLong minor = rescaled(value, unit.decimals, Money.decimals(currency));
        return minor.isPresent() && minor.getAsLong() <= Money.LARGEST
                ? Optional.of(new Money(minor.getAsLong(), currency)) : Optional.empty();
    }

    private static OptionalLong rescaled(long amount, int from, int to) {
        long factor = 1;
        for (int i = Math.min(from, to); i < Math.max(from, to); i++) {
            factor *= 10;
        }
        if (to >= from) {
            return OptionalLong.of(Math.multiplyExact(amount, factor));
        }
        return amount % factor == 0 ? OptionalLong.of(amount / factor) : OptionalLong.empty();
    }
}
