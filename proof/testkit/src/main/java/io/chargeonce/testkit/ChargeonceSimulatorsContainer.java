// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import io.chargeonce.sandbox.Simulators;
import java.net.URI;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/**
 * The image {@code chargeonce-simulators} by Testcontainers, for tests in which another container calls the PSPs. Faults are set, and
 * ledgers read, over HTTP: {@code GET /_sandbox} at each address says how.
 */
public final class ChargeonceSimulatorsContainer extends GenericContainer<ChargeonceSimulatorsContainer> {

    /** @param image such as {@code chargeonce-simulators:0.1.0} */
    public ChargeonceSimulatorsContainer(String image) {
        super(image);
        withExposedPorts(Simulators.STRIPE_PORT, Simulators.ADYEN_PORT);
        waitingFor(Wait.forHttp("/_sandbox/counts").forPort(Simulators.ADYEN_PORT));
    }

    /** Where the events of Stripe's disputes go, as the container sees that address. */
    public ChargeonceSimulatorsContainer withStripeWebhooks(URI url, String secret) {
        return withEnv(Simulators.STRIPE_WEBHOOK_URL, url.toString()).withEnv(Simulators.STRIPE_WEBHOOK_SECRET, secret);
    }

    /**
     * Where Adyen's notifications go, as the container sees that address.
     *
     * @param hmacKey signs them; in hexadecimal
     */
    public ChargeonceSimulatorsContainer withAdyenWebhooks(URI url, String hmacKey) {
        return withEnv(Simulators.ADYEN_WEBHOOK_URL, url.toString()).withEnv(Simulators.ADYEN_HMAC_KEY, hmacKey);
    }

    /** What Stripe's clients take as base address. Every test key is valid. */
    public URI stripe() {
        return address(Simulators.STRIPE_PORT, "");
    }

    /**
     * What Adyen's clients take as base address of the Checkout API, its version included. Key and merchant account are in
     * {@link PspSimulators}.
     */
    public URI adyen() {
        return address(Simulators.ADYEN_PORT, "/v71");
    }

    private URI address(int port, String path) {
        return URI.create("http://%s:%d%s".formatted(getHost(), getMappedPort(port), path));
    }
}
