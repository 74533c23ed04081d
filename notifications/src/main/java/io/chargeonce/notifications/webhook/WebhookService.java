// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.notifications.Channel;
import io.chargeonce.notifications.SenderService;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.wire.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;

/**
 * Sends webhooks to merchants: outcomes and disputes become deliveries, endpoints take turns ({@link Lanes}), and a delivery becomes a
 * signed request ({@link Sender}). Wiring only.
 */
public final class WebhookService {

    static final Channel CHANNEL = new Channel("webhook", "webhook_delivery", "delivered", "webhook redeliver");
    private static final Duration LOOK_FOR_DUE = Duration.ofMillis(50);
    private static final int ENDED_AT_ONCE = 1_000;
    private static final Map<String, String> GAUGES = Map.of(
            "overdue.seconds", "How long the oldest due webhook of an endpoint that does not fail has waited",
            "endpoints.failing", "Enabled endpoints whose last try failed",
            "endpoints.disabled", "Endpoints that were disabled after long failure",
            "merchants.tried", "Merchants with an enabled endpoint that was tried in the last six hours",
            "merchants.unreached", "Of these, merchants all of whose endpoints failed at the last try");

    private WebhookService() {}

    /** Starts the service and returns at once; closing the lifecycle ends it. Neither Kafka nor Postgres need answer yet. */
    public static Lifecycle start(WebhookSettings settings, Meters meters) {
        return start(settings, meters, DefaultClientTlsStrategy.createDefault());
    }

    static Lifecycle start(WebhookSettings settings, Meters meters, TlsSocketStrategy tls) {
        var topics = new Topics(settings.pipeline().topicPrefix());
        // The record's key names the operation, or the dispute.
        var told = new SenderService.Source(Set.of(topics.outcomes(), topics.disputes()), topics.webhooksGroup(),
                record -> Optional.ofNullable(record.key()).map(key -> new String(key, StandardCharsets.UTF_8)));
        var times = new SenderService.Times(LOOK_FOR_DUE, settings.timeout(), settings.schedule(), settings.keep());
        return SenderService.<Delivery>start(CHANNEL, settings.pipeline(), meters, told, times, (database, lifecycle) -> {
            var table = new DeliveryTable(database);
            var limits = new Lanes.Limits(settings.slots(), settings.perEndpoint(), settings.timeout());
            var http = lifecycle.start("http client", () -> new HttpPost(new Targets(settings.allowedHosts()), settings.timeout(),
                    limits.triesAtOnce(), tls, InstantSource.system()));
            var sender = new Sender(settings.vault(), http, InstantSource.system());
            return new SenderService.Sending<>(table, new Lanes(table, limits), sender::send,
                    () -> table.disableFailing(settings.disableAfter()).size() + table.endOfDisabled(ENDED_AT_ONCE), "secrets",
                    sender::problem, GAUGES);
        });
    }
}
