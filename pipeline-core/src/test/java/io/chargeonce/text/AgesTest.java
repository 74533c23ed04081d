// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgesTest {

    @Test
    void ages_are_written_and_read_in_one_unit() {
        assertThat(Ages.brief(Duration.ofSeconds(59))).isEqualTo("59s");
        assertThat(Ages.brief(Duration.ofSeconds(179))).isEqualTo("2m");
        assertThat(Ages.brief(Duration.ofHours(23))).isEqualTo("23h");
        assertThat(Ages.brief(Duration.ofDays(400))).isEqualTo("400d");
        assertThat(Ages.parse("90m")).contains(Duration.ofMinutes(90));
        assertThat(Ages.parse("2d")).contains(Duration.ofDays(2));
        assertThat(List.of("", "0s", "1w", "-1s", "1.5h", "1 h", "9999999s")).allSatisfy(text -> assertThat(Ages.parse(text)).isEmpty());
    }
}
