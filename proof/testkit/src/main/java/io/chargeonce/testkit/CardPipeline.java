// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.notifications.webhook.WebhookService;
import io.chargeonce.notifications.webhook.WebhookSettings;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.vault.Vault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The services that take a card payment from its request to its outcome and the merchant's webhook, in this process, over a broker, a
 * Postgres and the simulators of this machine. Wiring only.
 */
public final class CardPipeline {

    /** The Stripe simulator takes any test key. */
    public static final String STRIPE_KEY = "sk_test_sandbox";
    /** Signs the Adyen simulator's webhooks. */
    public static final String ADYEN_HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
    /** Where merchants' webhooks may go although nothing there is public. */
    public static final Set<String> HERE = new TreeSet<>(Set.of("localhost", "127.0.0.1"));
    /**
     * Pounds and yen go to Adyen first, the rest to Stripe. Each takes over from the other, except for one brand of cards: both simulators
     * know every test card, so {@code method=} is each token.
     */
    public static final String ROUTES =
            "method=pm_card_amex -> stripe; currency=GBP|JPY method= -> adyen,stripe; method= -> stripe,adyen";

    private static final int IN_FLIGHT = 1000;
    private static final int DATABASE_CONNECTIONS = 16;

    private CardPipeline() {}

    /** How long things take: the PSP is a simulator on this machine, so timeouts are shorter than for a real one. */
    public record Pace(List<Duration> tiers, Duration pspTimeout, Duration lease, Duration breakerOpenFor, List<Duration> queries,
            Duration sweepAfter) {

        public static Pace usual(List<Duration> tiers) {
            return new Pace(tiers, Duration.ofSeconds(2), Duration.ofSeconds(12), Duration.ofSeconds(5), List.of(
                    Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofMinutes(10)), Duration.ofSeconds(20));
        }

        public static Pace brisk() {
            return new Pace(List.of(Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(2)),
                    Duration.ofSeconds(1), Duration.ofSeconds(8), Duration.ofSeconds(1),
                    List.of(Duration.ofMillis(300), Duration.ofSeconds(1)), Duration.ofSeconds(5));
        }
    }

    /**
     * How charge and retry run.
     *
     * @param webhooks the port on which they take the PSPs' webhooks
     */
    public static ChargeSettings charge(PipelineSettings pipeline, Pace pace, StripeSimulator stripe, AdyenSimulator adyen, String routes,
                                        int webhooks, Vault vault) {
        var atStripe = new StripeSettings(STRIPE_KEY, stripe.apiBase().toString(), pace.pspTimeout(), Optional.empty(), false);
        var atAdyen = new AdyenSettings(AdyenSimulatorSettings.API_KEY, AdyenSimulatorSettings.MERCHANT_ACCOUNT,
                adyen.apiBase().toString(), pace.pspTimeout(), Optional.of(ADYEN_HMAC_KEY));
        return new ChargeSettings(pipeline, List.of(atStripe, atAdyen), IN_FLIGHT, pace.lease(), pace.breakerOpenFor(), pace.queries(),
                pace.sweepAfter(), Optional.of(Routes.parse(routes)), ChargeSettings.Pace.USUAL,
                Optional.of(new Address("127.0.0.1", webhooks))).with(vault);
    }

    /**
     * Starts the services over a schema and topics that exist. Closing the lifecycle ends them.
     *
     * @param port where payments are taken, 0 for any free one
     */
    public static IngestService start(Lifecycle lifecycle, ChargeSettings charge, int port, Meters meters) {
        lifecycle.start("charge-consumer", () -> ChargeService.start(charge, meters));
        lifecycle.start("retry-consumers", () -> RetryService.start(charge, meters));
        lifecycle.start("webhook-sender", () -> WebhookService.start(
                new WebhookSettings(charge.pipeline(), charge.vault()).withAllowedHosts(HERE), meters));
        return lifecycle.start("ingest-service", () -> IngestService.start(
                new IngestSettings(charge.pipeline(), new Address("127.0.0.1", port), DATABASE_CONNECTIONS, Duration.ofHours(24))
                        .with(new EndpointSettings(charge.vault(), HERE)),
                meters));
    }
}
