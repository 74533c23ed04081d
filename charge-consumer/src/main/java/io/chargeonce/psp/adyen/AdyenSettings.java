package io.chargeonce.psp.adyen;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * @param apiKey          asked for each request, so that it may change
 * @param merchantAccount the account that the money goes to
 * @param apiBase         the Checkout API with its version and without a slash at its end:
 *                        {@code https://checkout-test.adyen.com/v71}, the live address with the company's own prefix, or a
 *                        simulator's address
 * @param callTimeout     how long one HTTP exchange may take, its body included
 * @param hmacKey         signs Adyen's webhooks, in hexadecimal, and may change; without it none is believed
 */
public record AdyenSettings(Supplier<String> apiKey, String merchantAccount, String apiBase, Duration callTimeout,
                            Optional<Supplier<String>> hmacKey) {

    /** With keys that stay as they are. */
    public AdyenSettings(String apiKey, String merchantAccount, String apiBase, Duration callTimeout, Optional<String> hmacKey) {
        this(() -> apiKey, merchantAccount, apiBase, callTimeout, hmacKey.map(key -> () -> key));
    }

    /** Without webhooks, so without an end to a refund. */
    public AdyenSettings(String apiKey, String merchantAccount, String apiBase, Duration callTimeout) {
        this(apiKey, merchantAccount, apiBase, callTimeout, Optional.empty());
    }

    @Override
    public String toString() {
        return "AdyenSettings[apiKey=****, merchantAccount=%s, apiBase=%s, callTimeout=%s]"
                .formatted(merchantAccount, apiBase, callTimeout);
    }
}
