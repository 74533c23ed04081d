package io.chargeonce.psp.stripe;

import java.time.Duration;

/**
 * @param apiBase     {@code https://api.stripe.com}, or a simulator's address
 * @param callTimeout how long one HTTP exchange may take, its body included
 */
public record StripeSettings(String apiKey, String apiBase, Duration callTimeout) {

    @Override
    public String toString() {
        return "StripeSettings[apiKey=****, apiBase=%s, callTimeout=%s]".formatted(apiBase, callTimeout);
    }
}
