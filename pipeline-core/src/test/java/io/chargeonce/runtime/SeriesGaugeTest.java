// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SeriesGaugeTest {

    @Test
    void the_series_are_those_that_were_set_last() {
        try (var meters = Meters.of("test")) {
            var gauge = new SeriesGauge("chargeonce.test.gauge", "a test", meters.registry());
            gauge.set(Map.of(Tags.of("name", "a"), 1, Tags.of("name", "b"), 2));
            gauge.set(Map.of(Tags.of("name", "b"), 3, Tags.of("name", "c"), 4.5));
            assertThat(meters.scrape()).contains("name=\"b\",service=\"test\"} 3.0", "name=\"c\",service=\"test\"} 4.5")
                    .doesNotContain("name=\"a\"");
            gauge.set(Map.of());
            assertThat(meters.scrape()).doesNotContain("chargeonce_test_gauge{");
        }
    }

    @Test
    void no_scrape_meets_a_series_twice_while_it_is_set_again_and_again() throws Exception {
        try (var meters = Meters.of("test")) {
            var gauge = new SeriesGauge("chargeonce.test.gauge", "a test", meters.registry());
            var done = new AtomicBoolean();
            var scrapes = CompletableFuture.supplyAsync(() -> {
                int made = 0;
                while (!done.get()) {
                    meters.scrape();
                    made++;
                }
                return made;
            });
            for (int i = 0; i < 20_000; i++) {
                gauge.set(Map.of(Tags.of("name", "only"), i));
            }
            done.set(true);
            assertThat(scrapes.get()).isPositive();
        }
    }
}
