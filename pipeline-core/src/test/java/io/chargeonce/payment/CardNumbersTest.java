// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.Normalizer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CardNumbersTest {

    private static final String VISA = "4111111111111111";

    @ParameterizedTest
    @ValueSource(strings = {VISA, "4000000000000000006", "5555555555554444", "2223003122003222", "378282246310005", "6011111111111117",
        "30569309025904", "38520000023237", "2200123456789019", "5041123456789015", "5066991111111118", "5085123456789012",
        "6062828888666688", "6082123456789013", "6362970000457013", "9792030394440796",
        "36227206271667", "3056930009020004", "3566002020360505", "6200000000000005",
        "6205500000000000004", "8171999927660000", "6759649826438453", "6703444444444449", "6304000000000000000", "5018000000000009"})
    void a_number_of_every_brand_is_found(String number) {
        assertThat(CardNumbers.isIn(number)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "-", ".", "/", "_", ",", ":", "|", "*", "+", ")(", " - ", "      ", "\t", "\\n", "\u00a0",
        "\u2007", "\u2009", "\u202f", "\u3000", "\u2010", "\u2011", "\u2013", "\u2014", "\u2212", "\uff0d", "\u00b7", "\u2044", "\u200b",
        "&nbsp;", "&#160;", "&#xa0;", "&ndash;", "%20", "%2D", "%C2%A0",
        "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u034f", "\ufe0f\u20e3", "\u3164", "\u0000"})
    void a_separator_of_any_kind_between_groups_of_any_size_hides_nothing(String separator) {
        for (int size : new int[] {1, 2, 3, 4, 6, 8, 12}) {
            String written = String.join(separator, VISA.split("(?<=\\G.{" + size + "})"));
            assertThat(CardNumbers.isIn(written)).as(written).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"3782 822463 10005", "3782-8224-6310-005", "37-82-82-24-63-10-00-5", "3056 930902 5904",
        "6205 5000 0000 0000 004", "4111-1111 1111.1111", "4111\u200b1111 1111\u20131111", "41111 11111 111111", "\\u0034111111111111111",
        "&#52;111111111111111", "5%4111 1111 1111 1111",
        "%4111111111111111", "%2223003122003222", "R&D 4111111111111111", "&4111111111111111;", "&#4111111111111111;"})
    void other_groups_and_mixed_separators_hide_nothing(String text) {
        assertThat(CardNumbers.isIn(text)).isTrue();
    }

    /** Full width, Arabic, Persian, Devanagari, bold, superscript, circled. */
    @ParameterizedTest
    @ValueSource(strings = {"\uff14,\uff11", "\u0664,\u0661", "\u06f4,\u06f1", "\u096a,\u0967", "\ud835\udfd2,\ud835\udfcf",
        "\u2074,\u00b9", "\u2463,\u2460"})
    void digits_of_any_script_hide_nothing(String fourAndOne) {
        String[] digits = fourAndOne.split(",");
        assertThat(CardNumbers.isIn(digits[0] + digits[1].repeat(15))).isTrue();
        assertThat(CardNumbers.isIn(digits[0] + "111 1111 " + digits[1].repeat(4) + " 1111")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"41111111111111111230", "41111111111111111230123", "4111111111111111122030123", "3782822463100051230" + "1234",
        "4111 1111 1111 11111230123", "42-42-42-42-42-42-42-42-12-30-123", VISA + " 12/30 123", VISA + "=30121011234567",
        "%B" + VISA + "^DOE/JANE^3012101", "visa" + VISA + "exp1230cvc123", "x" + VISA + "y", "cc" + VISA, "pm_" + VISA, "#" + VISA,
        "order 17: " + VISA, "17 4111 1111 1111 1111 12", "17: 41-11-11-11-11-11-11-11", "5-" + VISA, VISA + "@example.com",
        "card=" + VISA + "&cvc=123", "550e8400-e29b-41d4-a716-446655440000-" + VISA, VISA + ",5555555555554444", "1795309920919 " + VISA,
        "card no. " + VISA + ", Jane Doe", "cc4111111111000231", "mc4111111111000066",
        "vi4111111111003037", "no4111111111003136"})
    void what_stands_beside_it_hides_nothing(String text) {
        assertThat(CardNumbers.isIn(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "order-1001", "order-1795309920919", "1795309920919", "1795309920919123", "1795309920919123456",
        "inv-1795309920-4242", "4111111111111112", "411111111111", "41111111111111111111", "4222222222222", "4006381333931",
        "490154203237518", "8944501234567890123", "0000000000000000", "1000000000000008", "2026112218115100", "9999999999999995",
        "order-2026-000000003", "17-2026-000000123", "404-1234567-1234567", "INV/2026/11/000042", "ORD-4711-0815", "1Z999AA10123456784",
        "JD014600003828392837", "20261122181151", "2026-11-22T18:11:51.123Z", "2026-11-22 18:11:51.123456", "30.11.2026 10:00:00",
        "+49 30 12345678", "+1 (415) 555-2671", "0049 151 23456789", "192.168.100.200:8080", "2001:0db8:0000:0000:0000:ff00:0042:8329",
        "4.50, 12.00, 3.99, 5.25, 9.10", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "3.14159265358979", "52.520008, 13.404954",
        "customer 42424242 order 42424242", "4242 mugs, 4242 cups, 4242 bowls, 4242 jars", "jane.doe.1979@example.com",
        "\u4e8c\u3064\u306e\u30de\u30b0\u30ab\u30c3\u30d7", "\ud83d\ude00 two mugs"})
    void numbers_that_no_card_has_are_left_alone(String text) {
        assertThat(CardNumbers.isIn(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"550e8400-e29b-41d4-a716-446655440000", "c4111111-1111-1111-1abc-0123456789ab",
        "order-c4111111-1111-1111-1abc-0123456789ab", "deadbeef" + VISA + "cafe0123", "traceparent 00-deadbeef" + VISA + "cafe0123-01",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV", "V1StGXR8_Z5jdHi6B-myT", "pi_3MtwBwLkdIwHu7ix28a3tqPa", "DK4485945266985722", "FI5579017363016993",
        "BE36351751750709", "AT673204686777522115", "DE15400181887220201167", "DE15 4001 8188 7220 2011 67 from Jane",
        "pay to dk4485945266985722, please", "RF4754707983531245"})
    void digits_within_a_longer_name_that_fit_a_card_by_chance_are_left_alone(String text) {
        assertThat(CardNumbers.isIn(text)).isFalse();
    }

    /** NFKC is the form that other systems convert a text to before they read it. */
    @Test
    void every_character_that_normalises_to_a_digit_counts_as_one() {
        Stream<String> missed = IntStream.rangeClosed(0, Character.MAX_CODE_POINT).filter(Character::isDefined)
                .mapToObj(Character::toString).filter(c -> Normalizer.normalize(c, Normalizer.Form.NFKC).equals("1"))
                .filter(c -> !CardNumbers.isIn("4" + c.repeat(15)));
        assertThat(missed).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"a 4111111111111111, 5555 5555 5555 4444. | 4111111111111111;5555 5555 5555 4444",
        "41111111111111111230123 and 12 | 41111111111111111230123", "x\\u0034111111111111111x | \\u0034111111111111111"})
    void each_is_found_where_it_stands(String text, String expected) {
        assertThat(CardNumbers.in(text)).extracting(place -> text.substring(place.from(), place.to())).containsExactly(expected.split(";"));
    }

    @Test
    void the_largest_texts_are_searched_without_trouble() {
        for (String part : new String[] {"1 ", "4 ", "4", "4111 ", "a4", "\\", "\\u", "\\u0034", "\u0664", "DE42 ", VISA, VISA + "a"}) {
            assertThat(CardNumbers.in(part.repeat(1_000_000 / part.length()))).size().isNotNegative();
        }
    }
}
