// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The currencies of Adyen's page of currency codes, with the number of decimals that it gives for each. */
final class AdyenCurrencies {
    private static final Map<String, Integer> DECIMALS = new HashMap<>();

    static {
        list(2, "AED ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNH CNY COP CRC CUP "
                + "CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR ISK JMD KES KGS KHR KYD "
                + "KZT LAK LBP LKR MAD MDL MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR "
                + "PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SVC SZL THB TOP TRY TTD TWD TZS UAH USD UYU UZS VES "
                + "WST XCD YER ZAR ZMW");
        list(0, "CVE DJF GNF IDR JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF");
        list(3, "BHD IQD JOD KWD LYD OMR TND");
    }

    private AdyenCurrencies() {}

    private static void list(int decimals, String codes) {
        Arrays.stream(codes.split(" ")).forEach(code -> DECIMALS.put(code, decimals));
    }

    static boolean areKnown(String code) {
        return DECIMALS.containsKey(code);
    }

    /** The amount as a decimal number of its currency. */
    static String value(Amount amount) {
        return BigDecimal.valueOf(amount.value(), DECIMALS.get(amount.currency())).toPlainString();
    }
}
