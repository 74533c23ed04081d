// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.PspSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An account at Adyen.
 *
 * @param name            of the account, as stored with every attempt
 * @param apiKey          read for each request, so that it may change
 * @param merchantAccount the account that receives the money
 * @param apiBase         the Checkout API with its version and without a trailing slash: {@code https://checkout-test.adyen.com/v71}, the
 * live address with the company's own prefix, or a simulator's address
 * @param callTimeout     how long one HTTP exchange may take, including its body
 * @param hmacKey         signs Adyen's webhooks, in hexadecimal, and may change; without it none is accepted
 */
public record AdyenSettings(String name, Supplier<String> apiKey, String merchantAccount, String apiBase, Duration callTimeout,
        Optional<Supplier<String>> hmacKey) implements PspSettings {

    public static final String API_BASE = "https://checkout-test.adyen.com/v71";
    public static final String MERCHANT_ACCOUNT = "Chargeonce";

    /** The account with the PSP's own name. */
    public AdyenSettings(Supplier<String> apiKey, String merchantAccount, String apiBase, Duration callTimeout,
                         Optional<Supplier<String>> hmacKey) {
        this(AdyenGateway.PSP, apiKey, merchantAccount, apiBase, callTimeout, hmacKey);
    }

    /** With keys that never change. */
    public AdyenSettings(String apiKey, String merchantAccount, String apiBase, Duration callTimeout, Optional<String> hmacKey) {
        this(() -> apiKey, merchantAccount, apiBase, callTimeout, hmacKey.map(key -> () -> key));
    }

    /** Without webhooks, so that refunds never end. */
    public AdyenSettings(String apiKey, String merchantAccount, String apiBase, Duration callTimeout) {
        this(apiKey, merchantAccount, apiBase, callTimeout, Optional.empty());
    }

    @Override
    public Gateway gateway() {
        return new AdyenGateway(this);
    }

    @Override
    public String toString() {
        return "AdyenSettings[%s, apiKey=****, merchantAccount=%s, apiBase=%s, callTimeout=%s]"
                .formatted(name, merchantAccount, apiBase, callTimeout);
    }
}
