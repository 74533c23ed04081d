// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Currency;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PspUnitsTest {

    /** According to the vendors' pages: one króna is 100 at both, one ariary is 1 at Stripe, a dinar's last fil is 0 at Stripe. */
    @ParameterizedTest
    @CsvSource({"STRIPE,1299,EUR,1299", "STRIPE,500,ISK,50000", "STRIPE,500,UGX,50000", "STRIPE,500,MGA,5", "STRIPE,500,JPY,500",
        "STRIPE,500,CLP,500", "STRIPE,1230,KWD,1230", "STRIPE,1299,HUF,1299", "STRIPE,500,CVE,500", "ADYEN,500,ISK,50000",
        "ADYEN,500,CLP,50000", "ADYEN,500,CVE,5", "ADYEN,500,IDR,5", "ADYEN,500,UGX,500", "ADYEN,1234,KWD,1234", "ADYEN,1234,IQD,1234"})
    void an_amount_is_said_in_the_units_of_the_psps_own_page(PspUnits psp, long minorUnits, String currency, long said) {
        var money = new Money(minorUnits, currency);

        assertThat(psp.of(money)).isEqualTo(OptionalLong.of(said));
        assertThat(psp.from(said, currency)).contains(money);
    }

    @ParameterizedTest
    @CsvSource({"STRIPE,550,MGA", "STRIPE,1234,KWD", "STRIPE,1234,IQD", "ADYEN,550,CVE", "ADYEN,550,IDR", "ADYEN,500,MGA", "ADYEN,500,BIF",
        "BANK,100000000000,EUR"})
    void an_amount_without_a_unit_at_the_psp_cannot_be_said(PspUnits psp, long minorUnits, String currency) {
        assertThat(psp.of(new Money(minorUnits, currency))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"XXX", "XTS", "XAU", "XDR", "USN", "CHE", "CLF", "UYI", "DEM"})
    void a_currency_that_no_shop_uses_is_accepted_by_no_psp(String currency) {
        assertThat(PspUnits.anyCanSay(new Money(10_000, currency))).isFalse();
    }

    @Test
    void what_a_psp_says_is_read_back_or_not_at_all() {
        assertThat(PspUnits.STRIPE.from(50_050, "ISK")).isEmpty();
        assertThat(PspUnits.ADYEN.from(0, "EUR")).isEmpty();
        assertThat(PspUnits.ADYEN.from(Money.LARGEST, "IDR")).isEmpty();
        assertThat(PspUnits.ADYEN.from(100, "???")).isEmpty();
        assertThat(PspUnits.named("adyen")).contains(PspUnits.ADYEN);
        assertThat(PspUnits.named("stripe-uk")).contains(PspUnits.STRIPE);
        assertThat(PspUnits.named("paper")).isEmpty();
    }

    @Test
    void every_amount_that_can_be_said_comes_back_as_it_was() {
        for (PspUnits psp : PspUnits.values()) {
            for (Currency currency : Currency.getAvailableCurrencies()) {
                for (long minorUnits : new long[] {120_000, Money.LARGEST - Money.LARGEST % 1000, Money.LARGEST}) {
                    var money = new Money(minorUnits, currency.getCurrencyCode());
                    psp.of(money).ifPresent(said -> assertThat(psp.from(said, money.currency())).contains(money));
                }
            }
        }
    }
}
