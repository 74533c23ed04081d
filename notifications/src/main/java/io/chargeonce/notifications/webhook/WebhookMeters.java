// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.notifications.webhook.DeliveryTable.Backlog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the metrics tell about webhooks. No endpoint and no merchant is a label: there may be any number. */
final class WebhookMeters {

    private final Timer tries;
    private final Map<String, Counter> byResult;
    private volatile Backlog backlog = Backlog.EMPTY;

    WebhookMeters(MeterRegistry registry) {
        tries = Timer.builder("chargeonce.webhook.tries").description("How long a try of a webhook took").publishPercentileHistogram()
                .register(registry);
        byResult = Stream.of("delivered", "failed", "dead", "not_sent").collect(Collectors.toMap(result -> result,
                result -> Counter.builder("chargeonce.webhook.results").description("How tries of webhooks ended").tag("result", result)
                        .register(registry)));
        gauge(registry, "waiting", "Webhooks that wait for their first or next try; at most 100,000 are counted", Backlog::waiting);
        gauge(registry, "dead", "Webhooks that are not tried any more; at most 100,000 are counted", Backlog::dead);
        gauge(registry, "overdue.seconds", "How long the oldest due webhook of an endpoint that does not fail has waited",
                Backlog::overdueSeconds);
        gauge(registry, "endpoints.failing", "Enabled endpoints whose last try failed", Backlog::failingEndpoints);
        gauge(registry, "endpoints.disabled", "Endpoints that were disabled after long failure", Backlog::disabledEndpoints);
        gauge(registry, "merchants.tried", "Merchants with an enabled endpoint that was tried in the last six hours",
                Backlog::triedMerchants);
        gauge(registry, "merchants.unreached", "Of these, merchants all of whose endpoints failed at the last try",
                Backlog::unreachedMerchants);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<Backlog> value) {
        Gauge.builder("chargeonce.webhook." + name, this, meters -> value.applyAsDouble(meters.backlog)).description(description)
                .register(registry);
    }

    Answer timed(Supplier<Answer> send) {
        return tries.record(send);
    }

    void count(DeliveryTable.Tried tried) {
        byResult.get(tried.state().equals("dead") ? "dead" : switch (tried.answer()) {
            case Answer.Delivered delivered -> "delivered";
            case Answer.Failed failed -> "failed";
            case Answer.NotSent notSent -> "not_sent";
        }).increment();
    }

    void show(Backlog now) {
        backlog = now;
    }
}
