// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

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

class ReceiptWordsTest {

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
        assertThat(ReceiptWords.amount(amount, currency, Locale.forLanguageTag(locale)).replaceAll("[\\u00a0\\u202f]", " "))
                .isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource({"en, Your receipt from Acme", "de, Ihr Beleg von Acme", "de-AT, Ihr Beleg von Acme", "fr, Votre reçu de Acme",
        "es-MX, Su recibo de Acme", "pl, Your receipt from Acme"})
    void the_words_are_in_the_readers_language_or_else_english_whatever_the_machines_language(String locale, String subject) {
        Locale machines = Locale.getDefault();
        Locale.setDefault(Locale.FRANCE);
        try {
            assertThat(ReceiptWords.of(content(Receipt.Kind.CHARGE, "Acme"), Locale.forLanguageTag(locale), ZoneOffset.UTC).subject())
                    .isEqualTo(subject);
        } finally {
            Locale.setDefault(machines);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "de", "fr", "es"})
    void a_merchants_name_is_put_in_and_never_filled_itself(String language) {
        String name = "Save {amount} {merchant} $1 \\E Club";
        var words = ReceiptWords.of(content(Receipt.Kind.CHARGE, name), Locale.forLanguageTag(language), ZoneOffset.UTC);

        assertThat(List.of(words.subject(), words.heading(), words.footer())).allSatisfy(text -> assertThat(text).contains(name));
        assertThat(words.heading().replace(name, "")).contains("12").doesNotContain("{");
    }

    /** ICU knows them from Unicode's tables. */
    @Test
    void no_character_that_turns_text_around_stays_in_a_mail_or_on_a_screen() {
        List<String> turns = IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
                .filter(c -> UCharacter.hasBinaryProperty(c, UProperty.BIDI_CONTROL)).mapToObj(Character::toString).toList();
        assertThat(turns).hasSize(12).allSatisfy(mark -> {
            assertThat(ReceiptWords.oneLine("a" + mark + "b")).isEqualTo("a b");
            assertThat(Printable.of(mark)).startsWith("\\u{");
            assertThat(mark).matches("[" + Printable.TURNS + "]");
        });
    }

    @Test
    void the_date_is_that_of_the_given_zone() {
        var content = content(Receipt.Kind.REFUND, "Acme");
        assertThat(ReceiptWords.of(content, Locale.ENGLISH, ZoneOffset.UTC).text()).contains("November 23, 2026");
        assertThat(ReceiptWords.of(content, Locale.ENGLISH, ZoneId.of("Europe/Berlin")).text()).contains("November 24, 2026", "AM CET");
    }

    private static String dated(String at, String language, String zone) {
        var content = new Receipt.Content("jane@example.com", Receipt.Kind.CHARGE, "pay_1", 1299, "EUR", Optional.empty(), Optional.empty(),
                Instant.parse(at), "Acme", Optional.empty(), Optional.empty());
        return ReceiptWords.of(content, Locale.forLanguageTag(language), ZoneId.of(zone)).lines().get(1).value().replaceAll(
                "[\\u00a0\\u202f]",
                " ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = {"2026-10-25T00:30:00Z | en | Europe/Berlin | 2:30 AM CEST", "2026-10-25T01:30:00Z | en | Europe/Berlin | 2:30 AM CET",
                "2026-10-25T00:30:00Z | de | Europe/Berlin | 02:30 MESZ", "2026-10-25T01:30:00Z | de | Europe/Berlin | 02:30 MEZ",
                "2026-11-01T05:30:00Z | de | America/New_York | 01:30 EDT", "2026-11-01T06:30:00Z | de | America/New_York | 01:30 EST",
                "2026-07-01T12:00:00Z | fr | America/New_York | 08:00 EDT", "2026-07-01T12:00:00Z | en | UTC | 12:00 PM UTC"})
    void a_time_says_which_of_its_zones_clocks_it_is_by(String at, String language, String zone, String shown) {
        assertThat(dated(at, language, zone)).endsWith(shown);
    }

    /** In the four languages that receipts have. */
    @ParameterizedTest
    @ValueSource(strings = {"en", "de", "fr", "es"})
    void the_two_halves_of_a_repeated_hour_never_read_alike_wherever_the_customer_is(String language) {
        for (String zone : ZoneId.getAvailableZoneIds()) {
            for (var change = ZoneId.of(zone).getRules().nextTransition(Instant.parse("2026-01-01T00:00:00Z")); change != null
                    && change.getInstant().isBefore(Instant.parse("2028-01-01T00:00:00Z")); change =
                            ZoneId.of(zone).getRules().nextTransition(change.getInstant())) {
                Instant once = change.getInstant().plus(change.getDuration()).plusSeconds(60);
                Instant again = change.getInstant().plusSeconds(60);
                if (change.isOverlap()) {
                    assertThat(dated("" + once, language, zone)).as("%s, %s", zone, change).isNotEqualTo(dated("" + again, language, zone));
                }
            }
        }
    }

    @Test
    void a_merchants_name_stays_on_one_line() {
        var words = ReceiptWords.of(content(Receipt.Kind.CHARGE, "Acme\r\nBcc: eve@example.com\u0000"), Locale.ENGLISH, ZoneOffset.UTC);
        assertThat(words.subject()).isEqualTo("Your receipt from Acme Bcc: eve@example.com");
        assertThat(ReceiptWords.oneLine("x".repeat(600))).hasSize(500);
    }
}
