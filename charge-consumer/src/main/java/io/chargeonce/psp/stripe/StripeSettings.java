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
 * @param apiKey      read for each request, so that it may change
 * @param apiBase     {@code https://api.stripe.com}, or a simulator's address
 * @param callTimeout how long one HTTP exchange may take, including its body
 * @param webhookSecret signs Stripe's webhooks, and may change; without it none is accepted
 * @param sendsReceipts whether Stripe gets the address for a receipt; it then sends one, whatever its dashboard says
 */
public record StripeSettings(String name, Supplier<String> apiKey, String apiBase, Duration callTimeout,
        Optional<Supplier<String>> webhookSecret, boolean sendsReceipts) implements PspSettings {

    public static final String API_BASE = "https://api.stripe.com";

    /** The account with the PSP's own name. */
    public StripeSettings(Supplier<String> apiKey, String apiBase, Duration callTimeout, Optional<Supplier<String>> webhookSecret,
                          boolean sendsReceipts) {
        this(StripeGateway.PSP, apiKey, apiBase, callTimeout, webhookSecret, sendsReceipts);
    }

    /** With keys that never change. */
    public StripeSettings(String apiKey, String apiBase, Duration callTimeout, Optional<String> webhookSecret, boolean sendsReceipts) {
        this(() -> apiKey, apiBase, callTimeout, webhookSecret.map(secret -> () -> secret), sendsReceipts);
    }

    /** The same with receipts. */
    public StripeSettings(String apiKey, String apiBase, Duration callTimeout, Optional<String> webhookSecret) {
        this(apiKey, apiBase, callTimeout, webhookSecret, true);
    }

    /** Without webhooks. They are optional at Stripe, because it can be asked. */
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
