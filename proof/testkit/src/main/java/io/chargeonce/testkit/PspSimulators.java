// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Simulators of Stripe and Adyen alone, for tests of code that calls a PSP by itself: each on a free port of 127.0.0.1, with true
 * idempotency keys, faults by rule, and a ledger of the money that moved. Stripe's takes every test key. Any thread.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final PspSimulators psps = new PspSimulators();
 *
 * @Test
 * void a_lost_answer_is_not_charged_again() {
 *     psps.stripe().inject(FaultRule.once(new Fault.AnswerLost()).on(StripeOperation.CONFIRM));
 *     new Checkout(psps.stripe().apiBase(), PspSimulators.STRIPE_KEY).pay("order-1", 1299);
 *     assertThat(psps.captures()).hasSize(1);
 * }
 * }</pre>
 */
public final class PspSimulators extends RunsDuringTests {

    public static final String STRIPE_KEY = CardPipeline.STRIPE_KEY;
    public static final String ADYEN_KEY = AdyenSimulatorSettings.API_KEY;
    public static final String ADYEN_MERCHANT_ACCOUNT = AdyenSimulatorSettings.MERCHANT_ACCOUNT;

    private record BothPsps(StripeSimulator stripe, AdyenSimulator adyen) {}

    private final StripeSimulatorSettings stripeSettings;
    private final AdyenSimulatorSettings adyenSettings;
    private volatile Optional<BothPsps> running = Optional.empty();

    public PspSimulators() {
        this(StripeSimulatorSettings.inMemory(), AdyenSimulatorSettings.inMemory().storingStripesTestCards());
    }

    /** Set up in another way: a port, a clock, the life of keys, webhooks. */
    public PspSimulators(StripeSimulatorSettings stripe, AdyenSimulatorSettings adyen) {
        this.stripeSettings = stripe;
        this.adyenSettings = adyen;
    }

    @Override
    public synchronized void start() {
        if (running.isEmpty()) {
            StripeSimulator stripe = StripeSimulator.start(stripeSettings);
            try {
                running = Optional.of(new BothPsps(stripe, AdyenSimulator.start(adyenSettings)));
            } catch (RuntimeException e) {
                stripe.close();
                throw e;
            }
        }
    }

    private BothPsps running() {
        return running.orElseThrow(() -> notRunning(PspSimulators.class));
    }

    /** Its address is {@code apiBase()}. */
    public StripeSimulator stripe() {
        return running().stripe;
    }

    /** Its address is {@code apiBase()}. */
    public AdyenSimulator adyen() {
        return running().adyen;
    }

    /** Every capture in both ledgers: Stripe's, then Adyen's, each oldest first. */
    public List<Movement> captures() {
        return Stream.of(stripe(), adyen()).flatMap(psp -> psp.movements().stream())
                .filter(movement -> movement.kind() == Movement.Kind.CAPTURE).toList();
    }

    @Override
    public void endFaults() {
        running.ifPresent(psps -> Stream.of(psps.stripe, psps.adyen).forEach(psp -> {
            psp.removeRules();
            psp.endOutage();
            psp.acceptConnections();
            psp.holdWebhooks(false);
            psp.disorderWebhooks(false);
        }));
    }

    @Override
    public synchronized void close() {
        running.ifPresent(psps -> {
            psps.stripe.close();
            psps.adyen.close();
        });
        running = Optional.empty();
    }
}
