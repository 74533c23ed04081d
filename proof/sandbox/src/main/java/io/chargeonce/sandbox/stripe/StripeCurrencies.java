// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The presentment currencies that Stripe lists, with the units and the least amounts of its page. */
final class StripeCurrencies {
    private static final Set<String> SUPPORTED = Set.of(("usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif "
            + "bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel "
            + "gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd "
            + "lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg "
            + "qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs "
            + "vnd vuv wst xaf xcd xof xpf yer zar zmw").split(" "));

    private static final Set<String> ZERO_DECIMAL = Set.of("bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf",
            "vnd", "vuv", "xaf", "xof", "xpf");
    /** Stripe wants their last digit to be 0. */
    private static final Set<String> THREE_DECIMAL = Set.of("bhd", "jod", "kwd", "omr", "tnd");
    /** They have no decimals, but Stripe counts them in hundredths. */
    private static final Set<String> WHOLE_IN_HUNDREDTHS = Set.of("isk", "ugx");
    private static final Map<String, Long> LEAST = least();

    private StripeCurrencies() {}

    private static Map<String, Long> least() {
        var least = new HashMap<String, Long>();
        Arrays.stream("usd ars aud brl cad chf cop eur idr ils inr nzd php rub sgd zar jpy krw".split(" "))
                .forEach(code -> least.put(code, 50L));
        least.putAll(Map.of("gbp", 30L, "aed", 200L, "myr", 200L, "pln", 200L, "ron", 200L, "dkk", 250L, "nok", 300L, "sek", 300L,
                "hkd", 400L, "mxn", 1_000L));
        least.putAll(Map.of("thb", 1_000L, "czk", 1_500L, "huf", 17_500L));
        return least;
    }

    /** The amount as a decimal number of its currency. */
    static String value(long amount, String currency) {
        int decimals = ZERO_DECIMAL.contains(currency) ? 0 : THREE_DECIMAL.contains(currency) ? 3 : 2;
        return BigDecimal.valueOf(amount, decimals).toPlainString();
    }

    /** Refuses an amount that is too small to charge (as if the account settled in this currency) or that the currency cannot show. */
    static void requireChargeable(long amount, String currency) {
        if (amount < LEAST.getOrDefault(currency, 1L)) {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "Amount must convert to at least "
                    + value(LEAST.get(currency), currency) + " " + currency).code("amount_too_small").param("amount"));
        }
        requireUnits(amount, currency);
    }

    static void requireUnits(long amount, String currency) {
        long step = WHOLE_IN_HUNDREDTHS.contains(currency) ? 100 : THREE_DECIMAL.contains(currency) ? 10 : 1;
        if (amount % step != 0) {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "Amounts in " + currency + " must be divisible by " + step)
                    .code("parameter_invalid_integer").param("amount"));
        }
    }

    static String required(Form form) {
        String currency = Parameters.required(form, "currency").toLowerCase(Locale.ROOT);
        if (!SUPPORTED.contains(currency)) {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "Invalid currency: " + currency
                    + ". Stripe currently supports these currencies: " + String.join(", ", SUPPORTED.stream().sorted().toList()))
                    .param("currency"));
        }
        return currency;
    }
}
