// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.webhook;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/** Delivers webhooks in order, each until it is taken (any 2xx); a receiver may see one twice. One thread. */
public abstract class WebhookSender<W> {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

    /** Oldest first. */
    protected abstract List<W> undelivered();

    /** A new one for each delivery: a signature may hold the time. */
    protected abstract HttpRequest.Builder request(W webhook);

    protected abstract void delivered(W webhook);

    /**
     * In order it stops at the first that is not taken.
     *
     * @param disordered whether the newest comes first, and each twice
     */
    final void deliver(boolean disordered) throws InterruptedException {
        for (W webhook : disordered ? undelivered().reversed() : undelivered()) {
            boolean isTaken = isTaken(webhook) && (!disordered || isTaken(webhook));
            if (isTaken) {
                delivered(webhook);
            } else if (!disordered) {
                return;
            }
        }
    }

    private boolean isTaken(W webhook) throws InterruptedException {
        try {
            HttpRequest request = request(webhook).timeout(TIMEOUT).header("Content-Type", "application/json").build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() / 100 == 2;
        } catch (IOException e) {
            return false;
        }
    }
}
