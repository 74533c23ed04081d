// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LogBudgetTest {

    private Instant now = Instant.EPOCH;
    private final LogBudget lines = new LogBudget(Duration.ofMinutes(1), () -> now);

    @Test
    void of_each_kind_one_line_comes_in_each_interval_and_says_how_many_were_left_out() {
        assertThat(lines.take("stripe")).contains("");
        assertThat(lines.take("stripe")).isEmpty();
        assertThat(lines.take("adyen")).contains("");
        assertThat(lines.take("stripe")).isEmpty();

        now = now.plusSeconds(60);

        assertThat(lines.take("stripe")).contains("; 2 more since the last of these lines");
        assertThat(lines.take("adyen")).contains("");
    }
}
