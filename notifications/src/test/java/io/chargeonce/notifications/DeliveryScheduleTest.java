// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.notifications.webhook.WebhookSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeliveryScheduleTest {

    private static final List<Duration> USUAL = WebhookSettings.SCHEDULE.parse(WebhookSettings.SCHEDULE.fallback());

    private static Duration sum(double luck) {
        var schedule = new DeliverySchedule(USUAL, () -> luck);
        Duration sum = Duration.ZERO;
        for (int attempt = 1; schedule.after(attempt).isPresent(); attempt++) {
            sum = sum.plus(schedule.after(attempt).get());
        }
        return sum;
    }

    @Test
    void eleven_tries_take_from_two_to_three_days_with_any_luck() {
        assertThat(new DeliverySchedule(USUAL, () -> 0.5).after(10)).isPresent();
        assertThat(new DeliverySchedule(USUAL, () -> 0.5).after(11)).isEmpty();
        assertThat(List.of(sum(0), sum(0.5), sum(1))).allSatisfy(all -> assertThat(all).isBetween(Duration.ofDays(2), Duration.ofDays(3)));
    }

    @Test
    void luck_makes_a_pause_a_tenth_shorter_or_longer() {
        List<Duration> hour = List.of(Duration.ofHours(1));
        assertThat(new DeliverySchedule(hour, () -> 0).after(1)).contains(Duration.ofMinutes(54));
        assertThat(new DeliverySchedule(hour, () -> 0.5).after(1)).contains(Duration.ofHours(1));
        assertThat(new DeliverySchedule(hour, () -> 1).after(1)).contains(Duration.ofMinutes(66));
    }
}
