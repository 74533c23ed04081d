// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LatenciesTest {

    @Test
    void a_percentile_is_a_duration_that_was_measured() {
        var latencies = new Latencies();
        for (int millis = 1; millis <= 10_000; millis++) {
            latencies.add(millis * 1_000_000L);
        }
        assertThat(latencies.millisAt(50)).isEqualTo(5_000);
        assertThat(latencies.millisAt(99)).isEqualTo(9_900);
        assertThat(latencies.millisAt(100)).isEqualTo(10_000);
    }

    @Test
    void nothing_measured_has_no_percentile() {
        var none = new Latencies();
        assertThatThrownBy(() -> none.millisAt(99)).isInstanceOf(IllegalStateException.class);
    }
}
