// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.PspSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An account at Stripe.
 *
 * @param name        of the account, as stored with every attempt
 * @param apiKey      asked for each request, so that it may change
 * @param apiBase     {@code https://api.stripe.com}, or a simulator's address
 * @param callTimeout how long one HTTP exchange may take, its body included
 * @param webhookSecret signs Stripe's webhooks, and may change; without it none is believed
 * @param sendsReceipts whether Stripe gets the address for a receipt; then it mails one, whatever its dashboard says
 */
public record StripeSettings(String name, Supplier<String> apiKey, String apiBase, Duration callTimeout,
        Optional<Supplier<String>> webhookSecret, boolean sendsReceipts) implements PspSettings {

    public static final String API_BASE = "https://api.stripe.com";

    /** The account that is called as its PSP. */
    public StripeSettings(Supplier<String> apiKey, String apiBase, Duration callTimeout, Optional<Supplier<String>> webhookSecret,
                          boolean sendsReceipts) {
        this(StripeGateway.PSP, apiKey, apiBase, callTimeout, webhookSecret, sendsReceipts);
    }

    /** With keys that stay as they are. */
    public StripeSettings(String apiKey, String apiBase, Duration callTimeout, Optional<String> webhookSecret, boolean sendsReceipts) {
        this(() -> apiKey, apiBase, callTimeout, webhookSecret.map(secret -> () -> secret), sendsReceipts);
    }

    /** The same with receipts. */
    public StripeSettings(String apiKey, String apiBase, Duration callTimeout, Optional<String> webhookSecret) {
        this(apiKey, apiBase, callTimeout, webhookSecret, true);
    }

    /** Without webhooks, which Stripe can do without: it can be asked. */
    public StripeSettings(String apiKey, String apiBase, Duration callTimeout) {
        this(apiKey, apiBase, callTimeout, Optional.empty());
    }

    @Override
    public Gateway gateway() {
        return new StripeGateway(this);
    }

    @Override
    public String toString() {
        return "StripeSettings[%s, apiKey=****, apiBase=%s, callTimeout=%s]".formatted(name, apiBase, callTimeout);
    }
}
