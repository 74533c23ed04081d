// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Locale;
import java.util.Map;

/**
 * What the image {@code chargeonce-simulators} runs: Stripe on port 8090 and Adyen on 8091 of every address, in memory, until SIGTERM.
 * Where their webhooks go, if anywhere, is in the environment.
 */
public final class Simulators {

    public static final int STRIPE_PORT = 8090;
    public static final int ADYEN_PORT = 8091;
    /** Where Stripe's webhooks go, and with which secret they are signed. */
    public static final String STRIPE_WEBHOOK_URL = "STRIPE_WEBHOOK_URL";
    public static final String STRIPE_WEBHOOK_SECRET = "STRIPE_WEBHOOK_SECRET";
    /** Where Adyen's webhooks go, and with which key they are signed. */
    public static final String ADYEN_WEBHOOK_URL = "ADYEN_WEBHOOK_URL";
    public static final String ADYEN_HMAC_KEY = "ADYEN_HMAC_KEY";

    private Simulators() {}

    /**
     * Returns when the JVM is told to end.
     *
     * @param ports two others than the usual ones, Stripe's first; 0 is any free one
     */
    public static void main(String... ports) throws InterruptedException {
        Locale.setDefault(Locale.ROOT);
        boolean usual = ports.length == 0;
        var atStripe = new InetSocketAddress(usual ? STRIPE_PORT : Integer.parseInt(ports[0]));
        var atAdyen = new InetSocketAddress(usual ? ADYEN_PORT : Integer.parseInt(ports[1]));
        StripeSimulator stripe = StripeSimulator.start(stripe(System.getenv()).address(atStripe));
        AdyenSimulator adyen = AdyenSimulator.start(adyen(System.getenv()).address(atAdyen));
        System.out.printf("Stripe's simulator listens on port %d, Adyen's on port %d. GET /_sandbox says what each can do.%n",
                stripe.port(), adyen.port());
        Thread.currentThread().join();
    }

    private static StripeSimulatorSettings stripe(Map<String, String> environment) {
        var settings = StripeSimulatorSettings.inMemory();
        String url = environment.get(STRIPE_WEBHOOK_URL);
        return url == null ? settings : settings.webhook(URI.create(url), required(environment, STRIPE_WEBHOOK_SECRET, STRIPE_WEBHOOK_URL));
    }

    private static AdyenSimulatorSettings adyen(Map<String, String> environment) {
        var settings = AdyenSimulatorSettings.inMemory().storingStripesTestCards();
        String url = environment.get(ADYEN_WEBHOOK_URL);
        return url == null ? settings : settings.webhook(URI.create(url), required(environment, ADYEN_HMAC_KEY, ADYEN_WEBHOOK_URL));
    }

    private static String required(Map<String, String> environment, String name, String because) {
        String value = environment.get(name);
        if (value == null) {
            throw new IllegalArgumentException("%s is set, but %s is not: set it to what signs the webhooks".formatted(because, name));
        }
        return value;
    }
}
