// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NumbersTest {

    @Test
    void large_numbers_are_told_in_little_room() {
        assertThat(List.of(Words.brief(9_999), Words.brief(480_123), Words.brief(12_345_678))).containsExactly("9,999", "480k", "12M");
    }
}
