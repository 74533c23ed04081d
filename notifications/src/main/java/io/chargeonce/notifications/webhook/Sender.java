// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.endpoints.EndpointSecret;
import io.chargeonce.notifications.SendResult;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.vault.Opened;
import io.chargeonce.vault.Vault;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Signs a delivery and sends it, once. Any thread. */
final class Sender {

    private static final int MOST_REMEMBERED = 10_000;

    private final Vault vault;
    private final HttpPost http;
    private final InstantSource clock;
    /** Opening a secret costs more than a signature. */
    private final Map<ByteBuffer, String> opened = new ConcurrentHashMap<>();
    private final UnreadableSecrets unreadable;

    Sender(Vault vault, HttpPost http, InstantSource clock) {
        this.vault = vault;
        this.http = http;
        this.clock = clock;
        this.unreadable = new UnreadableSecrets(clock);
    }

    /** A secret that cannot be opened leaves the others to sign. */
    SendResult send(Delivery delivery) {
        List<Optional<String>> secrets = delivery.sealedSecrets().stream().map(sealed -> open(delivery.endpoint(), sealed)).toList();
        if (secrets.stream().allMatch(Optional::isEmpty)) {
            return SendResult.of(Result.NOT_SENT, "secret_unreadable");
        }
        if (secrets.stream().allMatch(Optional::isPresent)) {
            unreadable.opened(delivery.endpoint());
        }
        long timestamp = clock.instant().getEpochSecond();
        var headers = new LinkedHashMap<String, String>();
        headers.put("webhook-id", delivery.id());
        headers.put("webhook-timestamp", "" + timestamp);
        headers.put("webhook-signature", Signatures.of(secrets.stream().flatMap(Optional::stream).toList(),
                delivery.id(), timestamp, delivery.body()));
        return http.post(delivery.url(), headers, delivery.body());
    }

    private Optional<String> open(String endpoint, byte[] sealed) {
        var key = ByteBuffer.wrap(sealed);
        String known = opened.get(key);
        if (known != null) {
            return Optional.of(known);
        }
        return switch (vault.open(EndpointSecret.placeOf(endpoint), sealed)) {
            case Opened.Readable readable -> {
                if (opened.size() >= MOST_REMEMBERED) {
                    opened.clear();
                }
                String secret = new String(readable.bytes(), StandardCharsets.UTF_8);
                opened.put(key, secret);
                yield Optional.of(secret);
            }
            case Opened.Closed closed -> {
                unreadable.add(endpoint, closed.why());
                yield Optional.empty();
            }
        };
    }

    /** Why it cannot sign, in one line; empty if it can. */
    Optional<String> problem() {
        return unreadable.problem();
    }
}
