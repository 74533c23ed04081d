// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a PSP counts money: by its own list of currencies, which differs from ISO 4217 for some. Amounts are converted where the two
 * differ. An amount for which the PSP has no unit cannot be sent to it. Immutable and pure.
 *
 * <pre>{@code
 * PspUnits.none().with(2, 1, "EUR USD").with(0, 1, "JPY");
 * }</pre>
 */
public final class PspUnits {

    /** https://docs.stripe.com/currencies: zero-decimal currencies, special cases, and three decimals with a last digit of 0. */
    public static final PspUnits STRIPE = none()
            .with(2, 1, """
                    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CNY COP CRC
                    CVE CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD KES KGS KHR KYD
                    KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP
                    PKR PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD STD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UYU UZS
                    WST XCD YER ZAR ZMW""")
            .with(0, 1, "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF")
            .with(2, 100, "ISK UGX")
            .with(3, 10, "BHD JOD KWD OMR TND");

    /** https://docs.adyen.com/development-resources/currency-codes: four of them are marked there as different from the standard. */
    public static final PspUnits ADYEN = none()
            .with(2, 1, """
                    AED ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNY COP CRC CUP
                    CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR ISK JMD KES KGS KHR KYD
                    KZT LAK LBP LKR MAD MDL MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR
                    PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SVC SZL THB TOP TRY TTD TWD TZS UAH USD UYU UZS VES
                    WST XCD YER ZAR ZMW""")
            .with(0, 1, "CVE DJF GNF IDR JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF")
            .with(3, 1, "BHD IQD JOD KWD LYD OMR TND");

    /** What SEPA's files can say, 999999999.99 EUR: a bank refuses a whole file for one item of more. */
    public static final long LARGEST_DEBIT = 99_999_999_999L;
    /** SEPA direct debits are in euro. */
    public static final PspUnits BANK = none().with(2, 1, "EUR").upTo(LARGEST_DEBIT);

    /** A PSP's unit may be smaller than ours, so its number may be larger than the largest amount. */
    private static final long LARGEST_SAID = Money.LARGEST * 1000;

    /**
     * @param decimals the decimals of the PSP's unit
     * @param step     every amount in that unit is a multiple of it
     */
    private record Unit(int decimals, long step) {}

    private final Map<String, Unit> units;
    private final long largest;

    private PspUnits(Map<String, Unit> units, long largest) {
        this.units = Map.copyOf(units);
        this.largest = largest;
    }

    /** Takes no currency yet. */
    public static PspUnits none() {
        return new PspUnits(Map.of(), Money.LARGEST);
    }

    /**
     * The same, with these currencies too.
     *
     * @param decimals   the decimals of the PSP's unit, 0 to 4: 2 for a PSP that counts cents
     * @param step       every amount in that unit is a multiple of it; 1 for any amount
     * @param currencies codes of ISO 4217, separated by blanks
     */
    public PspUnits with(int decimals, long step, String currencies) {
        if (decimals < 0 || decimals > 4 || step < 1) {
            throw new IllegalArgumentException("a PSP's unit has 0 to 4 decimals and a step of at least 1, not %d and %d"
                    .formatted(decimals, step));
        }
        var more = new HashMap<>(units);
        for (String currency : currencies.strip().split("\\s+")) {
            if (!currency.matches("[A-Z]{3}")) {
                throw new IllegalArgumentException("'%s' is no currency's code".formatted(currency));
            }
            more.put(currency, new Unit(decimals, step));
        }
        return new PspUnits(more, largest);
    }

    /** The same, with no amount of more than this, in ISO 4217's minor units. */
    public PspUnits upTo(long most) {
        return new PspUnits(units, most);
    }

    public boolean canSay(Money money) {
        return of(money).isPresent();
    }

    /** The amount in the PSP's units; empty if the PSP does not take the currency, or has no such small unit. */
    public OptionalLong of(Money money) {
        Unit unit = units.get(money.currency());
        if (unit == null || money.minorUnits() > largest) {
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
