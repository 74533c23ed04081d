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
 * @param apiKey          asked for each request, so that it may change
 * @param merchantAccount the account that the money goes to
 * @param apiBase         the Checkout API with its version and without a slash at its end:
 *                        {@code https://checkout-test.adyen.com/v71}, the live address with the company's own prefix, or a
 *                        simulator's address
 * @param callTimeout     how long one HTTP exchange may take, its body included
 * @param hmacKey         signs Adyen's webhooks, in hexadecimal, and may change; without it none is believed
 */
public record AdyenSettings(String name, Supplier<String> apiKey, String merchantAccount, String apiBase, Duration callTimeout,
        Optional<Supplier<String>> hmacKey) implements PspSettings {

    public static final String API_BASE = "https://checkout-test.adyen.com/v71";
    public static final String MERCHANT_ACCOUNT = "Chargeonce";

    /** The account that is called as its PSP. */
    public AdyenSettings(Supplier<String> apiKey, String merchantAccount, String apiBase, Duration callTimeout,
                         Optional<Supplier<String>> hmacKey) {
        this(AdyenGateway.PSP, apiKey, merchantAccount, apiBase, callTimeout, hmacKey);
    }

    /** With keys that stay as they are. */
    public AdyenSettings(String apiKey, String merchantAccount, String apiBase, Duration callTimeout, Optional<String> hmacKey) {
        this(() -> apiKey, merchantAccount, apiBase, callTimeout, hmacKey.map(key -> () -> key));
    }

    /** Without webhooks, so without an end to a refund. */
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
