// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.notifications.SendResult.Result;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SenderMetersTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final SenderMeters meters = new SenderMeters(registry, new Channel("letter", "letter", "sent", "letter resend"), Map.of());

    private double results(String word) {
        return registry.get("chargeonce.letter.results").tag("result", word).counter().count();
    }

    @Test
    void each_try_is_one_result_and_a_last_one_is_dead_and_not_failed_too() {
        meters.count(Result.FAILED, false);
        meters.count(Result.FAILED, true);
        meters.count(Result.REFUSED, true);
        assertThat(results("failed")).isOne();
        assertThat(results("dead")).isEqualTo(2);
    }

    @Test
    void what_has_not_happened_yet_is_there_as_none() {
        assertThat(results("sent") + results("not_sent")).isZero();
        assertThat(registry.get("chargeonce.letter.waiting").gauge().value()).isZero();
    }
}
