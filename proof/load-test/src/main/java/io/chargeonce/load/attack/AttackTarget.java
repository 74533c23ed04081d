// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The target of an attack, and the secrets that the attacker has stolen.
 *
 * @param token         of a merchant, in whose name the attacker pays
 * @param other         the token of another merchant, whose payments must stay its own
 * @param webhookSecret Stripe's signing secret, for messages that were heard on the wire
 * @param adminToken    without it, the attack cannot tell whether the admin endpoints ask for one
 * @param logins        roles of Postgres that were stolen, with their passwords
 * @param logs          the services' log files, for lines that a client has written
 * @param patience      the longest that a server may wait for a slow client
 * @param crowd         connections of an attack that holds many
 */
public record AttackTarget(URI ingest, String token, String other, Optional<URI> webhooks, Optional<String> webhookSecret,
        Optional<URI> admin, Optional<String> adminToken, Optional<String> database, Map<String, String> logins, List<Path> logs,
        Duration patience, int crowd) {

    /** @throws IllegalArgumentException if one of them is not on this machine */
    public AttackTarget {
        Stream.of(Optional.of(ingest), webhooks, admin).flatMap(Optional::stream).forEach(address -> requireLoopback(address.getHost()));
        database.ifPresent(url -> requireLoopback(hostOf(url)));
        logins = Map.copyOf(logins);
        logs = List.copyOf(logs);
    }

    private static String hostOf(String jdbc) {
        String rest = jdbc.replaceFirst("^jdbc:postgresql://", "");
        if (rest.equals(jdbc) || rest.split("[/?]", 2)[0].contains(",")
                || rest.matches("(?i).*[?&](socketFactory|host|PGHOST|servi)[^=]*=.*")) {
            throw new IllegalArgumentException(
                    "'%s' is no address that can be judged: write jdbc:postgresql://127.0.0.1:5432/chargeonce, say"
                            .formatted(jdbc.replaceAll("\\?.*", "")));
        }
        return URI.create("x://" + rest.split("\\?")[0]).getHost();
    }

    private static void requireLoopback(String host) {
        try {
            if (host == null || Stream.of(InetAddress.getAllByName(host)).anyMatch(address -> !address.isLoopbackAddress())) {
                throw new IllegalArgumentException(
                        "%s is not this machine, and nothing else is attacked: give an address of 127.0.0.1 or localhost"
                                .formatted(host));
            }
        } catch (IOException unknown) {
            throw new UncheckedIOException("%s can't be found: give an address of 127.0.0.1 or localhost".formatted(host), unknown);
        }
    }
}
