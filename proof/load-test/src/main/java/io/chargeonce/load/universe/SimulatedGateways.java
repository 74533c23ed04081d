// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.adyen.AdyenGateway;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** The services' own gateways, whose exchanges go to a universe's PSP. Only the durations that PSPs promise are shorter here. */
final class SimulatedGateways {

    /** How long one exchange may take. */
    static final Duration PATIENCE = Duration.ofMillis(100);
    /** Beyond a lease, which is how late the first byte may leave, and what a PSP hides after it unless its search stands still. */
    private static final Duration VISIBILITY_LAG = Duration.ofSeconds(13);

    private SimulatedGateways() {}

    /** @param key of our account there, asked for each time */
    static Gateway of(SimulatedPsp psp, Supplier<String> key) {
        Gateway real = psp.name.equals(StripeGateway.PSP)
                ? new StripeGateway(
                        new StripeSettings(key, "http://stripe", PATIENCE, Optional.of(() -> ModelWebhooks.STRIPE_SECRET), true))
                : new AdyenGateway(
                        new AdyenSettings(key, AdyenModel.ACCOUNT, "http://adyen/v71", PATIENCE,
                                Optional.of(() -> ModelWebhooks.ADYEN_KEY)));
        return (Gateway) Proxy.newProxyInstance(SimulatedGateways.class.getClassLoader(), new Class<?>[] {Gateway.class},
                (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "keyLife" :
                            return psp.keyLife;
                        case "visibilityLag" :
                            return VISIBILITY_LAG;
                        case "charge", "findOut", "fence" :
                            Kernel.it().point("before a PSP's gateway is used");
                            break;
                        default :
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
