// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.vault.Vault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The settings of the webhooks service. Immutable.
 *
 * @param vault        opens the endpoints' secrets
 * @param allowedHosts may have any address
 * @param schedule     the pauses between the tries of a delivery
 * @param timeout      of one try, in all
 * @param slots        how many tries may be under way at once
 * @param disableAfter how long every try must have failed until an endpoint is disabled
 */
public record WebhookSettings(PipelineSettings pipeline, Vault vault, Set<String> allowedHosts, List<Duration> schedule, Duration timeout,
        int slots, int perEndpoint, Duration disableAfter, Duration keep) {

    public static final Setting<Optional<Secret>> KEY_FILE = Setting.secretFile(EndpointSettings.KEY,
            "File with the keys that seal webhook secrets at rest; chargeonce data-key makes it. The webhooks service gets the private "
                    + "keys, ingest and the webhook commands the .public file.")
            .optionalIfExposed("is missing, so webhook secrets would be stored unencrypted; make a file with 'chargeonce data-key FILE'");
    public static final Setting<List<Duration>> SCHEDULE = Setting.durations("CHARGEONCE_DELIVERY_SCHEDULE",
            "The pauses between the tries of a webhook, each up to 10 % shorter or longer; then it is dead.")
            .orElse("5s,1m,5m,30m,2h,5h,10h,14h,16h,17h");
    public static final Setting<Duration> TIMEOUT = Setting.duration("CHARGEONCE_DELIVERY_TIMEOUT",
            "How long one try of a webhook may take in all.").between("100ms", "1m").orElse("15s");
    public static final Setting<Integer> SLOTS = Setting.integer("CHARGEONCE_DELIVERY_SLOTS",
            "How many webhooks one process sends at once. Endpoints that fail or answer late share a quarter of them.").between("4", "2000")
            .orElse("128");
    public static final Setting<Integer> PER_ENDPOINT = Setting.integer("CHARGEONCE_DELIVERY_PER_ENDPOINT",
            "How many webhooks one process sends to one endpoint at once.").between("1", "500").orElse("8");
    public static final Setting<Duration> DISABLE_AFTER = Setting.duration("CHARGEONCE_DELIVERY_DISABLE_AFTER",
            "An endpoint whose tries have all failed for so long is disabled.").between("1h", "60d").orElse("5d");
    public static final Setting<Duration> KEEP = Setting.duration("CHARGEONCE_DELIVERY_KEEP",
            "How long ended deliveries stay listed and can be sent again.").between("20d", "400d").orElse("30d");

    private static final List<Setting<?>> OWN =
            List.of(EndpointSettings.ALLOWED_HOSTS, SCHEDULE, TIMEOUT, SLOTS, PER_ENDPOINT, DISABLE_AFTER, KEEP);
    public static final List<Setting<?>> ALL =
            Stream.of(PipelineSettings.OF_SERVICE, List.of(KEY_FILE), OWN).<Setting<?>>flatMap(List::stream).toList();

    public WebhookSettings {
        allowedHosts = Set.copyOf(allowedHosts);
        schedule = List.copyOf(schedule);
    }

    /** The usual pace, without a host that may have any address. */
    public WebhookSettings(PipelineSettings pipeline, Vault vault) {
        this(pipeline, vault, Set.of(), SCHEDULE.parse(SCHEDULE.fallback()), Duration.ofSeconds(15), 128, 8, Duration.ofDays(5),
                Duration.ofDays(30));
    }

    public WebhookSettings withAllowedHosts(Set<String> hosts) {
        return new WebhookSettings(pipeline, vault, hosts, schedule, timeout, slots, perEndpoint, disableAfter, keep);
    }

    public WebhookSettings withPace(List<Duration> pauses, Duration ofATry, int atOnce, int toOne) {
        return new WebhookSettings(pipeline, vault, allowedHosts, pauses, ofATry, atOnce, toOne, disableAfter, keep);
    }

    public static WebhookSettings from(Settings settings) {
        return new WebhookSettings(PipelineSettings.from(settings), Vault.of(KEY_FILE, settings),
                EndpointSettings.hosts(settings.get(EndpointSettings.ALLOWED_HOSTS)),
                settings.get(SCHEDULE), settings.get(TIMEOUT), settings.get(SLOTS), settings.get(PER_ENDPOINT),
                settings.get(DISABLE_AFTER), settings.get(KEEP));
    }

    /** Leaves out what is secret. */
    @Override
    public String toString() {
        return "WebhookSettings[%s, tries after %s]".formatted(pipeline, schedule);
    }
}
