package io.chargeonce.psp.adyen;

import java.time.Duration;
import java.util.Optional;

/**
 * @param merchantAccount the account that the money goes to
 * @param apiBase         the Checkout API with its version and without a slash at its end:
 *                        {@code https://checkout-test.adyen.com/v71}, the live address with the company's own prefix, or a
 *                        simulator's address
 * @param callTimeout     how long one HTTP exchange may take, its body included
 * @param hmacKey         signs Adyen's webhooks, in hexadecimal; without it none is believed
 */
public record AdyenSettings(String apiKey, String merchantAccount, String apiBase, Duration callTimeout, Optional<String> hmacKey) {

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
