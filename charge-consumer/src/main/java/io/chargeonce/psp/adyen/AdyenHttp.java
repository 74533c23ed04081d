// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.http.PspHttp;
import io.chargeonce.runtime.Build;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Posts to Adyen's Checkout API over {@link PspHttp}. Any thread. */
final class AdyenHttp {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final AdyenSettings settings;
    private final PspHttp http;

    AdyenHttp(AdyenSettings settings) {
        this.settings = settings;
        this.http = new PspHttp(CONNECT_TIMEOUT, settings.callTimeout());
    }

    /** The answer, with any status. */
    HttpResponse<String> post(String path, byte[] body, PspKey key) throws IOException {
        return http.exchange(HttpRequest.newBuilder(URI.create(settings.apiBase() + path))
                .header("Content-Type", "application/json")
                .header("X-API-Key", settings.apiKey().get())
                .header("User-Agent", "Chargeonce/" + Build.CURRENT.version())
                .header("Idempotency-Key", key.value())
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build());
    }
}
