package io.chargeonce.psp.stripe;

import java.time.Duration;
import java.util.Optional;

/**
 * @param apiBase     {@code https://api.stripe.com}, or a simulator's address
 * @param callTimeout how long one HTTP exchange may take, its body included
 * @param webhookSecret signs Stripe's webhooks; without it none is believed
 * @param sendsReceipts whether Stripe gets the address for a receipt; then it mails one, whatever its dashboard says
 */
public record StripeSettings(String apiKey, String apiBase, Duration callTimeout, Optional<String> webhookSecret, boolean sendsReceipts) {

    /** With receipts. */
    public StripeSettings(String apiKey, String apiBase, Duration callTimeout, Optional<String> webhookSecret) {
        this(apiKey, apiBase, callTimeout, webhookSecret, true);
    }

    /** Without webhooks, which Stripe can do without: it can be asked. */
    public StripeSettings(String apiKey, String apiBase, Duration callTimeout) {
        this(apiKey, apiBase, callTimeout, Optional.empty());
    }

    @Override
    public String toString() {
        return "StripeSettings[apiKey=****, apiBase=%s, callTimeout=%s]".formatted(apiBase, callTimeout);
    }
}
