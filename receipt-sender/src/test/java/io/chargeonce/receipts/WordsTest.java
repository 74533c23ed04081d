// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.receipts;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UProperty;
import io.chargeonce.text.Printable;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WordsTest {

    private static Receipt.Content content(Receipt.Kind kind, String merchant) {
        return new Receipt.Content("jane@example.com", kind, "pay_1", 1299, "EUR", Optional.empty(), Optional.empty(),
                Instant.parse("2026-11-23T23:30:00Z"), merchant, Optional.empty(), Optional.empty());
    }

    /** A space stands for the ones that do not break a line. */
    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = {"1299 | EUR | de-DE | 12,99 €", "1299 | EUR | en | €12.99", "129900 | EUR | de-DE | 1.299,00 €",
                "1299 | JPY | en | ¥1,299", "1299 | JPY | ja-JP | ￥1,299", "1299 | JPY | de-DE | 1.299 ¥", "1299 | KWD | en | KWD 1.299",
                "1 | KWD | de-DE | 0,001 KWD", "1299 | USD | en-US | $12.99", "1299 | CHF | de-CH | CHF 12.99",
                "1299 | ISK | en | ISK 1,299",
                "1299 | GBP | fr-FR | 12,99 £GB", "999999999999 | EUR | en | €9,999,999,999.99", "1 | BHD | en | BHD 0.001",
                "5 | XAF | fr-FR | 5 FCFA"})
    void an_amount_has_its_currencys_digits_and_its_readers_signs(long amount, String currency, String locale, String shown) {
        assertThat(Words.amount(amount, currency, Locale.forLanguageTag(locale)).replaceAll("[\\u00a0\\u202f]", " ")).isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"en, Your receipt from Acme", "de, Ihr Beleg von Acme", "de-AT, Ihr Beleg von Acme", "fr, Votre reçu de Acme",
        "es-MX, Su recibo de Acme", "pl, Your receipt from Acme"})
    void the_words_are_in_the_readers_language_or_else_english_whatever_the_machines_language(String locale, String subject) {
        Locale machines = Locale.getDefault();
        Locale.setDefault(Locale.FRANCE);
        try {
            assertThat(Words.of(content(Receipt.Kind.CHARGE, "Acme"), Locale.forLanguageTag(locale), ZoneOffset.UTC).subject())
                    .isEqualTo(subject);
        } finally {
            Locale.setDefault(machines);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "de", "fr", "es"})
    void a_merchants_name_is_put_in_and_never_filled_itself(String language) {
        String name = "Save {amount} {merchant} $1 \\E Club";
        var words = Words.of(content(Receipt.Kind.CHARGE, name), Locale.forLanguageTag(language), ZoneOffset.UTC);

        assertThat(List.of(words.subject(), words.heading(), words.footer())).allSatisfy(text -> assertThat(text).contains(name));
        assertThat(words.heading().replace(name, "")).contains("12").doesNotContain("{");
    }

    /** ICU knows them from Unicode's tables. */
    @Test
    void no_character_that_turns_text_around_stays_in_a_mail_or_on_a_screen() {
        List<String> turns = IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
                .filter(c -> UCharacter.hasBinaryProperty(c, UProperty.BIDI_CONTROL)).mapToObj(Character::toString).toList();
        assertThat(turns).hasSize(12).allSatisfy(mark -> {
            assertThat(Words.oneLine("a" + mark + "b")).isEqualTo("a b");
            assertThat(Printable.of(mark)).startsWith("\\u{");
            assertThat(mark).matches("[" + Printable.TURNS + "]");
        });
    }

    @Test
    void the_date_is_that_of_the_given_zone() {
        var content = content(Receipt.Kind.REFUND, "Acme");
        assertThat(Words.of(content, Locale.ENGLISH, ZoneOffset.UTC).text()).contains("November 23, 2026");
        assertThat(Words.of(content, Locale.ENGLISH, ZoneId.of("Europe/Berlin")).text()).contains("November 24, 2026", "Europe/Berlin");
    }

    @Test
    void a_merchants_name_stays_on_one_line() {
        var words = Words.of(content(Receipt.Kind.CHARGE, "Acme\r\nBcc: eve@example.com\u0000"), Locale.ENGLISH, ZoneOffset.UTC);
        assertThat(words.subject()).isEqualTo("Your receipt from Acme Bcc: eve@example.com");
        assertThat(Words.oneLine("x".repeat(600))).hasSize(500);
    }
}
