// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

    @Test
    void an_even_number_of_rounds_has_its_median_between_the_middle_two() {
        assertThat(RoundSpread.of(List.of(4.0, 1.0, 2.0, 100.0))).isEqualTo(new RoundSpread(3, 1, 100));
    }

    @Test
    void an_odd_number_of_rounds_has_its_median_in_the_middle() {
        assertThat(RoundSpread.of(List.of(9.0, 1.0, 5.0))).isEqualTo(new RoundSpread(5, 1, 9));
    }
}
