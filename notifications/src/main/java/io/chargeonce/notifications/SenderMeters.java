// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import io.chargeonce.notifications.SendResult.Result;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What the metrics tell about a channel. No receiver and no merchant is a label: there may be any number. Any thread. */
public final class SenderMeters {

    private static final String DEAD = "dead";

    private final MeterRegistry registry;
    private final Channel channel;
    private final Timer tries;
    private volatile Map<String, Double> backlog = Map.of();

    /** @param gauges what this channel shows of its backlog beside how many wait and are dead: names with descriptions */
    public SenderMeters(MeterRegistry registry, Channel channel, Map<String, String> gauges) {
        this.registry = registry;
        this.channel = channel;
        tries = Timer.builder(name("tries")).description("How long tries took").publishPercentileHistogram().register(registry);
        // From the start, so that an alert sees the first one.
        List.of(word(Result.DELIVERED), word(Result.FAILED), word(Result.NOT_SENT), DEAD).forEach(this::results);
        gauge("waiting", "How many wait for their first or next try; at most 100,000 are counted");
        gauge(DEAD, "How many are not tried any more; at most 100,000 are counted");
        gauges.forEach(this::gauge);
    }

    private String name(String what) {
        return "chargeonce." + channel.noun() + "." + what;
    }

    private void gauge(String what, String description) {
        Gauge.builder(name(what), () -> backlog.getOrDefault(what, 0.0)).description(description).register(registry);
    }

    private Counter results(String word) {
        return Counter.builder(name("results")).description("How tries ended").tag("result", word).register(registry);
    }

    private String word(Result result) {
        return switch (result) {
            case DELIVERED -> channel.sent();
            case FAILED, REFUSED -> "failed";
            case NOT_SENT -> "not_sent";
            case OVER -> "over";
        };
    }

    SendResult timed(Supplier<SendResult> send) {
        return tries.record(send);
    }

    /** @param dead whether it was the last try */
    void count(Result result, boolean dead) {
        results(dead ? DEAD : word(result)).increment();
    }

    void show(Map<String, Double> now) {
        backlog = now;
    }
}
