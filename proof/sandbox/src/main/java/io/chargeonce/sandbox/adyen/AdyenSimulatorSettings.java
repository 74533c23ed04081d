// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How a simulator is set up.
 *
 * @param port            to listen on, 0 for any free one
 * @param directory       where everything is kept between runs; in memory without one
 * @param clock           what time it is: for the life of keys and the due times of modifications
 * @param keyLifetime     how long an idempotency key is remembered; Adyen says at least 7 days
 * @param modificationLag how long after "received" a cancel, reversal or refund is executed
 * @param webhook         where standard notifications go, if anywhere
 * @param storedCards     the cards in the merchant's vault by {@code storedPaymentMethodId}, each as the holder name that
 *                        decides what becomes of its payments (see {@link TestOutcome}); {@code stored_} with a holder name
 *                        in lower case, as {@code stored_not_enough_balance}, is there without being named here
 */
public record AdyenSimulatorSettings(int port, Optional<Path> directory, InstantSource clock, Duration keyLifetime,
        Duration modificationLag, Optional<Webhook> webhook, Map<String, String> storedCards) {

    /** The only merchant account that exists. */
    public static final String MERCHANT_ACCOUNT = "ChargeonceECOM";
    /** The only API key that is accepted. */
    public static final String API_KEY = "AQE_test_chargeonce";

    /** @param hmacKey the signing key in hexadecimal, as Adyen's Customer Area shows it */
    public record Webhook(URI url, String hmacKey) {}

    public AdyenSimulatorSettings {
        storedCards = Map.copyOf(storedCards);
    }

    /** Any port, in memory, the system's clock, 7 days, one second, no webhook. */
    public static AdyenSimulatorSettings inMemory() {
        return new AdyenSimulatorSettings(0, Optional.empty(), InstantSource.system(), Duration.ofDays(7), Duration.ofSeconds(1),
                Optional.empty(), Map.of());
    }

    public AdyenSimulatorSettings port(int other) {
        return new AdyenSimulatorSettings(other, directory, clock, keyLifetime, modificationLag, webhook, storedCards);
    }

    public AdyenSimulatorSettings keptIn(Path other) {
        return new AdyenSimulatorSettings(port, Optional.of(other), clock, keyLifetime, modificationLag, webhook, storedCards);
    }

    public AdyenSimulatorSettings clock(InstantSource other) {
        return new AdyenSimulatorSettings(port, directory, other, keyLifetime, modificationLag, webhook, storedCards);
    }

    public AdyenSimulatorSettings modificationLag(Duration other) {
        return new AdyenSimulatorSettings(port, directory, clock, keyLifetime, other, webhook, storedCards);
    }

    public AdyenSimulatorSettings webhook(URI url, String hmacKey) {
        return new AdyenSimulatorSettings(port, directory, clock, keyLifetime, modificationLag, Optional.of(new Webhook(url, hmacKey)),
                storedCards);
    }

    /** One more card in the vault. */
    public AdyenSimulatorSettings storing(String storedPaymentMethodId, String holderName) {
        Map<String, String> more = new TreeMap<>(storedCards);
        more.put(storedPaymentMethodId, holderName);
        return new AdyenSimulatorSettings(port, directory, clock, keyLifetime, modificationLag, webhook, more);
    }
}
