// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.endpoints;

import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.vault.Vault;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is needed to manage endpoints.
 *
 * @param vault        seals their secrets
 * @param allowedHosts that may have any address, in lower case
 */
public record EndpointSettings(Vault vault, Set<String> allowedHosts) {

    public static final String KEY = "CHARGEONCE_DELIVERY_KEY_FILE";

    /** Where endpoints are only managed, the rest of the work is done without it. */
    public static final Setting<Optional<Secret>> KEY_FILE_THAT_SEALS = Setting.secretFile(KEY,
            "File with the keys that seal webhook secrets at rest.").optional();
    public static final Setting<String> ALLOWED_HOSTS = Setting.string("CHARGEONCE_DELIVERY_ALLOWED_HOSTS",
            "Hosts that webhooks may be sent to at any address, separated by commas; those on this machine by http too. All others need "
                    + "https and a public address.")
            .orElse("");
    /** Of those that only manage endpoints. */
    public static final List<Setting<?>> ALL = List.of(KEY_FILE_THAT_SEALS, ALLOWED_HOSTS);

    /** Adds no endpoint, because it could not seal the secret. */
    public static final EndpointSettings WITHOUT_KEY = new EndpointSettings(Vault.WITHOUT_KEY, Set.of());

    public EndpointSettings {
        allowedHosts = Set.copyOf(allowedHosts);
    }

    public static EndpointSettings from(Settings settings) {
        return new EndpointSettings(Vault.ofCommand(KEY_FILE_THAT_SEALS, settings), hosts(settings.get(ALLOWED_HOSTS)));
    }

    /** From a list separated by commas. */
    public static Set<String> hosts(String list) {
        return Arrays.stream(list.split(",")).map(String::strip).filter(host -> !host.isEmpty())
                .map(host -> host.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
    }
}
