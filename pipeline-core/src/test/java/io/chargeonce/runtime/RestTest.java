// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RestTest {

    @Test
    void the_longer_a_look_takes_the_rarer_it_is() {
        assertThat(Rest.after(Duration.ofMillis(3))).isEqualTo(Duration.ofSeconds(1));
        assertThat(Rest.after(Duration.ofMillis(400))).isEqualTo(Duration.ofSeconds(8));
        assertThat(Rest.after(Duration.ofSeconds(20))).isEqualTo(Duration.ofMinutes(1));
    }
}
