// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.HttpListener;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/**
 * How a simulator is set up.
 *
 * @param address     to listen on; port 0 is any free one
 * @param directory   where everything is kept between runs; in memory without one
 * @param clock       what time it is: for object times, and for the life of keys
 * @param keyLifetime how long an idempotency key is remembered; Stripe says at least 24 hours
 * @param searchLag   how long search does not see a new intent; Stripe says under a minute
 * @param account     the account's only secret key; without one, every test key is valid
 * @param webhook     where events about disputes go, if anywhere
 */
public record StripeSimulatorSettings(InetSocketAddress address, Optional<Path> directory, InstantSource clock, Duration keyLifetime,
        Duration searchLag, Optional<String> account, Optional<Webhook> webhook) {

    /** @param secret the endpoint's signing secret */
    public record Webhook(URI url, String secret) {}

    /** Any port of 127.0.0.1, in memory, the system's clock, 24 hours, one second, no webhook. */
    public static StripeSimulatorSettings inMemory() {
        return new StripeSimulatorSettings(HttpListener.here(0), Optional.empty(), InstantSource.system(), Duration.ofHours(24),
                Duration.ofSeconds(1),
                Optional.empty(), Optional.empty());
    }

    /** On 127.0.0.1. */
    public StripeSimulatorSettings port(int port) {
        return address(HttpListener.here(port));
    }

    public StripeSimulatorSettings address(InetSocketAddress other) {
        return new StripeSimulatorSettings(other, directory, clock, keyLifetime, searchLag, account, webhook);
    }

    public StripeSimulatorSettings keptIn(Path other) {
        return new StripeSimulatorSettings(address, Optional.of(other), clock, keyLifetime, searchLag, account, webhook);
    }

    public StripeSimulatorSettings clock(InstantSource other) {
        return new StripeSimulatorSettings(address, directory, other, keyLifetime, searchLag, account, webhook);
    }

    public StripeSimulatorSettings keyLifetime(Duration other) {
        return new StripeSimulatorSettings(address, directory, clock, other, searchLag, account, webhook);
    }

    public StripeSimulatorSettings searchLag(Duration other) {
        return new StripeSimulatorSettings(address, directory, clock, keyLifetime, other, account, webhook);
    }

    public StripeSimulatorSettings account(String secretKey) {
        return new StripeSimulatorSettings(address, directory, clock, keyLifetime, searchLag, Optional.of(secretKey), webhook);
    }

    public StripeSimulatorSettings webhook(URI url, String secret) {
        return new StripeSimulatorSettings(address, directory, clock, keyLifetime, searchLag, account,
                Optional.of(new Webhook(url, secret)));
    }
}
