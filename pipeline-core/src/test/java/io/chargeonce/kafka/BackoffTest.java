// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));

    @Test
    void pauses_double_up_to_the_longest_and_stay_there() {
        assertThat(backoff.after(1)).isEqualTo(Duration.ofMillis(100));
        assertThat(backoff.after(2)).isEqualTo(Duration.ofMillis(200));
        assertThat(backoff.after(6)).isEqualTo(Duration.ofMillis(3_200));
        assertThat(backoff.after(7)).isEqualTo(Duration.ofSeconds(5));
        assertThat(backoff.after(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(5));
    }
}
