// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A gauge with one series for each set of labels. A series that stays is changed in place: to remove it and register it again would let a
 * scrape meet it twice, and such a scrape fails. One thread sets it, any thread scrapes.
 */
public final class SeriesGauge {

    private final MultiGauge gauge;
    private final Map<Tags, Number> now = new ConcurrentHashMap<>();

    public SeriesGauge(String name, String description, MeterRegistry meters) {
        this.gauge = MultiGauge.builder(name).description(description).register(meters);
    }

    /** These series and no others. */
    public void set(Map<Tags, ? extends Number> series) {
        now.putAll(series);
        gauge.register(series.keySet().stream().map(tags -> Row.of(tags, now, all -> all.getOrDefault(tags, 0).doubleValue())).toList(),
                false);
        now.keySet().retainAll(series.keySet());
    }
}
