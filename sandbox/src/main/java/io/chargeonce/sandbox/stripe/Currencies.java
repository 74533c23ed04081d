package io.chargeonce.sandbox.stripe;

import java.util.Locale;
import java.util.Set;

/** The presentment currencies that Stripe lists. */
final class Currencies {
    private static final Set<String> SUPPORTED = Set.of(("usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif "
            + "bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel "
            + "gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd "
            + "lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg "
            + "qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs "
            + "vnd vuv wst xaf xcd xof xpf yer zar zmw").split(" "));

    private Currencies() {}

    static String required(Form form) {
        String currency = Parameters.required(form, "currency").toLowerCase(Locale.ROOT);
        if (!SUPPORTED.contains(currency)) {
            throw Refusal.beforeExecution(ApiError.invalidRequest(400, "Invalid currency: " + currency
                    + ". Stripe currently supports these currencies: " + String.join(", ", SUPPORTED.stream().sorted().toList()))
                    .param("currency"));
        }
        return currency;
    }
}
