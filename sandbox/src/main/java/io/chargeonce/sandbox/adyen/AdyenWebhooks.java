// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.PspLedger;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Delivers standard notifications in order, each until it is taken (any 2xx), as Adyen does; a receiver may see one twice.
 * One thread.
 */
final class AdyenWebhooks {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final AdyenSettings.Webhook webhook;
    private final AdyenObjects objects;
    private final PspLedger<AdyenChange, AdyenReply> ledger;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

    AdyenWebhooks(AdyenSettings.Webhook webhook, AdyenObjects objects, PspLedger<AdyenChange, AdyenReply> ledger) {
        this.webhook = webhook;
        this.objects = objects;
        this.ledger = ledger;
    }

    /** Stops at the first that is not taken. */
    void deliver() throws InterruptedException {
        for (Notification notification : objects.undelivered()) {
            if (!taken(notification)) {
                return;
            }
            ledger.commit(AdyenChange.delivered(notification));
        }
    }

    private boolean taken(Notification notification) throws InterruptedException {
        byte[] body = NotificationJson.render(notification, webhook.hmacKey());
        HttpRequest request = HttpRequest.newBuilder(webhook.url()).timeout(TIMEOUT)
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofByteArray(body)).build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() / 100 == 2;
        } catch (IOException e) {
            return false;
        }
    }
}
