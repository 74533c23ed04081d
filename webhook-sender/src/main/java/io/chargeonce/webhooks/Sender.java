// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import io.chargeonce.endpoints.EndpointSecret;
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
    private volatile Optional<String> trouble = Optional.empty();

    Sender(Vault vault, HttpPost http, InstantSource clock) {
        this.vault = vault;
        this.http = http;
        this.clock = clock;
    }

    Answer send(Delivery delivery) {
        List<Optional<String>> secrets = delivery.sealedSecrets().stream().map(sealed -> open(delivery.endpoint(), sealed)).toList();
        if (secrets.isEmpty() || secrets.stream().anyMatch(Optional::isEmpty)) {
            return new Answer.NotSent("secret_unreadable");
        }
        trouble = Optional.empty();
        long timestamp = clock.instant().getEpochSecond();
        var headers = new LinkedHashMap<String, String>();
        headers.put("webhook-id", delivery.webhookId());
        headers.put("webhook-timestamp", "" + timestamp);
        headers.put("webhook-signature", Signatures.of(secrets.stream().flatMap(Optional::stream).toList(),
                delivery.webhookId(), timestamp, delivery.body()));
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
                trouble = Optional.of("the secret of endpoint %s cannot be opened: %s".formatted(endpoint, closed.why()));
                yield Optional.empty();
            }
        };
    }

    /** Why it cannot sign, in one line; empty if it can. */
    Optional<String> problem() {
        return trouble;
    }
}
