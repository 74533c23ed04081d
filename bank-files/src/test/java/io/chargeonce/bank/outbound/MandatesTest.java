// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MandatesTest {

    private static final Instant NOW = Instant.parse("2026-11-25T09:45:00Z");
    private static final Instant CLOSES = NOW.plus(Duration.ofMinutes(15));
    private static final Map<String, String> ITEMS = Map.of("key", "no key here opens it");

    @Test
    void a_file_waits_for_a_key_until_shortly_before_its_window_closes() {
        var some = new Mandates.Unreadable(ITEMS, Mandates.Which.SOME);
        assertThat(some.isWorthWaiting(NOW, CLOSES)).isTrue();
        assertThat(some.isWorthWaiting(CLOSES.minus(Duration.ofMinutes(1)), CLOSES)).as("then the others go").isFalse();
        assertThat(some.isWorthWaiting(NOW, Instant.MAX)).as("without cut-offs the others go at once").isFalse();
    }

    @Test
    void what_was_erased_holds_nothing_and_a_file_that_none_can_read_always_waits() {
        assertThat(new Mandates.Unreadable(ITEMS, Mandates.Which.ERASED).isWorthWaiting(NOW, CLOSES)).isFalse();
        assertThat(new Mandates.Unreadable(ITEMS, Mandates.Which.ALL).isWorthWaiting(CLOSES, CLOSES)).isTrue();
    }
}
