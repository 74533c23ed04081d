// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.method.KnownPsps;
import java.util.Currency;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PspUnitsTest {

    private static PspUnits units(String psp) {
        return KnownPsps.BUILT_IN.of(psp).orElseThrow().units();
    }

    /** According to the vendors' pages: one króna is 100 at both, one ariary is 1 at Stripe, a dinar's last fil is 0 at Stripe. */
    @ParameterizedTest
    @CsvSource({"stripe,1299,EUR,1299", "stripe,500,ISK,50000", "stripe,500,UGX,50000", "stripe,500,MGA,5", "stripe,500,JPY,500",
        "stripe,500,CLP,500", "stripe,1230,KWD,1230", "stripe,1299,HUF,1299", "stripe,500,CVE,500", "adyen,500,ISK,50000",
        "adyen,500,CLP,50000", "adyen,500,CVE,5", "adyen,500,IDR,5", "adyen,500,UGX,500", "adyen,1234,KWD,1234", "adyen,1234,IQD,1234"})
    void an_amount_is_said_in_the_units_of_the_psps_own_page(String name, long minorUnits, String currency, long said) {
        PspUnits psp = units(name);
        var money = new Money(minorUnits, currency);

        assertThat(psp.of(money)).isEqualTo(OptionalLong.of(said));
        assertThat(psp.from(said, currency)).contains(money);
    }

    @ParameterizedTest
    @CsvSource({"stripe,550,MGA", "stripe,1234,KWD", "stripe,1234,IQD", "adyen,550,CVE", "adyen,550,IDR", "adyen,500,MGA", "adyen,500,BIF",
        "bank,100000000000,EUR"})
    void an_amount_without_a_unit_at_the_psp_cannot_be_said(String name, long minorUnits, String currency) {
        assertThat(units(name).of(new Money(minorUnits, currency))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"XXX", "XTS", "XAU", "XDR", "USN", "CHE", "CLF", "UYI", "DEM"})
    void a_currency_that_no_shop_uses_is_accepted_by_no_psp(String currency) {
        assertThat(KnownPsps.BUILT_IN.anyCanSay(new Money(10_000, currency))).isFalse();
    }

    @Test
    void what_a_psp_says_is_read_back_or_not_at_all() {
        assertThat(PspUnits.STRIPE.from(50_050, "ISK")).isEmpty();
        assertThat(PspUnits.ADYEN.from(0, "EUR")).isEmpty();
        assertThat(PspUnits.ADYEN.from(Money.LARGEST, "IDR")).isEmpty();
        assertThat(PspUnits.ADYEN.from(100, "???")).isEmpty();
    }

    @Test
    void every_amount_that_can_be_said_comes_back_as_it_was() {
        for (PspUnits psp : List.of(PspUnits.STRIPE, PspUnits.ADYEN, PspUnits.BANK)) {
            for (Currency currency : Currency.getAvailableCurrencies()) {
                for (long minorUnits : new long[] {120_000, Money.LARGEST - Money.LARGEST % 1000, Money.LARGEST}) {
                    var money = new Money(minorUnits, currency.getCurrencyCode());
                    psp.of(money).ifPresent(said -> assertThat(psp.from(said, money.currency())).contains(money));
                }
            }
        }
    }
}
