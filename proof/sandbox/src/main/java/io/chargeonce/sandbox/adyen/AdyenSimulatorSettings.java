// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.http.HttpListener;
import java.net.InetSocketAddress;
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
 * @param address         to listen on; port 0 is any free one
 * @param directory       where everything is kept between runs; in memory without one
 * @param clock           what time it is: for the life of keys and the due times of modifications
 * @param keyLifetime     how long an idempotency key is remembered; Adyen says at least 7 days
 * @param modificationLag how long after "received" a cancel, reversal or refund is executed
 * @param webhook         where standard notifications go, if anywhere
 * @param storedCards     the cards in the merchant's vault by {@code storedPaymentMethodId}, each as the holder name that
 *                        decides what becomes of its payments (see {@link TestOutcome}); {@code stored_} with a holder name
 *                        in lower case, as {@code stored_not_enough_balance}, is there without being named here
 */
public record AdyenSimulatorSettings(InetSocketAddress address, Optional<Path> directory, InstantSource clock, Duration keyLifetime,
        Duration modificationLag, Optional<Webhook> webhook, Map<String, String> storedCards) {

    /** The only merchant account that exists. */
    public static final String MERCHANT_ACCOUNT = "ChargeonceECOM";
    /** The only API key that is accepted. */
    public static final String API_KEY = "AQE_test_chargeonce";

    private static final Map<String, String> STRIPES_TEST_CARDS = Map.ofEntries(
            Map.entry("pm_card_visa", "APPROVED"), Map.entry("pm_card_visa_debit", "APPROVED"),
            Map.entry("pm_card_mastercard", "APPROVED"), Map.entry("pm_card_amex", "APPROVED"),
            Map.entry("pm_card_visa_chargeDeclined", "DECLINED"),
            Map.entry("pm_card_visa_chargeDeclinedInsufficientFunds", "NOT_ENOUGH_BALANCE"),
            Map.entry("pm_card_visa_chargeDeclinedLostCard", "BLOCK_CARD"),
            Map.entry("pm_card_chargeDeclinedExpiredCard", "CARD_EXPIRED"));

    /** @param hmacKey the signing key in hexadecimal, as Adyen's Customer Area shows it */
    public record Webhook(URI url, String hmacKey) {}

    public AdyenSimulatorSettings {
        storedCards = Map.copyOf(storedCards);
    }

    /** Any port of 127.0.0.1, in memory, the system's clock, 7 days, one second, no webhook. */
    public static AdyenSimulatorSettings inMemory() {
        return new AdyenSimulatorSettings(HttpListener.here(0), Optional.empty(), InstantSource.system(), Duration.ofDays(7),
                Duration.ofSeconds(1), Optional.empty(), Map.of());
    }

    /** On 127.0.0.1. */
    public AdyenSimulatorSettings port(int port) {
        return address(HttpListener.here(port));
    }

    public AdyenSimulatorSettings address(InetSocketAddress other) {
        return new AdyenSimulatorSettings(other, directory, clock, keyLifetime, modificationLag, webhook, storedCards);
    }

    public AdyenSimulatorSettings keptIn(Path other) {
        return new AdyenSimulatorSettings(address, Optional.of(other), clock, keyLifetime, modificationLag, webhook, storedCards);
    }

    public AdyenSimulatorSettings clock(InstantSource other) {
        return new AdyenSimulatorSettings(address, directory, other, keyLifetime, modificationLag, webhook, storedCards);
    }

    public AdyenSimulatorSettings modificationLag(Duration other) {
        return new AdyenSimulatorSettings(address, directory, clock, keyLifetime, other, webhook, storedCards);
    }

    public AdyenSimulatorSettings webhook(URI url, String hmacKey) {
        return new AdyenSimulatorSettings(address, directory, clock, keyLifetime, modificationLag, Optional.of(new Webhook(url, hmacKey)),
                storedCards);
    }

    /**
     * Stripe's test cards in the vault too, so that a token such as {@code pm_card_visa} means the same card at both PSPs, as a token of a
     * vault that serves several PSPs does.
     */
    public AdyenSimulatorSettings storingStripesTestCards() {
        AdyenSimulatorSettings storing = this;
        for (Map.Entry<String, String> card : STRIPES_TEST_CARDS.entrySet()) {
            storing = storing.storing(card.getKey(), card.getValue());
        }
        return storing;
    }

    /** One more card in the vault. */
    public AdyenSimulatorSettings storing(String storedPaymentMethodId, String holderName) {
        Map<String, String> more = new TreeMap<>(storedCards);
        more.put(storedPaymentMethodId, holderName);
        return new AdyenSimulatorSettings(address, directory, clock, keyLifetime, modificationLag, webhook, more);
    }
}
