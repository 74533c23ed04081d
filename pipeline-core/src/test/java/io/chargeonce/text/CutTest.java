// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CutTest {

    @ParameterizedTest
    @CsvSource({"abc, 3, abc", "abcd, 3, ab…", "😀😀😀, 3, 😀😀😀", "😀😀😀😀, 3, 😀😀…", "'', 3, ''"})
    void a_text_has_at_most_so_many_code_points(String text, int most, String cut) {
        assertThat(Cut.to(most, text)).isEqualTo(cut);
    }

    @ParameterizedTest
    @ValueSource(strings = {"e\u0301", "👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", "각"})
    void a_character_stays_whole_or_goes(String character) {
        for (int most = 3; most < 12; most++) {
            String cut = Cut.to(most, "ab" + character.repeat(20));
            assertThat(cut).matches("ab(\\Q" + character + "\\E)*…");
            assertThat(cut.codePointCount(0, cut.length())).isLessThanOrEqualTo(most);
        }
    }

    @Test
    void a_character_without_end_is_cut_too() {
        assertThat(Cut.to(500, "e" + "\u0301".repeat(600))).hasSize(500);
    }

    @Test
    void emoji_are_counted_once_each() {
        assertThat(Cut.isLonger("😀".repeat(500), 500)).isFalse();
        assertThat(Cut.isLonger("😀".repeat(501), 500)).isTrue();
    }
}
